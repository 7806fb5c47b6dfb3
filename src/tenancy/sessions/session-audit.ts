/**
 * Signing in and out in the audit log: one line in each organization of the user. Wrong passwords are counted and slowed down,
 * but not logged. Source: contract 0, "Refusals"; 1, "Audit".
 */
import type { Write } from '../../../storage/store.ts'
import type { AuditSink } from '../../platform/http/changes/audit-trail.ts'
import type { Origin } from './origin.ts'

interface SessionAct {
  userId: string
  operation:
    | 'createSession'
    | 'deleteSession'
    | 'endSession'
    | 'endOtherSessions'
    | 'changePassword'
    | 'resetPassword'
    | 'verifyAddress'
  /** Names of the changed fields; credentials do not count. */
  changed: readonly string[]
  /** The session, if there is exactly one. */
  sessionId?: string
}

export class SessionAudit {
  constructor(private readonly sink: AuditSink) {}

  /** The statements to commit with the effect. */
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
