/**
 * Signing in and out in the audit log. It belongs to a user and to no organization, so that each organization of the user
 * gets a line. A wrong password leaves none: it is counted, and slowed down. Source: contract 0, "Refusals"; 1, "Audit".
 */
import type { Write } from '../../../storage/store.ts'
import type { AuditSink } from '../../platform/http/changes/audit-trail.ts'
import type { Origin } from './origin.ts'

export interface SessionAct {
  userId: string
  operation:
    | 'createSession'
    | 'deleteSession'
    | 'endSession'
    | 'endOtherSessions'
    | 'changePassword'
    | 'resetPassword'
    | 'verifyAddress'
  /** Names of the fields that have another value now: what proves who somebody is has not. */
  changed: readonly string[]
  /** The one session that it is about. */
  sessionId?: string
}

export class SessionAudit {
  constructor(private readonly sink: AuditSink) {}

  /** To be committed with the effect. */
  allowed(
    { userId, operation, changed, sessionId }: SessionAct,
    organizations: readonly { id: string }[],
    { address, requestId, requestIdFrom }: Origin,
  ): Write[] {
    return organizations.map(({ id }) =>
      this.sink.write({
        organizationId: id,
        actor: { type: 'user', id: userId },
        ip: address ?? null,
        operation,
        resource: { type: 'session', id: sessionId ?? null },
        outcome: 'allowed',
        requestId,
        requestIdFrom,
        changed,
      }),
    )
  }
}
