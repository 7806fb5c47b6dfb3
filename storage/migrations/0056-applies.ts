/**
 * Applies: manifests on their way into an Environment, and what they have made. Source: contract 10, "Apply".
 */
import { type Kysely, sql } from 'kysely'
import { clustered } from '../sqlite/fragments.ts'

/** As `0038-fleet.ts` counts the other kinds. */
const count = (which: 'old' | 'new', by: string) =>
  `update actor_counts set count = count ${by} where place = ${which}.environment_id and kind = 'apply' and state = ${which}.state`
const born = `insert into actor_counts (place, kind, state, count)
  select new.environment_id, 'apply', new.state, 0 where not exists
  (select 1 from actor_counts where place = new.environment_id and kind = 'apply' and state = new.state)`

const statements = (db: Kysely<unknown>) => [
  sql`create table applies (
    id                         text    primary key,                     -- apl_…
    organization_id            text    not null,
    project_id                 text    not null,
    environment_id             text    not null references environments (id) on delete cascade,
    request                    text    not null,                        -- JSON: what was asked for, without the manifest
    plan                       text    not null,                        -- JSON
    release_id                 text,
    deployment_id              text,
    activation_id              text,
    state                      text    not null check (state in
      ('planned', 'writing', 'releasing', 'configuring', 'deploying', 'activating', 'applied', 'failed', 'canceled')),
    version                    integer not null check (version > 0),    -- of the snapshot: compare-and-swap
    machine_version            text    not null,
    context                    text    not null,                        -- JSON: what the statechart decides on
    created_by_type            text    not null check (created_by_type in ('user', 'apiKey')),
    created_by_id              text    not null,
    created_at                 bigint  not null,
    updated_at                 bigint  not null,
    state_since                bigint
  )`,
  sql`create unique index applies_in_progress on applies (environment_id)
    where state not in ('applied', 'failed', 'canceled')`,
  sql`create index applies_of_environment on applies (environment_id, organization_id, id)`,
  sql`create index applies_of_project on applies (project_id, organization_id, id)`,
  sql`create index applies_of_organization on applies (organization_id, id)`,
  sql`create index applies_applied on applies (environment_id, id) where state = 'applied' and deployment_id is not null`,
  sql`create index applies_deploying on applies (deployment_id) where state = 'deploying'`,
  sql`create index applies_by_time_in_state on applies (environment_id, state, coalesce(state_since, updated_at), id)`,
  sql`create table apply_manifests (
    apply_id  text  primary key references applies (id) on delete cascade,
    sealed    text  not null
  ) ${clustered(db)}`,
  sql`create table applied_resources (
    resource_id  text  primary key,
    project_id   text  not null references projects (id) on delete cascade
  ) ${clustered(db)}`,
  sql`create index applied_resources_of_project on applied_resources (project_id, resource_id)`,
  ...[
    `create trigger applies_come_to_place after insert on applies
      begin ${born}; ${count('new', '+ 1')}; end`,
    `create trigger applies_move_in_place after update of state on applies when old.state <> new.state
      begin ${count('old', '- 1')}; ${born}; ${count('new', '+ 1')}; end`,
    `create trigger applies_leave_place after delete on applies
      begin ${count('old', '- 1')}; end`,
  ].map((text) => sql.raw(text)),
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements(db)) await statement.execute(db)
}
