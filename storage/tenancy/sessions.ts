/** Console sessions. Source: contract 1, "Session". */
import { sql } from 'kysely'
import { rowsOf } from '../rows.ts'
import { query, write } from '../statement.ts'

const sessions = rowsOf('sessions', 'id')

export const insertSession = sessions.insert()

/**
 * Lets the new session begin after the last end of its user's sessions for an organization: that lies in the future if
 * the clock was ahead, or in the same millisecond.
 */
export const beginAfterEnds = write((db, values: { id: string; userId: string }) =>
  db
    .updateTable('sessions')
    .set(({ selectFrom, fn, eb }) => ({
      created_at: fn.coalesce(
        selectFrom('memberships')
          .where('user_id', '=', values.userId)
          .where('sessions_ended_at', '>=', eb.ref('sessions.created_at'))
          .select(sql<number>`max(sessions_ended_at) + 1`.as('after')),
        'created_at',
      ),
    }))
    .where('id', '=', values.id),
)

/** The session, expired or not. */
export const findSession = sessions.find()

/** The user's unexpired session with this public id; undefined if it does not exist or is another user's. */
export const findSessionOfUser = query((db, values: { userId: string; publicId: string; now: number }) =>
  db
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', values.userId)
    .where('public_id', '=', values.publicId)
    .where('expires_at', '>', values.now),
)

/** The user's unexpired sessions, newest first, public ids below `before`. */
export const listSessionsOfUser = query((db, values: { userId: string; before: string; now: number; limit: number }) =>
  db
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', values.userId)
    .where('public_id', '<', values.before)
    .where('expires_at', '>', values.now)
    .orderBy('public_id', 'desc')
    .limit(values.limit),
)

/** Records a use, and extends the session to `expiresAt`. A session that was ended stays ended. */
export const touchSession = write((db, values: { id: string; at: number; expiresAt: number; address: string | null }) =>
  db
    .updateTable('sessions')
    .set({ last_seen_at: values.at, expires_at: values.expiresAt, address: values.address })
    .where('id', '=', values.id)
    .where('last_seen_at', '<', values.at),
)

/** The user's sessions except the newest `kept`, newest first. */
export const listSessionsBeyond = query((db, values: { userId: string; kept: number; limit: number }) =>
  db
    .selectFrom('sessions')
    .select('id')
    .where('user_id', '=', values.userId)
    .orderBy('public_id', 'desc')
    .limit(values.limit)
    .offset(values.kept),
)

export const deleteSession = sessions.remove()

/** Ends all of the user's sessions except this one. */
export const deleteOtherSessions = write((db, values: { userId: string; id: string }) =>
  db.deleteFrom('sessions').where('user_id', '=', values.userId).where('id', '!=', values.id),
)

/** Ends all of the user's sessions. */
export const deleteSessionsOf = sessions.remove('user_id')

export const listExpiredSessions = sessions.only('id').due('expires_at')

/** Deletes a session if it has expired. */
export const deleteExpiredSession = write((db, values: { id: string; now: number }) =>
  db.deleteFrom('sessions').where('id', '=', values.id).where('expires_at', '<=', values.now),
)
