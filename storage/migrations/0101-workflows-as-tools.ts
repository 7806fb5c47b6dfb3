/** Workflow runs that are calls of an Agent's run. Source: contract 14, "Workflows". */
import { type Kysely, sql } from 'kysely'

const statements = [
  sql`alter table workflow_runs add column agent_run_id text`,
  sql`alter table workflow_runs add column tool_call_id text`,
  sql`alter table workflow_runs add column run_chain integer`, // the run's chain of attempts that made the call
  sql`create unique index workflow_runs_of_call on workflow_runs (agent_run_id, tool_call_id) where agent_run_id is not null`,
  sql`create index workflow_runs_of_calls_live on workflow_runs (id) where agent_run_id is not null
    and state in ('running', 'waiting', 'unknown')`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
