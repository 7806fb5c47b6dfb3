/** Users. Source: requirement 2; contract 1, "User". */
import { query, write } from './statement.ts'
import type { UserRow } from './tables.ts'

export const insertUser = write((db, row: UserRow) => db.insertInto('users').values(row))

/** Some user; no row in a store that nobody has used yet. */
export const anyUser = query((db, _values: object) => db.selectFrom('users').select('id').limit(1))

export const findUser = query((db, values: { id: string }) =>
  db.selectFrom('users').selectAll().where('id', '=', values.id),
)

/** The user with this address, in lower case. */
export const findUserByEmail = query((db, values: { email: string }) =>
  db.selectFrom('users').selectAll().where('email', '=', values.email),
)

/** Fails the unit of work unless the user's password is still the one that was checked. */
export const assertPasswordUnchanged = write(
  (db, values: { id: string; checkedHash: string }) =>
    db
      .updateTable('users')
      .set({ password_hash: values.checkedHash })
      .where('id', '=', values.id)
      .where('password_hash', '=', values.checkedHash),
  1,
)

/** Fails the unit of work unless the user's password is still the one that was checked. */
export const changePassword = write(
  (db, values: { id: string; checkedHash: string; newHash: string }) =>
    db
      .updateTable('users')
      .set({ password_hash: values.newHash })
      .where('id', '=', values.id)
      .where('password_hash', '=', values.checkedHash),
  1,
)

/** Where the user belongs, the oldest membership first. */
export const listOrganizationsOfUser = query((db, values: { userId: string }) =>
  db
    .selectFrom('memberships')
    .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
    .select(['organizations.id', 'organizations.slug', 'organizations.name', 'memberships.role'])
    .where('memberships.user_id', '=', values.userId)
    .orderBy('memberships.created_at')
    .orderBy('memberships.organization_id'),
)
