/**
 * Signing in and out in the audit log. It belongs to a user and to no organization, so that each organization of the user
 * gets a line. Source: contract 1, "Audit".
 */
import type { Write } from '../../storage/store.ts'
import type { AuditEntry, AuditSink } from '../http/trail.ts'
import type { Origin } from './password-check.ts'

export interface SessionAct {
  userId: string
  operation: 'createSession' | 'deleteSession' | 'changePassword'
  /** Names of the fields that the request gave. */
  changed: readonly string[]
}

const entries = (
  { userId, operation, changed }: SessionAct,
  organizations: readonly { id: string }[],
  { address, requestId }: Origin,
  outcome: AuditEntry['outcome'],
): AuditEntry[] =>
  organizations.map(({ id }) => ({
    organizationId: id,
    actor: { type: 'user', id: userId },
    ip: address ?? null,
    operation,
    resource: { type: 'session', id: null },
    outcome,
    requestId,
    changed,
  }))

export class SessionTrail {
  constructor(private readonly sink: AuditSink) {}

  /** To be committed with the effect. */
  allowed(act: SessionAct, organizations: readonly { id: string }[], origin: Origin): Write[] {
    return entries(act, organizations, origin, 'allowed').map((entry) => this.sink.write(entry))
  }

  /** What was refused has no effect to be committed with. */
  denied(act: SessionAct, organizations: readonly { id: string }[], origin: Origin): void {
    for (const entry of entries(act, organizations, origin, 'denied')) this.sink.note(entry)
  }
}
