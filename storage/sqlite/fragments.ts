/** Fragments of table definitions that only SQLite knows. */
import { type Kysely, type RawBuilder, SqliteAdapter, sql } from 'kysely'

const isSqlite = (db: Kysely<unknown>) => db.getExecutor().adapter instanceof SqliteAdapter

/**
 * Keeps a table in the order of its primary key, without a second tree for the rows: for narrow tables that are read and
 * written by their key alone. Nothing on other engines.
 */
export const clustered = (db: Kysely<unknown>): RawBuilder<unknown> => (isSqlite(db) ? sql`without rowid` : sql``)

/** Takes back what `immutable` has said. */
export const mutable = (db: Kysely<unknown>, table: string): RawBuilder<unknown> =>
  sql.raw(`drop trigger ${table}_are_immutable${isSqlite(db) ? '' : ` on ${table}`}`)

/** Rows can be added and removed; of the columns only `counts` may change, and only grow. */
export function immutableBut(
  db: Kysely<unknown>,
  table: string,
  { columns, counts }: { columns: readonly string[]; counts: string },
): RawBuilder<unknown>[] {
  if (!isSqlite(db)) throw new Error('Immutable tables are written for SQLite only so far.')
  const refuse = `begin select raise(abort, 'rows of ${table} are immutable'); end`
  return [
    sql.raw(`create trigger ${table}_are_immutable before update of ${columns.join(', ')} on ${table} ${refuse}`),
    sql.raw(
      `create trigger ${table}_only_count_up before update of ${counts} on ${table} when new.${counts} < old.${counts} ${refuse}`,
    ),
  ]
}

/** Rows of this table can be added and removed, and never changed: an UPDATE fails. Source: requirement 9.2. */
export function immutable(db: Kysely<unknown>, table: string): RawBuilder<unknown> {
  if (!isSqlite(db)) throw new Error('Immutable tables are written for SQLite only so far.')
  return sql.raw(
    `create trigger ${table}_are_immutable before update on ${table} begin select raise(abort, 'rows of ${table} are immutable'); end`,
  )
}
