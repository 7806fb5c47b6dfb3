/** Runs of workflows, and what they are given and give. Source: requirement 4.4; contract 6, `WorkflowRun`. */
import { type Kysely, sql } from 'kysely'
import { clustered } from '../sqlite/fragments.ts'

const states = "'running', 'waiting', 'unknown', 'canceling', 'completed', 'failed', 'canceled'"
const liveStates = "'running', 'waiting', 'unknown', 'canceling'"

const statements = (db: Kysely<unknown>) => [
  sql`create table workflow_runs (
    id                      text    primary key,                        -- wfr_…, sorts by creation
    organization_id         text    not null,
    project_id              text    not null,
    environment_id          text    not null references environments (id) on delete cascade,
    deployment_id           text    not null,
    agent_id                text    not null,
    definition_id           text    not null,
    definition_revision_id  text    not null,
    definition_name         text    not null,
    request_key             text,
    request_digest          text    not null,                           -- of the params
    actor_user_id           text,                                       -- whom it is run for
    created_by_type         text    not null,
    created_by_id           text    not null,
    state                   text    not null check (state in (${sql.raw(states)})),
    version                 integer not null check (version > 0),       -- of the snapshot: compare-and-swap
    machine_version         text    not null,
    context                 text    not null,                           -- JSON: what the statechart decides on
    created_at              bigint  not null,
    updated_at              bigint  not null
  )`,
  sql`create index workflow_runs_of_environment on workflow_runs (environment_id, id)`,
  sql`create unique index workflow_runs_by_request on workflow_runs (environment_id, request_key) where request_key is not null`,
  sql`create index workflow_runs_of_project on workflow_runs (project_id, id)`,
  sql`create index workflow_runs_of_agent on workflow_runs (organization_id, agent_id, id)`,
  sql`create index workflow_runs_live on workflow_runs (organization_id, agent_id) where state in (${sql.raw(liveStates)})`,
  sql`create table workflow_values (
    workflow_run_id  text not null references workflow_runs (id) on delete cascade,
    name             text not null,                                     -- params, output, or steps. and the id of a step
    value            text not null,                                     -- JSON
    primary key (workflow_run_id, name)
  ) ${clustered(db)}`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements(db)) await statement.execute(db)
}
