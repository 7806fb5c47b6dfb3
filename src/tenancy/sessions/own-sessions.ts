/** Lists and ends a user's own sessions. Source: contract 1, "Session". */

import type { Store } from '../../../storage/store.ts'
import type { SessionRow } from '../../../storage/tables.ts'
import {
  deleteOtherSessions,
  deleteSession,
  findSessionOfUser,
  listSessionsOfUser,
} from '../../../storage/tenancy/sessions.ts'
import { listOrganizationsOfUser } from '../../../storage/tenancy/users.ts'
import { orNotFound } from '../../platform/http/answers/errors.ts'
import type { AuditSink } from '../../platform/http/changes/audit-trail.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import type { Identity } from '../../platform/http/guard/caller.ts'
import { belowId, type PageRequest, readPage } from '../../platform/http/pagination.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Revocations } from '../authority/revocations.ts'
import type { Origin } from './origin.ts'
import type { OwnSession } from './schema.ts'
import { SessionAudit } from './session-audit.ts'

export interface OwnSessionsParts {
  store: Store
  clock: Pick<Clock, 'now'>
  cursors: Cursors
  revocations: Revocations
  audit: AuditSink
}

export class OwnSessions {
  readonly #trail: SessionAudit

  constructor(private readonly parts: OwnSessionsParts) {
    this.#trail = new SessionAudit(parts.audit)
  }

  /** Live sessions, newest first. Throws `invalid_cursor` (422). */
  list({ userId, credentialId }: Identity, asked: PageRequest) {
    const { store, clock, cursors } = this.parts
    return readPage<SessionRow, OwnSession>(
      // the list belongs to the user, whatever the organization
      { cursors, scope: { list: 'sessions', organizationId: userId } },
      asked,
      (after, limit) =>
        store.all(listSessionsOfUser(store, { userId, before: belowId(after), now: clock.now(), limit })),
      ({ public_id }) => [public_id],
      (row) => ({
        id: row.public_id,
        createdAt: timestamp(row.created_at),
        lastUsedAt: timestamp(row.last_seen_at),
        expiresAt: timestamp(row.expires_at),
        address: row.address,
        userAgent: row.user_agent,
        current: row.id === credentialId,
      }),
    )
  }

  /** A live session. Throws `notFound`. */
  async find({ userId }: Identity, publicId: string): Promise<SessionRow> {
    const { store, clock } = this.parts
    return orNotFound(await store.first(findSessionOfUser(store, { userId, publicId, now: clock.now() })))
  }

  /** Ends a session from its next request; returns whether it was the caller's. Throws `notFound`. */
  async end(identity: Identity, publicId: string, origin: Origin, record: RequestRecord): Promise<boolean> {
    const { store, revocations } = this.parts
    const { userId, credentialId } = identity
    const session = await this.find(identity, publicId)
    const organizations = await store.all(listOrganizationsOfUser(store, { userId }))
    const act = { userId, operation: 'endSession', changed: [], sessionId: publicId } as const
    await store.commit([
      deleteSession(store, { id: session.id }),
      ...this.#trail.allowed(act, organizations, origin),
      ...record(undefined),
    ])
    await revocations.announce({ credentialId: session.id })
    return session.id === credentialId
  }

  /** Ends all but the caller's. */
  async endOthers({ userId, credentialId }: Identity, origin: Origin, record: RequestRecord): Promise<void> {
    const { store, revocations } = this.parts
    const organizations = await store.all(listOrganizationsOfUser(store, { userId }))
    await store.commit([
      deleteOtherSessions(store, { userId, id: credentialId }),
      ...this.#trail.allowed({ userId, operation: 'endOtherSessions', changed: [] }, organizations, origin),
      ...record(undefined),
    ])
    await revocations.announce({ userId })
  }
}
