/**
 * Agent runs with their steps, checkpoints and stream. Source: requirement 2, 4.14; contract 5.
 * What belongs to a run is written only by its actor, in the same unit of work as the run itself; a foreign key would
 * look that up again for each row, which costs as much as the row.
 */
import { type Kysely, sql } from 'kysely'
import { clustered } from '../sqlite/fragments.ts'

const states =
  "'queued', 'acquiring', 'starting', 'running', 'awaitingToolResult', 'awaitingDelegateResult', 'canceling', 'completed', 'failed', 'canceled', 'expired'"

const statements = (db: Kysely<unknown>) => [
  sql`create table system_agent_revisions (
    agent_id           text    not null,                                -- agt_system_…
    number             integer not null,
    agent_revision_id  text    not null unique,                         -- agr_…
    content_digest     text    not null,
    content            text    not null,                                -- JSON: AgentContent
    created_at         bigint  not null,
    primary key (agent_id, number)
  )`,
  sql`create table runs (
    id                    text    primary key,                          -- run_…, sorts by creation
    organization_id       text    not null,
    project_id            text,
    environment_id        text,
    deployment_id         text,
    agent_id              text    not null,
    agent_revision_id     text    not null,
    agent_job_id          text,
    created_by_type       text    not null,
    created_by_id         text    not null,
    subject_user_id       text,
    state                 text    not null check (state in (${sql.raw(states)})),
    version               integer not null check (version > 0),         -- of the snapshot: compare-and-swap
    machine_version       text    not null,
    context               text    not null,                             -- JSON: what the statechart decides on
    binding               text    not null,                             -- JSON: provider, model, credential source
    input_digest          text    not null,
    output_digest         text,
    runtime_version       text    not null,
    retention_expires_at  bigint  not null,
    available_at          bigint  not null,                             -- earliest next lease
    last_activity_kind    text    not null,
    last_activity_at      bigint  not null,
    created_at            bigint  not null,
    updated_at            bigint  not null,
    check (environment_id is null or project_id is not null)
  )`,
  sql`create index runs_by_creation on runs (organization_id, id)`,
  sql`create index runs_by_update on runs (organization_id, updated_at, id)`,
  sql`create index runs_by_agent on runs (organization_id, agent_id, id)`,
  sql`create index runs_by_state on runs (organization_id, state, id)`,
  sql`create index runs_by_creator on runs (organization_id, created_by_id, id)`,
  sql`create index runs_by_project on runs (project_id, id) where project_id is not null`,
  sql`create index runs_by_environment on runs (environment_id, id) where environment_id is not null`,
  sql`create index runs_by_job on runs (agent_job_id, id) where agent_job_id is not null`,
  sql`create index runs_queued on runs (organization_id, available_at, id) where state = 'queued'`,
  sql`create index runs_attempted on runs (id) where state in ('acquiring', 'starting', 'running', 'canceling')`,
  sql`create table run_inputs (
    run_id      text    not null,
    chain       integer not null,                                       -- 1 for the start, one more for each continue
    body        text    not null,                                       -- JSON
    created_at  bigint  not null,
    primary key (run_id, chain)
  ) ${clustered(db)}`,
  // In the order of arrival, not of the key: what many runs write at once then lies on few pages.
  sql`create table run_events (
    run_id          text    not null,
    first_sequence  integer not null,
    last_sequence   integer not null,
    frames          text    not null,                                   -- JSON: the frames from first to last
    primary key (run_id, first_sequence),
    check (first_sequence > 0 and last_sequence >= first_sequence)
  )`,
  sql`create table agent_steps (
    agent_step_id         integer primary key,
    run_id                text    not null,
    parent_agent_step_id  integer,
    kind                  text    not null check (kind in ('agent', 'model', 'tool', 'delegate')),
    name                  text    not null,
    status                text    not null check (status in ('running', 'waiting', 'completed', 'failed', 'canceled')),
    attempt               integer not null,
    agent                 text    not null,                             -- JSON
    execution             text    not null,                             -- JSON
    token_usage           text    not null,                             -- JSON
    input                 text,                                         -- JSON
    output                text,                                         -- JSON
    error                 text,                                         -- JSON: code, message
    last_checkpoint_id    integer,
    started_at            bigint  not null,
    ended_at              bigint,
    created_at            bigint  not null,
    updated_at            bigint  not null
  )`,
  sql`create index agent_steps_of_run on agent_steps (run_id, parent_agent_step_id, agent_step_id)`,
  sql`create table checkpoints (
    checkpoint_id       integer primary key,
    run_id              text    not null,
    agent_step_id       integer not null,
    attempt             integer not null,
    sequence            integer not null,                               -- 1, 2, 3 … in the run
    kind                text    not null check (kind in ('step', 'suspended', 'final')),
    digest              text    not null,
    size_bytes          integer not null,
    base_checkpoint_id  integer,
    messages            text    not null,                               -- JSON: those after the base's
    message_count       integer not null,
    remainder           text    not null,                               -- JSON
    created_at          bigint  not null,
    unique (run_id, sequence)
  )`,
  sql`create table call_results (
    run_id        text   not null,
    tool_call_id  text   not null,
    outcome       text   not null,                                      -- JSON: result or error
    created_at    bigint not null,
    primary key (run_id, tool_call_id)
  ) ${clustered(db)}`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements(db)) await statement.execute(db)
}
