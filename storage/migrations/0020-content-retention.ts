/** When the content of a run was removed, and which runs are next. Source: requirement 2, "Agent Run": content retention. */
import { type Kysely, sql } from 'kysely'

const statements = [
  sql`alter table runs add column content_removed_at bigint`,
  sql`create index runs_with_content on runs (retention_expires_at) where content_removed_at is null and state in ('completed', 'failed', 'canceled', 'expired')`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
