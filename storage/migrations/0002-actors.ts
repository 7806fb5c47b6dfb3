/** What every actor has besides its own row: journal, timers, effects. Source: design 3. */
import { type Kysely, sql } from 'kysely'
import { clustered } from '../sqlite/fragments.ts'

const statements = (db: Kysely<unknown>) => [
  sql`create table transitions (
    kind        text    not null,
    actor_id    text    not null,
    sequence    integer not null check (sequence > 0),                  -- 1, 2, 3 … for each actor, no gaps
    from_state  text,
    to_state    text    not null,
    event       text    not null,
    by_type     text    not null,
    by_id       text    not null,
    attempt     integer not null,
    reason      text,                                                   -- JSON: code, message
    at          bigint  not null,
    stream_sequence  integer,                                           -- its number in the resource's own stream
    primary key (actor_id, kind, sequence)
  ) ${clustered(db)}`,
  sql`create table timers (
    kind      text   not null,
    actor_id  text   not null,
    name      text   not null,                                          -- the statechart's name for the delay
    due_at    bigint not null,
    primary key (actor_id, kind, name)
  ) ${clustered(db)}`,
  sql`create index timers_due on timers (due_at)`,
  sql`create table effects (
    id        text    primary key,                                      -- the same on every repetition
    kind      text    not null,
    actor_id  text    not null,
    name      text    not null,
    params    text    not null,                                         -- JSON
    due_at    bigint  not null,
    attempts  integer not null default 0
  )`,
  sql`create index effects_due on effects (due_at)`,
  sql`create table idempotency_keys (
    scope        text    primary key,                                   -- route, organization, user and key
    fingerprint  text    not null,
    status       integer not null,
    body         text    not null,
    created_at   bigint  not null,
    expires_at   bigint  not null
  )`,
  sql`create index idempotency_keys_expiry on idempotency_keys (expires_at)`,
  sql`create table counters (
    name  text   primary key,
    next  bigint not null
  ) ${clustered(db)}`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements(db)) await statement.execute(db)
}
