/**
 * The history of Environments: when each number was taken, which life of the history it is, and what every Environment has
 * yet to be told. Source: requirement 4.12, 6; contract 7; contract 5, "System Agents".
 */
import { type Kysely, sql } from 'kysely'
import { clustered } from '../sqlite/fragments.ts'

const statements = (db: Kysely<unknown>) => [
  // Of the last event; it never goes back, so that what is older than the retention is always a beginning of the history.
  sql`alter table environment_sequences add column at bigint not null default 0`,
  // One row. The generation grows when events are lost in another way than by their age: all cursors end with it.
  sql`create table history (
    id          integer primary key check (id = 1),
    generation  integer not null check (generation > 0)
  )`,
  sql`insert into history (id, generation) values (1, 1)`,
  sql`create index live_runs_of_environment on runs (environment_id, id)
    where environment_id is not null and state not in ('completed', 'failed', 'canceled', 'expired')`,
  // What every active Environment is to be told, and how far that has come.
  sql`create table announcements (
    id            integer primary key,
    type          text    not null,
    subject_type  text    not null,
    subject_id    text    not null,
    actor_type    text    not null,
    actor_id      text    not null,
    data          text    not null,                                     -- JSON
    at            bigint  not null,
    told_up_to    text    not null                                      -- an Environment's id; empty at first
  )`,
  sql`create table disabled_system_agents (
    agent_id     text   primary key,                                    -- agt_system_…
    disabled_at  bigint not null
  ) ${clustered(db)}`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements(db)) await statement.execute(db)
}
