/**
 * An invitation whose token somebody has, and what accepting it does in every case. It holds only as long as whoever made
 * it could still make it: who has left does not come back by a token kept in a drawer. Source: contract 1, "Invitations".
 */
import { withinBound } from '../../../storage/bounds.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { InvitationRow, MembershipRow, UserRow } from '../../../storage/tables.ts'
import {
  deleteInvitationOf,
  deleteInvitationOfUser,
  findInvitation,
  spendInvitation,
} from '../../../storage/tenancy/invitations.ts'
import { insertMembership } from '../../../storage/tenancy/organizations.ts'
import { ApiError } from '../../platform/http/answers/errors.ts'
import type { AuditEntry } from '../../platform/http/changes/audit-trail.ts'
import type { Role } from '../../platform/http/guard/caller.ts'
import { hashSecret } from '../../platform/secrets/tokens.ts'
import { rolePermissions } from '../authority/roles.ts'
import type { Origin } from '../sessions/origin.ts'

export type OpenedInvitation = Pick<
  InvitationRow,
  'id' | 'organization_id' | 'email' | 'user_id' | 'mailed' | 'role' | 'invited_by'
> & { inviter_role: MembershipRow['role'] }

/** One answer for an invitation that is unknown, used, withdrawn, replaced, expired, or another account's. */
export const invalidInvitation = () =>
  new ApiError(401, 'invalid_credentials', 'The invitation cannot be accepted, any more or at all.')

/** Whether somebody of this role may give that one. */
const mayGive = (giver: Role, role: Role): boolean =>
  rolePermissions[giver].has('organizations:manage-members') && (role !== 'owner' || giver === 'owner')

/** The invitation with this token. Throws `invalid_credentials` (401) when it cannot be accepted. */
export async function openInvitation(store: Store, token: string, now: number): Promise<OpenedInvitation> {
  const invitation = await store.first(findInvitation(store, { tokenHash: hashSecret(token), now }))
  if (!invitation || !mayGive(invitation.inviter_role, invitation.role)) throw invalidInvitation()
  return invitation
}

/** Uses the invitation up and makes the user a member; fails with `UniqueViolation` for a member. */
export function joiningWrites(
  store: Store,
  invitation: OpenedInvitation,
  user: Pick<UserRow, 'id' | 'email' | 'email_verified_at'>,
  now: number,
): Write[] {
  const { id, organization_id: organizationId, role, inviter_role: inviterRole, invited_by: invitedBy } = invitation
  const { id: userId, email } = user
  return [
    spendInvitation(store, { id, organizationId, invitedBy, inviterRole }),
    insertMembership(store, { organization_id: organizationId, user_id: userId, role, created_at: now }),
    withinBound(store, 'members', organizationId, organizationId),
    deleteInvitationOfUser(store, { organizationId, userId }),
    // an address that is not verified says nothing about whom another invitation is for
    ...(user.email_verified_at === null ? [] : [deleteInvitationOf(store, { organizationId, email })]),
  ]
}

/** What the failure of such a commit means: somebody else was first, or what the invitation stands on is gone. */
export const joiningRefusals = { stale: invalidInvitation, missing: invalidInvitation }

/** The line of the audit log of the organization that was joined. */
export const joiningEntry = (
  { id, organization_id: organizationId }: OpenedInvitation,
  userId: string,
  { address, requestId, requestIdFrom }: Origin,
  { operation, changed }: Pick<AuditEntry, 'operation' | 'changed'>,
): AuditEntry => ({
  organizationId,
  actor: { type: 'user', id: userId },
  ip: address ?? null,
  operation,
  resource: { type: 'invitation', id },
  outcome: 'allowed',
  requestId,
  requestIdFrom,
  changed,
})
