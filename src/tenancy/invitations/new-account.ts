import { newId } from '../../../storage/ids.ts'
import type { UserRow } from '../../../storage/tables.ts'
import { findVerifiedUser, insertUser, listOrganizationsOfUser } from '../../../storage/tenancy/users.ts'
import { accountExists } from '../../platform/http/answers/errors.ts'
import type { AuditSink } from '../../platform/http/changes/audit-trail.ts'
import { commitOr } from '../../platform/http/changes/commit.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { assertGoodPassword } from '../sessions/new-password.ts'
import { type OpeningParts, openSession } from '../sessions/opening.ts'
import type { Origin } from '../sessions/origin.ts'
import { passwordHashing } from '../sessions/password-hashing.ts'
import { hashPassword } from '../sessions/passwords.ts'
import { presentSession } from '../sessions/schema.ts'
import type { Begun } from '../sessions/service.ts'
import { joiningEntry, joiningRefusals, joiningWrites, openInvitation } from './opened.ts'
import type { NewAccountRequest } from './schema.ts'

export interface NewAccountParts extends OpeningParts {
  clock: Pick<Clock, 'now'>
  audit: AuditSink
}

export class NewAccounts {
  constructor(private readonly parts: NewAccountParts) {}

  /**
   * Creates an account, a membership and a session. Throws `invalid_credentials` (401); `account_exists` (409) if the invitation
   * is for an account, or was mailed to an address that an account has verified; 422 for a weak password.
   */
  async accept({ token, name, password }: NewAccountRequest, origin: Origin, earlierToken?: string): Promise<Begun> {
    const { store, clock, audit, revocations } = this.parts
    const now = clock.now()
    const invitation = await openInvitation(store, token, now)
    const { email, mailed, organization_id: organizationId } = invitation
    if (email === null) throw accountExists()
    if (mailed && (await store.first(findVerifiedUser(store, { email })))) throw accountExists()

    await assertGoodPassword(password, email, '/body/password')
    const passwordHash = await hashPassword(password, passwordHashing.turn({ signal: origin.signal }))
    const user: UserRow = {
      id: newId('usr', now),
      email,
      name,
      password_hash: passwordHash,
      created_at: now,
      email_verified_at: mailed ? now : null,
    }
    const opening = openSession(this.parts, user.id, earlierToken, origin)
    const audited = { operation: 'acceptInvitation', changed: ['name', 'password'] }
    // another invitation of the address was accepted concurrently
    await commitOr(store, { ...joiningRefusals, unique: accountExists }, [
      insertUser(store, user),
      ...joiningWrites(store, invitation, user, now),
      ...opening.writes,
      audit.write(joiningEntry(invitation, user.id, origin, audited)),
    ])
    await Promise.all([opening.announce(), revocations.announce({ organizationId, userId: user.id })])
    const organizations = await store.all(listOrganizationsOfUser(store, { userId: user.id }))
    return { session: presentSession(user, organizations, opening.csrfToken), cookie: opening.cookie }
  }
}
