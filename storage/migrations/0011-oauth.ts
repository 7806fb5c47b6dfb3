/**
 * Connections made by consent: what each consent gave (tokens, sealed and refreshed in place), which account a Connection
 * is of, and the flows that have been used up. Source: requirement 4.2, 4.3; contract 4, "OAuth".
 */
import { type Kysely, sql } from 'kysely'
import { clustered } from '../sqlite/fragments.ts'

const oauth = (db: Kysely<unknown>) => [
  // One Connection for each account; whoever comes back finds it here.
  sql`create table oauth_connections (
    connection_id   text    primary key references connections (id) on delete cascade,
    environment_id  text    not null,
    preset_key      text    not null,
    integration_id  text    not null,                                   -- int_…; it may be deleted since
    account_id      text    not null,                                   -- as the provider calls it
    unique (environment_id, preset_key, integration_id, account_id)
  )`,
  // One consent. Versions of the Connection refer to it; a new consent is a new row.
  sql`create table oauth_grants (
    id                   text    primary key,                           -- ogr_…
    organization_id      text    not null,
    connection_id        text    not null references connections (id) on delete cascade,
    preset_key           text    not null,
    integration_id       text    not null,
    integration_version  integer not null check (integration_version > 0), -- the client that obtained the tokens
    account_id           text    not null,
    account_label        text    not null,
    scopes               text    not null,                              -- JSON: as they were granted
    status               text    not null check (status in ('active', 'ended')),
    sealed               text    not null,                              -- JWE of the tokens, see src/accounts/oauth/grants.ts
    token_version        integer not null check (token_version > 0),    -- compare-and-swap of a refresh
    renewable            integer not null check (renewable in (0, 1)),  -- there is a refresh token
    expires_at           bigint,                                        -- of the access token; null: not told
    refresher            text,                                          -- who asks for new tokens now
    refresher_until      bigint,                                        -- and until when nobody else does
    failed_at            bigint,                                        -- the last refresh that failed, if none since
    created_at           bigint  not null,
    updated_at           bigint  not null,
    check ((refresher is null) = (refresher_until is null))
  )`,
  sql`create index oauth_grants_of_connection on oauth_grants (connection_id)`,
  sql`alter table connection_versions add column oauth_grant_id text`,
  // A state that came back once; forgotten when it could not come back any more anyway.
  sql`create table oauth_flows_used (
    state_hash  text    primary key,
    expires_at  bigint  not null
  ) ${clustered(db)}`,
  sql`create index oauth_flows_used_ending on oauth_flows_used (expires_at)`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of oauth(db)) await statement.execute(db)
}
