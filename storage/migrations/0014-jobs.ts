/**
 * Agent jobs: a query that an Agent is asked on a schedule, and what came of its last ticks. Source: requirement 4.9, 5;
 * contract 6.
 */
import { type Kysely, sql } from 'kysely'
import { clustered } from '../sqlite/fragments.ts'

const statements = (db: Kysely<unknown>) => [
  sql`create table agent_jobs (
    id               text    primary key,                               -- job_…
    organization_id  text    not null,
    project_id       text    not null,
    environment_id   text    not null references environments (id) on delete cascade,
    agent_id         text    not null references agents (id) on delete cascade,
    name             text    not null,
    cron             text    not null,                                  -- five fields
    timezone         text    not null,                                  -- IANA
    query            text    not null,
    overlap          text    not null check (overlap in ('skip', 'allow')),
    state            text    not null check (state in ('disabled', 'scheduled', 'firing')),
    version          integer not null check (version > 0),              -- of the snapshot: compare-and-swap
    machine_version  text    not null,
    context          text    not null,                                  -- JSON: what the statechart decides on
    enabled          integer not null check (enabled in (0, 1)),
    next_run_at      bigint,                                            -- null while a tick is dealt with
    created_at       bigint  not null,
    updated_at       bigint  not null,                                  -- ticks change nothing about it
    check (enabled = 1 or next_run_at is null)
  )`,
  sql`create index agent_jobs_of_environment on agent_jobs (environment_id, id)`,
  sql`create index agent_jobs_of_agent on agent_jobs (agent_id, id)`,
  // At most one run for each tick.
  sql`create table job_firings (
    job_id         text    not null references agent_jobs (id) on delete cascade,
    scheduled_for  bigint  not null,
    fired_at       bigint  not null,
    outcome        text    not null check (outcome in ('started', 'skipped_overlap', 'missed', 'failed')),
    agent_run_id   text,
    primary key (job_id, scheduled_for),
    check ((outcome = 'started') = (agent_run_id is not null))
  ) ${clustered(db)}`,
  // Whether a job has a run that has not ended.
  sql`create index runs_live_of_job on runs (agent_job_id) where agent_job_id is not null
    and state in ('queued', 'acquiring', 'starting', 'running', 'awaitingToolResult', 'awaitingDelegateResult', 'canceling')`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements(db)) await statement.execute(db)
}
