/**
 * Accepting an invitation: user, membership and session come into being together, and the invitation is used up. It holds
 * only as long as whoever made it could still make it: who has left does not come back by a token kept in a drawer.
 * Source: contract 1, "Invitations".
 */
import { MissingReference, StaleWrite, UniqueViolation } from '../../storage/errors.ts'
import { newId } from '../../storage/ids.ts'
import { findInvitation, insertMembershipIfNone, spendInvitation } from '../../storage/invitations.ts'
import type { Write } from '../../storage/store.ts'
import type { InvitationRow, MembershipRow, UserRow } from '../../storage/tables.ts'
import { assertPasswordUnchanged, findUserByEmail, insertUser, listOrganizationsOfUser } from '../../storage/users.ts'
import type { FailedAttempts } from '../authority/failed-attempts.ts'
import { rolePermissions } from '../authority/roles.ts'
import type { Role } from '../http/caller.ts'
import { ApiError } from '../http/errors.ts'
import type { AuditEntry, AuditSink } from '../http/trail.ts'
import { hashSecret } from '../keys/secret.ts'
import type { SignInLimiter } from '../limits/sign-ins.ts'
import type { Clock } from '../runtime/clock.ts'
import { assertGoodPassword } from '../sessions/new-password.ts'
import { type OpeningParts, openSession } from '../sessions/opening.ts'
import type { Origin } from '../sessions/origin.ts'
import { PasswordCheck } from '../sessions/password-check.ts'
import { passwordHashing } from '../sessions/password-hashing.ts'
import { hashPassword } from '../sessions/passwords.ts'
import { presentSession } from '../sessions/schema.ts'
import type { Begun } from '../sessions/service.ts'
import type { AcceptanceRequest } from './schema.ts'

export interface AcceptanceParts extends OpeningParts {
  clock: Pick<Clock, 'now'>
  audit: AuditSink
  signIns: SignInLimiter
  failedAttempts: FailedAttempts
}

type Found = Pick<InvitationRow, 'id' | 'organization_id' | 'email' | 'role' | 'invited_by'> & {
  inviter_role: MembershipRow['role']
}

/** One answer for an invitation that is unknown, used, withdrawn, replaced or expired. */
const invalidInvitation = () =>
  new ApiError(401, 'invalid_credentials', 'The invitation cannot be accepted, any more or at all.')
/** Whoever holds the token knows whose invitation it is: this tells nothing new. */
const wrongPassword = () =>
  new ApiError(
    401,
    'invalid_credentials',
    'There is a user with this address by now: the password must be that of the user.',
  )

/** Whether somebody of this role may give that one. */
const mayGive = (giver: Role, role: Role): boolean =>
  rolePermissions[giver].has('organizations:manage-members') && (role !== 'owner' || giver === 'owner')

export class Acceptance {
  readonly #passwords: PasswordCheck

  constructor(private readonly parts: AcceptanceParts) {
    this.#passwords = new PasswordCheck(parts)
  }

  /**
   * Makes the user a member and begins a session. When there is a user with that address by now, the password must be
   * that user's, and only the membership is added; who is a member already stays as they are. Throws
   * `invalid_credentials` (401), `rate_limited` (429).
   */
  async accept(request: AcceptanceRequest, origin: Origin, earlierToken?: string): Promise<Begun> {
    const attempt = () => this.#accept(request, origin, earlierToken)
    try {
      // somebody with this address may become a user at this moment; then there is one the second time
      return await attempt().catch((error: unknown) => {
        if (error instanceof UniqueViolation) return attempt()
        throw error
      })
    } catch (error) {
      // somebody else was first, or what the invitation stands on is gone
      throw error instanceof StaleWrite || error instanceof MissingReference ? invalidInvitation() : error
    }
  }

  async #accept({ token, name, password }: AcceptanceRequest, origin: Origin, earlierToken?: string): Promise<Begun> {
    const { store, clock, audit, revocations } = this.parts
    const now = clock.now()
    const invitation = await store.first(findInvitation(store, { tokenHash: hashSecret(token), now }))
    if (!invitation || !mayGive(invitation.inviter_role, invitation.role)) throw invalidInvitation()
    const { organization_id: organizationId, role, inviter_role: inviterRole, invited_by: invitedBy } = invitation

    const { user, write } = await this.#userOf(invitation, { name, password }, origin)
    const opening = openSession(this.parts, user.id, earlierToken, origin)
    await store.commit([
      spendInvitation(store, { id: invitation.id, organizationId, invitedBy, inviterRole }),
      write,
      insertMembershipIfNone(store, {
        organization_id: organizationId,
        user_id: user.id,
        role,
        created_at: now,
      }),
      ...opening.writes,
      audit.write(entryOf(invitation, user.id, origin)),
    ])
    await Promise.all([opening.announce(), revocations.announce({ organizationId, userId: user.id })])
    const organizations = await store.all(listOrganizationsOfUser(store, { userId: user.id }))
    return { session: presentSession(user, organizations, opening.csrfToken), cookie: opening.cookie }
  }

  /** The user who accepts, and the write that goes with it: a new user, or that the known one's password stands. */
  async #userOf(
    invitation: Found,
    { name, password }: Pick<AcceptanceRequest, 'name' | 'password'>,
    origin: Origin,
  ): Promise<{ user: UserRow; write: Write }> {
    const { store, clock } = this.parts
    const { email } = invitation
    const known = await store.first(findUserByEmail(store, { email }))
    if (!known) {
      await assertGoodPassword(password, email, '/body/password')
      const now = clock.now()
      const hash = await hashPassword(password, passwordHashing.turn({ signal: origin.signal }))
      const user = { id: newId('usr', now), email, name, password_hash: hash, created_at: now }
      return { user, write: insertUser(store, user) }
    }
    const { id, password_hash: hash } = known
    if (!(await this.#passwords.fits({ account: email, password, hash }, origin))) throw wrongPassword()
    return { user: known, write: assertPasswordUnchanged(store, { id, checkedHash: hash }) }
  }
}

const entryOf = (
  { id, organization_id: organizationId }: Found,
  userId: string,
  { address, requestId, requestIdFrom }: Origin,
): AuditEntry => ({
  organizationId,
  actor: { type: 'user', id: userId },
  ip: address ?? null,
  operation: 'acceptInvitation',
  resource: { type: 'invitation', id },
  outcome: 'allowed',
  requestId,
  requestIdFrom,
  changed: ['name', 'password', 'token'],
})
