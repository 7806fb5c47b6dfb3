/** Invitations: how somebody without a user comes into an organization. Source: contract 1, "Invitations". */
import type { Store, Write } from '../../storage/store.ts'
import type { Role } from '../http/caller.ts'
import type { Clock } from '../runtime/clock.ts'

export interface NewInvitation {
  organizationId: string
  /** Lower case. */
  email: string
  role: Role
  invitedBy: string
}

/** What the inviter is told, once. */
export interface InvitationSecret {
  id: string
  token: string
  /** RFC 3339. */
  expiresAt: string
}

export class Invitations {
  constructor(readonly parts: { store: Store; clock: Pick<Clock, 'now'> }) {}

  /** An invitation to be committed by whoever invites; it replaces an earlier one for the same address. */
  prepare(_invitation: NewInvitation): { invitation: InvitationSecret; writes: Write[] } {
    throw new Error('not built yet')
  }
}
