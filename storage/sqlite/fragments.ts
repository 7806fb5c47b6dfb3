/** Fragments of table definitions that differ between SQLite and other engines. */
import { type Expression, type Kysely, type RawBuilder, type SqlBool, SqliteAdapter, sql } from 'kysely'
import type { Compilable } from '../store.ts'

/** Whether the SQL is for SQLite. */
export const isSqlite = <Tables>(db: Kysely<Tables>) => db.getExecutor().adapter instanceof SqliteAdapter

/**
 * Stores a table in the order of its primary key, without a second tree for the rows: for narrow tables that are read and
 * written only by key. Empty for other engines.
 */
export const clustered = (db: Kysely<unknown>): RawBuilder<unknown> => (isSqlite(db) ? sql`without rowid` : sql``)

/**
 * A hint that few of the rows that meet the other conditions meet this one. SQLite has no statistics about our tables: it
 * hardly prefers an index that includes one more column, and may choose a smaller one.
 */
export const rare = <Tables>(db: Kysely<Tables>, condition: Expression<SqlBool>): Expression<SqlBool> =>
  isSqlite(db) ? sql<boolean>`unlikely(${condition})` : condition

/** A column that must not be looked up by an index: another condition already leaves few rows. */
export const unindexed = <Tables>(db: Kysely<Tables>, column: string): RawBuilder<string> =>
  isSqlite(db) ? sql<string>`+${sql.ref(column)}` : sql<string>`${sql.ref(column)}`

/**
 * An insert or update of one row of a table with triggers, for the hot path. SQLite copies every page that such a statement
 * changes, to be able to undo the statement alone; here its failure may undo the whole unit of work.
 */
export const withUnit = <Tables>(db: Kysely<Tables>, statement: Compilable): Compilable =>
  isSqlite(db)
    ? {
        compile: () => {
          const compiled = statement.compile()
          return { ...compiled, sql: compiled.sql.replace(/^(insert|update)\b/, '$1 or fail') }
        },
      }
    : statement

/** Removes what `immutable` created. */
export const mutable = (db: Kysely<unknown>, table: string): RawBuilder<unknown> =>
  sql.raw(`drop trigger ${table}_are_immutable${isSqlite(db) ? '' : ` on ${table}`}`)

/** Rows can be added and removed; of their columns only `counts` may change, and only increase. */
export function immutableBut(
  table: string,
  { columns, counts }: { columns: readonly string[]; counts: string },
): RawBuilder<unknown>[] {
  const refuse = `begin select raise(abort, 'rows of ${table} are immutable'); end`
  return [
    sql.raw(`create trigger ${table}_are_immutable before update of ${columns.join(', ')} on ${table} ${refuse}`),
    sql.raw(
      `create trigger ${table}_only_count_up before update of ${counts} on ${table} when new.${counts} < old.${counts} ${refuse}`,
    ),
  ]
}

/** Rows of this table can be added and removed, but never changed: an UPDATE fails. Source: requirement 9.2. */
export function immutable(table: string): RawBuilder<unknown> {
  return sql.raw(
    `create trigger ${table}_are_immutable before update on ${table} begin select raise(abort, 'rows of ${table} are immutable'); end`,
  )
}

/** Removes the `unique` constraint of a column by the name that PostgreSQL gives it. SQLite cannot. */
export const droppedUnique = (table: string, column: string): RawBuilder<unknown> =>
  sql`alter table ${sql.table(table)} drop constraint ${sql.ref(`${table}_${column}_key`)}`

/**
 * Throws if a row of these tables refers to a missing row: for SQLite, whose migrations run with unchecked references, since
 * they rebuild tables that others refer to.
 */
export async function referencesHold(db: Kysely<unknown>, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    const { rows } = await sql`pragma foreign_key_check(${sql.table(table)})`.execute(db)
    if (rows.length > 0) throw new Error(`rows of ${table} refer to rows that are not there (${rows.length})`)
  }
}

/**
 * Runs work with unchecked references: while they are checked, dropping a table to rebuild it removes all rows that refer to
 * it. SQLite can switch the check only outside of transactions. Other engines just run the work.
 */
export async function withoutReferences<Value>(db: Kysely<unknown>, work: () => Promise<Value>): Promise<Value> {
  if (!isSqlite(db)) return work()
  await sql`pragma foreign_keys = off`.execute(db)
  try {
    return await work()
  } finally {
    await sql`pragma foreign_keys = on`.execute(db)
  }
}
