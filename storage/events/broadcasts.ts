/**
 * Events for all active Environments, recorded in one Environment after the other. Source: contract 7, "Who emits
 * what".
 */
import { sql } from 'kysely'
import { query, write } from '../statement.ts'
import type { Store } from '../store.ts'
import type { BroadcastRow } from '../tables.ts'

export const insertBroadcast = write((db, row: Omit<BroadcastRow, 'id'>) => db.insertInto('announcements').values(row))

export const findOldestBroadcast = query((db, _values: object) =>
  db.selectFrom('announcements').selectAll().orderBy('id').limit(1),
)

/** The next Environments by id; `is_told` is set for those that are active and existed at the time of the event. */
const audience = (db: Store['db'], values: { after: string; at: number; limit: number }) =>
  db
    .selectFrom('environments')
    .select(['id', 'organization_id', 'project_id'])
    .select(({ eb, and }) => [
      and([eb('state', '=', 'active'), eb('created_at', '<=', values.at)])
        .$castTo<number>()
        .as('is_told'),
    ])
    .where('id', '>', values.after)
    .orderBy('id')
    .limit(values.limit)

export const listAudience = query(audience)
/** The same, for one organization. */
export const listAudienceWithin = query(
  (db, values: { after: string; at: number; limit: number; organizationId: string }) =>
    audience(db, values).where('organization_id', '=', values.organizationId),
)

/** `StaleWrite` if another process has recorded the event in the same Environments. */
export const moveBroadcast = write(
  (db, values: { id: number; from: string; to: string }) =>
    db
      .updateTable('announcements')
      .set({ told_up_to: values.to })
      .where('id', '=', values.id)
      .where('told_up_to', '=', values.from),
  1,
)

/**
 * Deletes a broadcast that is recorded in all Environments. `StaleWrite` if another process has recorded it in the last
 * ones.
 */
export const deleteBroadcast = write(
  (db, values: { id: number; from: string }) =>
    db.deleteFrom('announcements').where('id', '=', values.id).where(sql.ref('told_up_to'), '=', values.from),
  1,
)
