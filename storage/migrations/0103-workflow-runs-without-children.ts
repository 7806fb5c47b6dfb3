/** Lists workflow runs without those that are steps of others. Source: contract 14, "Workflows". */
import { type Kysely, sql } from 'kysely'

const statements = [
  sql`create index workflow_runs_first_of_actor on workflow_runs (environment_id, actor_user_id, id) where parent_run_id is null`,
  sql`create index workflow_runs_first_of_actor_by_state on workflow_runs (environment_id, actor_user_id, state, id) where parent_run_id is null`,
  sql`create index workflow_runs_first_of_actor_by_agent on workflow_runs (environment_id, actor_user_id, agent_id, id) where parent_run_id is null`,
  sql`create index workflow_runs_first_of_actor_by_agent_and_state on workflow_runs (environment_id, actor_user_id, agent_id, state, id)
    where parent_run_id is null`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
