/** Jobs that start a workflow, and the workflow runs of their ticks. Source: contract 14, "Workflows". */
import { type Kysely, sql } from 'kysely'
import { clustered } from '../sqlite/fragments.ts'

const liveStates = "'running', 'waiting', 'unknown', 'canceling'"

const statements = (db: Kysely<unknown>) => [
  sql`alter table agent_jobs add column workflow text`, // by name; null: it sends its query
  sql`alter table agent_jobs add column params text check ((params is null) = (workflow is null))`, // JSON
  // SQLite changes a check in no other way than by building the table anew
  sql`create table job_firings_rebuilt (
    job_id           text    not null references agent_jobs (id) on delete cascade,
    scheduled_for    bigint  not null,
    fired_at         bigint  not null,
    outcome          text    not null check (outcome in ('started', 'skipped_overlap', 'missed', 'failed')),
    agent_run_id     text,
    workflow_run_id  text    check (workflow_run_id is null or agent_run_id is null),
    primary key (job_id, scheduled_for),
    check ((outcome = 'started') = (agent_run_id is not null or workflow_run_id is not null))
  ) ${clustered(db)}`,
  sql`insert into job_firings_rebuilt (job_id, scheduled_for, fired_at, outcome, agent_run_id)
    select job_id, scheduled_for, fired_at, outcome, agent_run_id from job_firings`,
  sql`drop table job_firings`,
  sql`alter table job_firings_rebuilt rename to job_firings`,
  sql`alter table workflow_runs add column agent_job_id text`,
  sql`create index workflow_runs_by_job on workflow_runs (agent_job_id, id) where agent_job_id is not null`,
  sql`create index workflow_runs_live_of_job on workflow_runs (agent_job_id) where agent_job_id is not null
    and state in (${sql.raw(liveStates)})`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements(db)) await statement.execute(db)
}
