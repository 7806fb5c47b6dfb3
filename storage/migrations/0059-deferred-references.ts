/**
 * The references of invocations and worker calls are checked at the end of the transaction. A table with triggers whose
 * references are checked at once makes SQLite copy every page that an insert changes, of eighteen trees: three quarters of
 * what an invocation's row costs.
 */
import { type Kysely, sql } from 'kysely'
import { isSqlite, referencesHold } from '../sqlite/fragments.ts'

const tables = ['operation_invocations', 'worker_calls']

/** Rebuilds the table from its own text: SQLite changes a reference in no other way. What refers to it does so by its name. */
async function deferReferences(db: Kysely<unknown>, table: string): Promise<void> {
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

export async function up(db: Kysely<unknown>): Promise<void> {
  if (!isSqlite(db)) return
  for (const table of tables) await deferReferences(db, table)
  await referencesHold(db, [...tables, 'operation_approvals'])
}
