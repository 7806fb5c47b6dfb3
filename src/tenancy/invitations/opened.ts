/**
 * An invitation looked up by its token, and the writes of every acceptance. It is valid only while its inviter may still
 * invite, so that a former member cannot return with an old token. Source: contract 1, "Invitations".
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
  new ApiError(401, 'invalid_credentials', 'The invitation is not valid or no longer valid.')

/** Whether a user with the role `giver` may give `role`. */
const mayGive = (giver: Role, role: Role): boolean =>
  rolePermissions[giver].has('organizations:manage-members') && (role !== 'owner' || giver === 'owner')

const roles = Object.keys(rolePermissions) as Role[]

/** A JSON array of each role with each role that it may give, as `listInvitations` takes them. */
export const gifts = JSON.stringify(
  roles.flatMap((giver) => roles.filter((role) => mayGive(giver, role)).map((role) => `${giver} ${role}`)),
)

/** The invitation with this token. Throws `invalid_credentials` (401) if it cannot be accepted. */
export async function openInvitation(store: Store, token: string, now: number): Promise<OpenedInvitation> {
  const invitation = await store.first(findInvitation(store, { tokenHash: hashSecret(token), now }))
  if (!invitation || !mayGive(invitation.inviter_role, invitation.role)) throw invalidInvitation()
  return invitation
}

/** Uses the invitation and makes the user a member; fails with `UniqueViolation` for a member. */
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
    // an unverified address does not identify the recipient of another invitation
    ...(user.email_verified_at === null ? [] : [deleteInvitationOf(store, { organizationId, email })]),
  ]
}

/** The refusals of such a commit: a concurrent acceptance, or a removed parent. */
export const joiningRefusals = { stale: invalidInvitation, missing: invalidInvitation }

/** The audit line of the joined organization. */
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
