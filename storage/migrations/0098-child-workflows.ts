/** Workflow runs that are a step of another one. Source: contract 14, "Workflows". */
import { type Kysely, sql } from 'kysely'

const statements = [
  sql`alter table workflow_runs add column parent_run_id text`,
  sql`alter table workflow_runs add column parent_step_id text`,
  sql`alter table workflow_runs add column parent_attempt integer`,
  sql`alter table workflow_runs add column depth integer not null default 0`, // of runs above it
  sql`create unique index workflow_runs_of_step on workflow_runs (parent_run_id, parent_step_id, parent_attempt) where parent_run_id is not null`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
