/**
 * The accounts that a sign-in may mean. Several accounts may have claimed the same unverified address; each signs in with its
 * own password. Source: contract 1, "Invitations".
 */

import type { Store } from '../../../storage/store.ts'
import type { UserRow } from '../../../storage/tables.ts'
import { findMembershipFor } from '../../../storage/tenancy/organizations.ts'
import { findVerifiedUser, listUnverifiedMembers, listUnverifiedUsers } from '../../../storage/tenancy/users.ts'

/** Each candidate costs a hash. */
const candidatesMax = 5

interface Candidates {
  /** The verified account first, then the oldest; at most five. */
  users: UserRow[]
  /** Whether other accounts may have claimed the address. Then a right password does not excuse earlier failures. */
  shared: boolean
}

/** The accounts of an address in lower case; with an organization's slug, only its members. */
export async function candidatesOf(
  store: Store,
  { email, organization }: { email: string; organization: string | undefined },
): Promise<Candidates> {
  const [verified, unverified] = await Promise.all([
    store.first(findVerifiedUser(store, { email })),
    store.all(listUnverifiedUsers(store, { email, limit: candidatesMax })),
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

/** Whether other accounts have claimed the user's address too. */
export async function sharesAddress(store: Store, { email }: Pick<UserRow, 'email'>): Promise<boolean> {
  return (await candidatesOf(store, { email, organization: undefined })).shared
}
