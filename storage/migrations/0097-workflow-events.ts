/** Events for steps of workflows that wait for one, and these waits. Source: contract 14, "Workflows". */
import { type Kysely, sql } from 'kysely'
import { clustered } from '../sqlite/fragments.ts'

const statements = (db: Kysely<unknown>) => [
  sql`create table workflow_events (
    id               text    primary key,                              -- wev_…, sorts by creation
    organization_id  text    not null,
    environment_id   text    not null references environments (id) on delete cascade,
    event            text    not null,
    correlation      text    not null,
    data             text    not null,                                 -- JSON
    is_kept          integer not null check (is_kept in (0, 1)),       -- no wait was given it yet
    created_at       bigint  not null
  )`,
  sql`create index workflow_events_of_environment on workflow_events (environment_id, id)`,
  sql`create index workflow_events_by_age on workflow_events (created_at)`,
  sql`create index workflow_events_kept on workflow_events (environment_id, event, correlation, id) where is_kept = 1`,
  sql`create table workflow_waits (
    workflow_run_id  text    not null references workflow_runs (id) on delete cascade,
    step_id          text    not null,
    attempt          integer not null,
    environment_id   text    not null,
    event            text    not null,
    correlation      text    not null,
    until_at         bigint  not null,
    event_id         text,                                             -- that it was given
    primary key (workflow_run_id, step_id)
  ) ${clustered(db)}`,
  sql`create index workflow_waits_open on workflow_waits (environment_id, event, correlation) where event_id is null`,
  sql`create index workflow_waits_given on workflow_waits (event_id) where event_id is not null`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements(db)) await statement.execute(db)
}
