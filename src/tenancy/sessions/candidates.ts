/**
 * Whom a sign-in may mean. An address that is not verified says nothing about whose it is, so that several accounts may
 * have given the same one; each signs in with its own password. Source: contract 1, "Invitations".
 */

import type { Store } from '../../../storage/store.ts'
import type { UserRow } from '../../../storage/tables.ts'
import { findMembershipFor } from '../../../storage/tenancy/organizations.ts'
import { findVerifiedUser, listUnverifiedMembers, listUnverifiedUsers } from '../../../storage/tenancy/users.ts'

/** Each costs a hash. */
const candidatesMax = 5

export interface Candidates {
  /** The one whose address is verified first, then the oldest; at most five. */
  users: UserRow[]
  /**
   * Other accounts may have given the address too. What one of them gets right then says nothing about guesses at the
   * others: it excuses no failure before it.
   */
  shared: boolean
}

/** The accounts of an address in lower case; of the members of an organization, where its slug is given. */
export async function candidatesOf(
  store: Store,
  { email, organization }: { email: string; organization: string | undefined },
): Promise<Candidates> {
  const [verified, unverified] = await Promise.all([
    store.first(findVerifiedUser(store, { email })),
    store.all(listUnverifiedUsers(store, { email, limit: candidatesMax + 1 })),
  ])
  const all = verified ? [verified, ...unverified] : unverified
  const shared = all.length > 1
  if (organization === undefined) return { users: all.slice(0, candidatesMax), shared }
  const [isThere, members] = await Promise.all([
    verified && store.first(findMembershipFor(store, verified.id, organization, 0)),
    store.all(listUnverifiedMembers(store, { email, slug: organization, limit: candidatesMax })),
  ])
  const users = verified && isThere?.slug === organization ? [verified, ...members] : members
  return { users: users.slice(0, candidatesMax), shared }
}

/** Whether other accounts have given the user's address too. */
export async function sharesAddress(store: Store, { email }: Pick<UserRow, 'email'>): Promise<boolean> {
  return (await candidatesOf(store, { email, organization: undefined })).shared
}
