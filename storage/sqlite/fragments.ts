/** SQL fragments for table definitions and statements; most of them differ between SQLite and other engines. */
import { type Expression, type Kysely, type RawBuilder, type SqlBool, SqliteAdapter, sql } from 'kysely'

/** Whether the SQL is for SQLite. */
export const isSqlite = <Tables>(db: Kysely<Tables>) => db.getExecutor().adapter instanceof SqliteAdapter

/**
 * Stores a table in primary key order (`without rowid`), without a second B-tree for the rows: for narrow tables that
 * are read and written only by key. Empty for other engines.
 */
export const clustered = (db: Kysely<unknown>): RawBuilder<unknown> => (isSqlite(db) ? sql`without rowid` : sql``)

/**
 * Tells the query planner that few of the rows that match the other conditions match this one. SQLite has no statistics
 * about our tables: it barely prefers an index with one more column, and may choose a narrower one.
 */
export const rare = <Tables>(db: Kysely<Tables>, condition: Expression<SqlBool>): Expression<SqlBool> =>
  isSqlite(db) ? sql<boolean>`unlikely(${condition})` : condition

/** A column for which no index may be used: another condition already leaves few rows. */
export const unindexed = <Tables>(db: Kysely<Tables>, column: string): RawBuilder<string> =>
  isSqlite(db) ? sql<string>`+${sql.ref(column)}` : sql<string>`${sql.ref(column)}`

/**
 * The text of a write as part of a unit of work. SQLite copies every page that a write to several rows, or to a table with
 * triggers, changes, so that it can undo the statement alone. With `or fail` it does not: a failure undoes the whole
 * unit.
 */
export const inUnit = <Tables>(db: Kysely<Tables>, text: string): string =>
  isSqlite(db) ? text.replace(/^(insert|update)\b/, '$1 or fail') : text

/** Drops the trigger that `immutable` created. */
export const mutable = (db: Kysely<unknown>, table: string): RawBuilder<unknown> =>
  sql.raw(`drop trigger ${table}_are_immutable${isSqlite(db) ? '' : ` on ${table}`}`)

/** Rows can be inserted and deleted, but an UPDATE of `columns` fails, and `counts` may only increase. */
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

/** Rows of this table can be inserted and deleted, but an UPDATE fails. Source: requirement 9.2. */
export function immutable(table: string): RawBuilder<unknown> {
  return sql.raw(
    `create trigger ${table}_are_immutable before update on ${table} begin select raise(abort, 'rows of ${table} are immutable'); end`,
  )
}

/** Drops a column's `unique` constraint by the name that PostgreSQL gives it. SQLite cannot drop constraints. */
export const droppedUnique = (table: string, column: string): RawBuilder<unknown> =>
  sql`alter table ${sql.table(table)} drop constraint ${sql.ref(`${table}_${column}_key`)}`

/**
 * Throws if a row of these tables refers to a missing row. For SQLite, whose migrations run with foreign keys off,
 * since they rebuild tables that others refer to.
 */
export async function referencesHold(db: Kysely<unknown>, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    const { rows } = await sql`pragma foreign_key_check(${sql.table(table)})`.execute(db)
    if (rows.length > 0) throw new Error(`rows of ${table} refer to rows that are not there (${rows.length})`)
  }
}

/**
 * Has the references of an SQLite table checked at the end of the transaction. Rebuilds the table from its own text: SQLite
 * changes a reference in no other way. What refers to it does so by its name.
 */
export async function deferReferences(db: Kysely<unknown>, table: string): Promise<void> {
  const { rows } = await sql<{ type: string; sql: string }>`select type, sql from sqlite_schema
    where tbl_name = ${table} and sql is not null order by rowid`.execute(db)
  const [created, ...others] = rows
  if (created?.type !== 'table') throw new Error(`There is no table ${table}.`)
  const deferred = created.sql
    .replace(/^create table "?\w+"?/i, `create table ${table}_rebuilt`)
    .replace(/on delete cascade(?! deferrable)/g, 'on delete cascade deferrable initially deferred')
  const statements = [
    deferred,
    `insert into ${table}_rebuilt select * from ${table}`,
    `drop table ${table}`,
    `alter table ${table}_rebuilt rename to ${table}`,
    ...others.map(({ sql: text }) => text),
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

/**
 * Runs work with foreign keys off: with foreign keys on, dropping a table to rebuild it deletes all rows that refer to
 * it. SQLite can switch them only outside a transaction. Other engines just run the work.
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
