/**
 * Traces: the span of what outlives processes, stored with it at its admission, and spans that have ended and are not exported
 * yet. Source: contract 13, "Traces".
 */
import { type Kysely, sql } from 'kysely'
import { isSqlite } from '../sqlite/fragments.ts'

const statements = (db: Kysely<unknown>) => [
  // null: without a trace
  sql`alter table runs add column trace text`,
  sql`alter table workflow_runs add column trace text`,
  sql`alter table operation_invocations add column trace text`,
  // a row is there for some seconds: from the commit that ends its spans until they are exported or dropped
  sql`create table trace_spans (
    id          ${isSqlite(db) ? sql`integer` : sql`bigint`} primary key,
    server      text   not null,
    spans       text   not null,
    created_at  bigint not null
  )`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements(db)) await statement.execute(db)
}
