/** Finds operation invocations and runs of workflows that ended long ago. Source: contract 9, "Configuration". */
import { type Kysely, sql } from 'kysely'

const statements = [
  sql`create index operation_invocations_ended on operation_invocations (updated_at) where state in ('succeeded', 'failed', 'rejected', 'unknown')`,
  sql`create index workflow_runs_ended on workflow_runs (updated_at) where state in ('completed', 'failed', 'canceled')`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
