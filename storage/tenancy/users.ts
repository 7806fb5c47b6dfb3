/** Users. Source: requirement 2; contract 1, "User". */
import type { Kysely } from 'kysely'
import { rowsOf } from '../rows.ts'
import { query, write } from '../statement.ts'
import type { Tables } from '../tables.ts'

const users = rowsOf('users', 'id')

export const insertUser = users.insert()

/** Any one user; no row in a new store. */
export const anyUser = query((db, _values: object) => db.selectFrom('users').select('id').limit(1))

export const findUser = users.find()

/** The user who has verified this address, given in lower case. */
export const findVerifiedUser = query((db, values: { email: string }) =>
  db.selectFrom('users').selectAll().where('email', '=', values.email).where('email_verified_at', 'is not', null),
)

/** Users with this address who have not verified it, oldest first. */
export const listUnverifiedUsers = query((db, values: { email: string; limit: number }) =>
  db
    .selectFrom('users')
    .selectAll()
    .where('email', '=', values.email)
    .where('email_verified_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .limit(values.limit),
)

/** The maximum number of accounts with an address to search for members of an organization: anyone can create more. */
const lookedThroughMax = 1_000

/** The oldest accounts with this address, verified or not. */
const oldestOf = (db: Kysely<Tables>, values: { email: string }) =>
  db
    .selectFrom('users')
    .select('id')
    .where('email', '=', values.email)
    .orderBy('created_at')
    .orderBy('id')
    .limit(lookedThroughMax)

/** Members of the organization with this address who have not verified it, oldest account first. */
export const listUnverifiedMembers = query((db, values: { email: string; slug: string; limit: number }) =>
  db
    .selectFrom('users')
    .innerJoin('memberships', 'memberships.user_id', 'users.id')
    .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
    .selectAll('users')
    .where('users.id', 'in', oldestOf(db, values))
    .where('users.email_verified_at', 'is', null)
    .where('organizations.slug', '=', values.slug)
    .orderBy('users.created_at')
    .orderBy('users.id')
    .limit(values.limit),
)

/** A member of the organization with this address, verified or not. */
export const findMemberOfAddress = query((db, values: { organizationId: string; email: string }) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('memberships.user_id')
    .where('memberships.organization_id', '=', values.organizationId)
    .where('users.id', 'in', oldestOf(db, values))
    .limit(1),
)

/** The member of the organization who has verified this address. */
export const findVerifiedMember = query((db, values: { organizationId: string; email: string }) =>
  db
    .selectFrom('users')
    .innerJoin('memberships', 'memberships.user_id', 'users.id')
    .select('memberships.user_id')
    .where('users.email', '=', values.email)
    .where('users.email_verified_at', 'is not', null)
    .where('memberships.organization_id', '=', values.organizationId),
)

/** Marks the address as verified, permanently. `UniqueViolation` if another user has verified it. */
export const verifyAddress = write((db, values: { id: string; at: number }) =>
  db
    .updateTable('users')
    .set({ email_verified_at: values.at })
    .where('id', '=', values.id)
    .where('email_verified_at', 'is', null),
)

/**
 * Sets a new password without checking the old one, for someone who can read the verified address's mail. `StaleWrite`
 * if the address is not verified.
 */
export const resetPassword = write(
  (db, values: { id: string; newHash: string }) =>
    db
      .updateTable('users')
      .set({ password_hash: values.newHash })
      .where('id', '=', values.id)
      .where('email_verified_at', 'is not', null),
  1,
)

/** `StaleWrite` if the password has changed since it was checked. */
export const assertPasswordUnchanged = write(
  (db, values: { id: string; checkedHash: string }) =>
    db
      .updateTable('users')
      .set({ password_hash: values.checkedHash })
      .where('id', '=', values.id)
      .where('password_hash', '=', values.checkedHash),
  1,
)

/** `StaleWrite` if the password has changed since it was checked. */
export const changePassword = write(
  (db, values: { id: string; checkedHash: string; newHash: string }) =>
    db
      .updateTable('users')
      .set({ password_hash: values.newHash })
      .where('id', '=', values.id)
      .where('password_hash', '=', values.checkedHash),
  1,
)

/** The user's organizations, oldest membership first. */
export const listOrganizationsOfUser = query((db, values: { userId: string }) =>
  db
    .selectFrom('memberships')
    .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
    .select(['organizations.id', 'organizations.slug', 'organizations.name', 'memberships.role'])
    .where('memberships.user_id', '=', values.userId)
    .orderBy('memberships.created_at')
    .orderBy('memberships.organization_id'),
)
