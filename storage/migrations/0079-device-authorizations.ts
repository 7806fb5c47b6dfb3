/** Programs that wait for a person to let them have an API key, for some minutes each. Source: contract 10, "CLI", login. */
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table device_authorizations (
    id                text    primary key,                                   -- dva_…
    device_code_hash  text    not null unique,                               -- SHA-256, hexadecimal: of what the program keeps
    user_code         text    not null unique,                               -- eight letters: what a person types
    client_name       text    not null,                                      -- the name of the key to be
    address           text,                                                  -- of the program
    organization_id   text    references organizations (id) on delete cascade,
    approved_by       text    references users (id) on delete cascade,       -- null until somebody approves
    new_key           text,                                                  -- JSON: what the key may do, where, and until when
    created_at        bigint  not null,
    expires_at        bigint  not null,
    check ((organization_id is null) = (approved_by is null) and (approved_by is null) = (new_key is null))
  )`.execute(db)
  await sql`create index device_authorizations_expiry on device_authorizations (expires_at)`.execute(db)
  await sql`create index device_authorizations_of_organization on device_authorizations (organization_id)
    where organization_id is not null`.execute(db)
  await sql`create index device_authorizations_of_user on device_authorizations (approved_by)
    where approved_by is not null`.execute(db)
}
