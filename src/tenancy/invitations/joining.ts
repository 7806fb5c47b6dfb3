/**
 * Accepts an invitation with the signed-in account. An invitation of an address is open to any account that has the token; one
 * of an account only to that account.
 *
 * A token that was mailed to the account's own address verifies that address, unless another account has verified it.
 * Source: contract 1, "Invitations".
 */
import { UniqueViolation } from '../../../storage/errors.ts'
import type { Store } from '../../../storage/store.ts'
import type { UserRow } from '../../../storage/tables.ts'
import { findUser, findVerifiedUser, listOrganizationsOfUser, verifyAddress } from '../../../storage/tenancy/users.ts'
import { alreadyMember, sessionExpired } from '../../platform/http/answers/errors.ts'
import type { AuditSink } from '../../platform/http/changes/audit-trail.ts'
import { refusing } from '../../platform/http/changes/commit.ts'
import type { Identity } from '../../platform/http/guard/caller.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Revocations } from '../authority/revocations.ts'
import type { Origin } from '../sessions/origin.ts'
import { presentSession, type Session } from '../sessions/schema.ts'
import {
  invalidInvitation,
  joiningEntry,
  joiningRefusals,
  joiningWrites,
  type OpenedInvitation,
  openInvitation,
} from './opened.ts'

interface JoiningParts {
  store: Store
  clock: Pick<Clock, 'now'>
  audit: AuditSink
  revocations: Revocations
}

export class Joining {
  constructor(private readonly parts: JoiningParts) {}

  /** Makes the session's user a member. Throws `invalid_credentials` (401), `already_member` (409). */
  async accept({ userId, csrfToken }: Identity, token: string, origin: Origin): Promise<Session> {
    const { store, clock, revocations } = this.parts
    const now = clock.now()
    const [invitation, user] = await Promise.all([
      openInvitation(store, token, now),
      store.first(findUser(store, { id: userId })),
    ])
    if (!user || csrfToken === null) throw sessionExpired()
    if (invitation.user_id !== null && invitation.user_id !== userId) throw invalidInvitation()
    const { organization_id: organizationId } = invitation
    const before = await store.all(listOrganizationsOfUser(store, { userId }))
    if (before.some(({ id }) => id === organizationId)) throw alreadyMember()

    const proves = await this.#provesAddress(invitation, user)
    await this.#join(invitation, user, proves, now, origin)
      .catch((error: unknown) => {
        // another account verified the address concurrently
        const isVerified = error instanceof UniqueViolation && error.columns.includes('users.')
        if (isVerified) return this.#join(invitation, user, false, now, origin)
        throw error
      })
      // the account joined in another way
      .catch(refusing({ ...joiningRefusals, unique: alreadyMember }))
    await revocations.announce({ organizationId, userId })
    const organizations = await store.all(listOrganizationsOfUser(store, { userId }))
    return presentSession(user, organizations, csrfToken)
  }

  #join(invitation: OpenedInvitation, user: UserRow, proves: boolean, now: number, origin: Origin): Promise<void> {
    const { store, audit } = this.parts
    const joining = proves ? { ...user, email_verified_at: now } : user
    const audited = { operation: 'joinOrganization', changed: [] }
    return store.commit([
      ...(proves ? [verifyAddress(store, { id: user.id, at: now })] : []),
      ...joiningWrites(store, invitation, joining, now),
      audit.write(joiningEntry(invitation, user.id, origin, audited)),
    ])
  }

  /** Whether the token was mailed to the account's own address, which no account has verified yet. */
  async #provesAddress({ mailed, email: invited }: OpenedInvitation, user: UserRow): Promise<boolean> {
    const { store } = this.parts
    const { email } = user
    if (!mailed || user.email_verified_at !== null || (invited !== null && invited !== email)) return false
    return (await store.first(findVerifiedUser(store, { email }))) === undefined
  }
}
