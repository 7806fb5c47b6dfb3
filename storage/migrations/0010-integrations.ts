/**
 * Integrations: the OAuth clients that organizations have registered with providers, at most one for each preset, and the
 * versions of their ids and secrets, which never change. Source: requirement 4.8; contract 4, `Integration`.
 */
import { type Kysely, sql } from 'kysely'
import { immutable } from '../sqlite/fragments.ts'

const statements = [
  sql`create table integrations (
    id                  text    primary key,                            -- int_…
    organization_id     text    not null references organizations (id) on delete cascade,
    preset_key          text    not null,
    client_id           text    not null,                               -- of the current version
    current_version_id  text    not null,                               -- inv_…
    current_version     integer not null check (current_version > 0),
    state               text    not null check (state in ('active', 'misconfigured')),
    version             integer not null check (version > 0),           -- of the snapshot: compare-and-swap
    machine_version     text    not null,
    context             text    not null,                               -- JSON: what the statechart decides on
    created_at          bigint  not null,
    updated_at          bigint  not null,
    unique (organization_id, preset_key)
  )`,
  sql`create table integration_versions (
    id               text    primary key,                               -- inv_…
    integration_id   text    not null references integrations (id) on delete cascade,
    number           integer not null check (number > 0),
    client_id        text    not null,
    sealed           text    not null,                                  -- the client secret: JWE, see src/platform/secrets/vault.ts
    created_at       bigint  not null,
    unique (integration_id, number)
  )`,
  immutable('integration_versions'),
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
