/** How far a removal has come, and which runs have ended long ago. Source: contract 9, "Background work". */
import { type Kysely, sql } from 'kysely'

const statements = [
  sql`alter table deletions add column runs_counted bigint not null default 0`,
  // Runs are counted in the order of their ids; null: all are.
  sql`alter table deletions add column counted_to text default ''`,
  sql`alter table deletions add column runs_removed bigint not null default 0`,
  // Of all other sorts.
  sql`alter table deletions add column records_removed bigint not null default 0`,
  sql`create index runs_ended on runs (updated_at) where state in ('completed', 'failed', 'canceled', 'expired')`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
