/** Users. Source: requirement 2; contract 1, "User". */
import { query, write } from './statement.ts'
import type { UserRow } from './tables.ts'

export const insertUser = write((db, row: UserRow) => db.insertInto('users').values(row))

/** Some user; no row in a store that nobody has used yet. */
export const anyUser = query((db, _values: object) => db.selectFrom('users').select('id').limit(1))
