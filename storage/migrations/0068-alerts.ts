/**
 * Alerts: rules that watch runs, deliveries and budgets, and when each has fired. A notice may be about one.
 */
import { type Kysely, sql } from 'kysely'
import { isSqlite, referencesHold } from '../sqlite/fragments.ts'

const place = (which: 'old' | 'new') => `coalesce(${which}.environment_id, ${which}.organization_id)`
/** As `0038-fleet.ts` counts the other kinds. */
const count = (which: 'old' | 'new', by: string) =>
  `update actor_counts set count = count ${by} where place = ${place(which)} and kind = 'alert' and state = ${which}.state`
const born = `insert into actor_counts (place, kind, state, count)
  select ${place('new')}, 'alert', new.state, 0 where not exists
  (select 1 from actor_counts where place = ${place('new')} and kind = 'alert' and state = new.state)`

const statements = [
  sql`create table alert_rules (
    id               text    primary key,                               -- alr_…
    organization_id  text    not null references organizations (id) on delete cascade,
    project_id       text,
    environment_id   text    references environments (id) on delete cascade,  -- null: the organization as a whole
    name             text    not null,
    condition        text    not null,                                  -- JSON: what is watched for
    hold_ms          bigint  not null check (hold_ms >= 0),
    cool_down_ms     bigint  not null check (cool_down_ms >= 0),
    tells_webhooks   integer not null check (tells_webhooks in (0, 1)),
    tells_mail       integer not null check (tells_mail in (0, 1)),
    state            text    not null check (state in ('ok', 'pending', 'firing', 'cooling', 'disabled')),
    version          integer not null check (version > 0),              -- of the snapshot: compare-and-swap
    machine_version  text    not null,
    context          text    not null,                                  -- JSON: what the statechart decides on
    created_by_type  text    not null check (created_by_type in ('user', 'apiKey')),
    created_by_id    text    not null,
    created_at       bigint  not null,
    updated_at       bigint  not null,
    state_since      bigint,
    check ((project_id is null) = (environment_id is null))
  )`,
  sql`create index alert_rules_of_organization on alert_rules (organization_id, id)`,
  sql`create index alert_rules_of_environment on alert_rules (environment_id, id) where environment_id is not null`,
  sql`create index alert_rules_of_project on alert_rules (project_id, id) where project_id is not null`,
  sql`create index alert_rules_watched on alert_rules (id) where state <> 'disabled'`,
  sql`create index alert_rules_by_time_in_state on alert_rules
    (coalesce(environment_id, organization_id), state, coalesce(state_since, updated_at), id)`,
  sql`create table alert_incidents (
    id             text   primary key,                                  -- ali_…
    alert_rule_id  text   not null references alert_rules (id) on delete cascade,
    fired_at       bigint not null,
    value          double precision not null,                           -- what was measured when it fired
    resolved_at    bigint,
    resolution     text   check (resolution in ('cleared', 'changed', 'disabled')),
    check ((resolved_at is null) = (resolution is null))
  )`,
  sql`create index alert_incidents_of_rule on alert_incidents (alert_rule_id, id)`,
  ...[
    `create trigger alert_rules_come_to_place after insert on alert_rules
      begin ${born}; ${count('new', '+ 1')}; end`,
    `create trigger alert_rules_move_in_place after update of state on alert_rules when old.state <> new.state
      begin ${count('old', '- 1')}; ${born}; ${count('new', '+ 1')}; end`,
    `create trigger alert_rules_leave_place after delete on alert_rules
      begin ${count('old', '- 1')}; end`,
  ].map((text) => sql.raw(text)),
]

/** What a notice is about is the program's to say. SQLite changes a check in no other way than by building the table anew. */
async function openKinds(db: Kysely<unknown>): Promise<void> {
  if (!isSqlite(db)) {
    await sql`alter table notices drop constraint notices_kind_check`.execute(db)
    return
  }
  const { rows } = await sql<{ type: string; sql: string }>`select type, sql from sqlite_schema
    where tbl_name = 'notices' and sql is not null order by rowid`.execute(db)
  const [created, ...others] = rows
  if (created?.type !== 'table') throw new Error('There is no table notices.')
  const open = created.sql
    .replace(/^create table "?\w+"?/i, 'create table notices_rebuilt')
    .replace(/\s*check \(kind in \([^)]*\)\)/, '')
  const rebuild = [
    open,
    'insert into notices_rebuilt select * from notices',
    'drop table notices',
    'alter table notices_rebuilt rename to notices',
    ...others.map(({ sql: text }) => text),
  ]
  for (const statement of rebuild) await sql.raw(statement).execute(db)
  await referencesHold(db, ['notices', 'notice_mails'])
}

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
  await openKinds(db)
}
