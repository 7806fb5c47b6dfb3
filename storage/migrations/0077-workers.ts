/**
 * Workers of an Environment, as they last asked or reported, whichever server they asked: for people to see. A row is
 * written every 20 seconds at most. Source: contract 11, "shows who serves which queue".
 */
import { type Kysely, sql } from 'kysely'
import { clustered } from '../sqlite/fragments.ts'

const statements = (db: Kysely<unknown>) => [
  sql`create table workers (
    environment_id  text    not null references environments (id) on delete cascade,
    queue           text    not null,
    worker_id       text    not null,                                   -- what it calls itself
    operations      text,                                               -- JSON; null: all of the queue
    slots           integer not null check (slots > 0),                 -- how many calls it last asked for
    last_seen_at    bigint  not null,
    primary key (environment_id, queue, worker_id)
  ) ${clustered(db)}`,
  sql`create index workers_by_age on workers (last_seen_at)`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements(db)) await statement.execute(db)
}
