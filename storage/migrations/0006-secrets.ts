/** Keys that secrets are encrypted with: one of each organization's own, wrapped by a master key. Source: design 6. */
import { type Kysely, sql } from 'kysely'

const statements = [
  sql`create table data_keys (
    organization_id  text   primary key references organizations (id) on delete cascade,
    master_key_id    text   not null,                                   -- what it is wrapped by
    wrapped          text   not null,                                   -- JWE
    created_at       bigint not null
  )`,
  sql`create index data_keys_of_master_key on data_keys (master_key_id)`,
  // One row: proof that the master keys at hand are those that this store was encrypted with.
  sql`create table canary (
    id             integer primary key check (id = 1),
    master_key_id  text    not null,
    sealed         text    not null                                     -- JWE
  )`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
