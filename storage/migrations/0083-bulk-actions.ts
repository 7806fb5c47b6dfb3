/** Bulk actions, the runs that each has still to act on, and which of these are done; and what a run was forked from. */
import { type Kysely, sql } from 'kysely'
import { clustered } from '../sqlite/fragments.ts'

const place = (which: 'old' | 'new') => `coalesce(${which}.environment_id, ${which}.organization_id)`
/** As `0038-fleet.ts` counts the other kinds. */
const count = (which: 'old' | 'new', by: string) =>
  `update actor_counts set count = count ${by} where place = ${place(which)} and kind = 'bulk-action' and state = ${which}.state`
const born = `insert into actor_counts (place, kind, state, count)
  select ${place('new')}, 'bulk-action', new.state, 0 where not exists
  (select 1 from actor_counts where place = ${place('new')} and kind = 'bulk-action' and state = new.state)`

const statements = (db: Kysely<unknown>) => [
  sql`create table bulk_actions (
    id               text    primary key,                               -- blk_…
    organization_id  text    not null references organizations (id) on delete cascade,
    project_id       text,                                              -- the part that it is confined to: null, all
    environment_id   text,
    agent_id         text,
    action           text    not null check (action in ('cancel', 'continue', 'fork')),
    filter           text    not null,                                  -- JSON: as it was asked for
    query            text,                                              -- what runs are continued or forked with
    runs_max         integer not null check (runs_max > 0),
    dry_run          integer not null check (dry_run in (0, 1)),
    request_id       text    not null,
    request_id_from  text,
    state            text    not null check (state in ('running', 'completed', 'canceled', 'failed')),
    version          integer not null check (version > 0),              -- of the snapshot: compare-and-swap
    machine_version  text    not null,
    context          text    not null,                                  -- JSON: what the statechart decides on
    created_by_type  text    not null check (created_by_type in ('user', 'apiKey')),
    created_by_id    text    not null,
    user_id          text    not null,                                  -- of a key: who made it
    created_at       bigint  not null,
    updated_at       bigint  not null,
    state_since      bigint
  )`,
  sql`create index bulk_actions_of_organization on bulk_actions (organization_id, id)`,
  sql`create index bulk_actions_of_project on bulk_actions (project_id, id) where project_id is not null`,
  sql`create index bulk_actions_running on bulk_actions (organization_id) where state = 'running'`,
  sql`create index bulk_actions_ended on bulk_actions (updated_at) where state <> 'running'`,
  sql`create index bulk_actions_by_time_in_state on bulk_actions
    (coalesce(environment_id, organization_id), state, coalesce(state_since, updated_at), id)`,
  // No reference: they are written before the action begins.
  sql`create table bulk_action_pieces (
    bulk_action_id  text    not null,
    piece           integer not null,
    runs            text    not null,                                   -- JSON: ids, oldest first
    primary key (bulk_action_id, piece)
  ) ${clustered(db)}`,
  // Of the piece that is under way: written with what was done to the run.
  sql`create table bulk_action_marks (
    bulk_action_id  text    not null references bulk_actions (id) on delete cascade,
    agent_run_id    text    not null,
    primary key (bulk_action_id, agent_run_id)
  ) ${clustered(db)}`,
  ...[
    `create trigger bulk_actions_come_to_place after insert on bulk_actions
      begin ${born}; ${count('new', '+ 1')}; end`,
    `create trigger bulk_actions_move_in_place after update of state on bulk_actions when old.state <> new.state
      begin ${count('old', '- 1')}; ${born}; ${count('new', '+ 1')}; end`,
    `create trigger bulk_actions_leave_place after delete on bulk_actions
      begin ${count('old', '- 1')}; end`,
  ].map((text) => sql.raw(text)),
  sql`alter table runs add column forked_from text`,
  sql`alter table runs add column forked_at_checkpoint integer`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements(db)) await statement.execute(db)
}
