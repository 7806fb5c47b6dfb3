/**
 * Sessions that a person can tell apart and end: an id that may be shown, the address and the program of the last use. Since
 * when sessions of a member are no good for an organization any more. By which key a key was replaced.
 */
import { type Kysely, sql } from 'kysely'
import { newId } from '../ids.ts'

const before = [
  sql`alter table sessions rename to sessions_before`,
  sql`create table sessions (
    id            text   primary key,                                   -- SHA-256 of the cookie's value, hexadecimal
    public_id     text   not null unique,                               -- ses_…: what may be shown
    user_id       text   not null references users (id) on delete cascade,
    address       text,                                                 -- of the last use
    user_agent    text,                                                 -- at the sign-in, shortened
    created_at    bigint not null,
    last_seen_at  bigint not null,
    expires_at    bigint not null
  )`,
]
const after = [
  sql`drop table sessions_before`,
  sql`create index sessions_of_user on sessions (user_id, public_id)`,
  sql`create index sessions_expiry on sessions (expires_at)`,
  sql`alter table memberships add column sessions_ended_at bigint`,
  sql`alter table api_keys add column replaced_by text`,
]

interface Session {
  id: string
  user_id: string
  created_at: number
  last_seen_at: number
  expires_at: number
}

const pageSize = 500

/** Gives each session its second id; it sorts by when the session began. */
async function copySessions(db: Kysely<unknown>): Promise<void> {
  for (let last = ''; ; ) {
    const page = sql<Session>`select * from sessions_before where id > ${last} order by id limit ${pageSize}`
    const { rows } = await page.execute(db)
    for (const { id, user_id, created_at, last_seen_at, expires_at } of rows) {
      const publicId = newId('ses', Number(created_at))
      await sql`insert into sessions (id, public_id, user_id, created_at, last_seen_at, expires_at)
        values (${id}, ${publicId}, ${user_id}, ${created_at}, ${last_seen_at}, ${expires_at})`.execute(db)
      last = id
    }
    if (rows.length < pageSize) return
  }
}

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of before) await statement.execute(db)
  await copySessions(db)
  for (const statement of after) await statement.execute(db)
}
