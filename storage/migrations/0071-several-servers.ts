/**
 * What servers that share a store in PostgreSQL know of each other: who is there, which slots of the work are whose, and what
 * became of transactions whose answer was lost. A store in SQLite has one server, which does everything.
 */
import { type Kysely, sql } from 'kysely'
import { isSqlite } from '../sqlite/fragments.ts'

const statements = [
  sql`create table processes (
    id          text    primary key,
    version     text    not null,
    public_url  text,
    started_at  bigint  not null,                                       -- epoch milliseconds, by the database's clock
    beat_at     bigint  not null,
    clock_at    bigint  not null,                                       -- by its own
    serves      integer not null                                        -- 0: it takes no slots, for it is about to leave
  )`,
  sql`create table slots (
    slot        integer primary key check (slot between 0 and 63),
    owner       text,
    epoch       bigint  not null default 0,                             -- how often it has had another owner
    until       bigint  not null default 0
  )`,
  sql`insert into slots (slot) select generate_series(0, 63)`,
  sql`create table store_identity (
    id          integer primary key check (id = 1),
    name        text    not null
  )`,
  sql`insert into store_identity (id, name) select 1, replace(cast(gen_random_uuid() as text), '-', '')`,
  sql`create table commit_marks (
    id          text    primary key,
    mark        bigint  not null,
    at          timestamptz not null
  )`,
  // as slotOf of storage/slots.ts
  sql`create or replace function slot_of(id text) returns bigint language sql immutable strict parallel safe as
    $$ select cast(get_byte(sha256(decode(replace(id, '\\', '\\\\'), 'escape')), 0) % 64 as bigint) $$`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  if (isSqlite(db)) return
  for (const statement of statements) await statement.execute(db)
}
