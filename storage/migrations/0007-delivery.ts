/**
 * The delivery path: Definitions and Releases of a Project, what an Environment is configured with, Deployments and
 * Activations, and the Environment's history. What belongs to a Project or an Environment goes with it: the organization
 * is only named, since a reference would need an index of its own. Source: requirement 2, 4.3, 4.7, 4.10, 4.11, 9; contract 3, 4, 7.
 */
import { type Kysely, sql } from 'kysely'
import { clustered, immutable } from '../sqlite/fragments.ts'

const definitions = (db: Kysely<unknown>) => [
  sql`create table definitions (
    id                  text   primary key,                             -- def_…
    organization_id     text   not null,
    project_id          text   not null references projects (id) on delete cascade,
    name                text   not null,
    kind                text   not null check (kind in ('operations', 'workflow', 'entity')),
    description         text,
    status              text   not null check (status in ('active', 'deleting')),
    latest_revision_id  text,
    created_at          bigint not null,
    updated_at          bigint not null,
    unique (project_id, name)
  )`,
  sql`create index definitions_of_project on definitions (project_id, id)`,
  sql`create table definition_revisions (
    id               text    primary key,                               -- dfr_…
    organization_id  text    not null,
    definition_id    text    not null references definitions (id) on delete cascade,
    number           integer not null check (number > 0),               -- 1, 2, 3 … of the Definition
    source           text    not null,                                  -- JSON: DefinitionSource, RFC 8785
    source_digest    text    not null,
    created_by_type  text    not null,
    created_by_id    text    not null,
    created_at       bigint  not null,
    unique (definition_id, number)
  )`,
  immutable('definition_revisions'),
  sql`create table releases (
    id                    text    primary key,                          -- rel_…
    organization_id       text    not null,
    project_id            text    not null references projects (id) on delete cascade,
    number                integer not null check (number > 0),          -- 1, 2, 3 … of the Project
    agents                text    not null,                             -- JSON: agentId, agentRevisionId
    definitions           text    not null,                             -- JSON: definitionId, definitionRevisionId
    delegate_attachments  text    not null,                             -- JSON: agentId, name, delegateAgentId
    digest                text    not null,
    description           text,
    created_by_type       text    not null,
    created_by_id         text    not null,
    created_at            bigint  not null,
    unique (project_id, number)
  )`,
  immutable('releases'),
  sql`create index releases_of_project on releases (project_id, id)`,
  // What a Release pins, found by what is pinned.
  sql`create table release_pins (
    resource_id  text   not null,                                       -- agt_… or def_…
    release_id   text   not null references releases (id) on delete cascade,
    revision_id  text   not null,
    primary key (resource_id, release_id)
  ) ${clustered(db)}`,
  sql`create index release_pins_of_release on release_pins (release_id)`,
]

const configuration = [
  sql`create table provider_credentials (
    id               text    primary key,                               -- crd_…
    organization_id  text    not null references organizations (id) on delete cascade,
    label            text    not null,
    provider         text    not null,                                  -- a vendor, or 'custom'
    credential_type  text    not null check (credential_type in ('api_key', 'oauth', 'service_account', 'connection_string')),
    status           text    not null check (status in ('active', 'disabled', 'deleting')),
    expires_at       bigint,
    current_version  integer not null check (current_version > 0),
    created_at       bigint  not null,
    updated_at       bigint  not null
  )`,
  sql`create index provider_credentials_of_organization on provider_credentials (organization_id, id)`,
  sql`create index provider_credentials_by_provider on provider_credentials (organization_id, provider, id) where status = 'active'`,
  sql`create table provider_credential_versions (
    credential_id  text    not null references provider_credentials (id) on delete cascade,
    version        integer not null check (version > 0),
    sealed         text    not null,                                    -- JWE, see src/platform/secrets/vault.ts
    created_at     bigint  not null,
    primary key (credential_id, version)
  )`,
  immutable('provider_credential_versions'),
  sql`create table organization_variables (
    id               text    primary key,                               -- var_…
    organization_id  text    not null references organizations (id) on delete cascade,
    name             text    not null,
    description      text,
    status           text    not null check (status in ('active', 'disabled')),
    version          integer not null check (version > 0),
    created_at       bigint  not null,
    updated_at       bigint  not null,
    unique (organization_id, name)
  )`,
  sql`create index organization_variables_by_id on organization_variables (organization_id, id)`,
  sql`create table organization_variable_versions (
    variable_id  text    not null references organization_variables (id) on delete cascade,
    version      integer not null check (version > 0),
    sealed       text    not null,                                      -- JWE
    digest       text    not null,                                      -- HMAC under the organization's key
    length       integer not null,                                      -- in characters
    created_at   bigint  not null,
    primary key (variable_id, version)
  )`,
  immutable('organization_variable_versions'),
  sql`create table variables (
    id               text    primary key,                               -- var_…
    organization_id  text    not null,
    environment_id   text    not null references environments (id) on delete cascade,
    name             text    not null,
    description      text,
    status           text    not null check (status in ('active', 'disabled')),
    version          integer not null check (version > 0),
    agent_id         text    references agents (id) on delete cascade,
    binding_key      text,
    created_at       bigint  not null,
    updated_at       bigint  not null,
    check ((agent_id is null) = (binding_key is null))
  )`,
  sql`create unique index variables_by_name on variables (environment_id, name, coalesce(agent_id, ''))`,
  // what an Agent asks for by its binding key is one variable
  sql`create unique index variables_by_binding on variables (environment_id, agent_id, binding_key) where agent_id is not null`,
  sql`create index variables_by_id on variables (environment_id, id)`,
  sql`create index variables_of_agent on variables (agent_id) where agent_id is not null`,
  sql`create table variable_versions (
    variable_id         text    not null references variables (id) on delete cascade,
    version             integer not null check (version > 0),
    sealed              text,                                           -- JWE; null for a reference
    source_variable_id  text    references organization_variables (id), -- an organization variable with a reference stays
    source_version      integer,
    digest              text    not null,
    length              integer not null,
    created_at          bigint  not null,
    primary key (variable_id, version),
    check ((sealed is null) = (source_variable_id is not null)),
    check ((source_variable_id is null) = (source_version is null))
  )`,
  immutable('variable_versions'),
  sql`create index variable_versions_of_source on variable_versions (source_variable_id) where source_variable_id is not null`,
  sql`create table connections (
    id                  text   primary key,                             -- con_…
    organization_id     text   not null,
    environment_id      text   not null references environments (id) on delete cascade,
    name                text   not null,
    kind                text   not null check (kind in ('http', 'database', 'object_storage', 'messaging', 'custom')),
    status              text   not null check (status in ('active', 'disabled', 'deleting')),
    status_reason       text,
    agent_id            text   references agents (id) on delete cascade,
    binding_key         text,
    current_version_id  text   not null,                                -- cnv_…
    created_at          bigint not null,
    updated_at          bigint not null,
    unique (environment_id, name),
    check ((agent_id is null) = (binding_key is null))
  )`,
  sql`create index connections_by_id on connections (environment_id, id)`,
  sql`create unique index connections_by_binding on connections (environment_id, agent_id, binding_key) where agent_id is not null`,
  sql`create index connections_of_agent on connections (agent_id) where agent_id is not null`,
  sql`create table connection_versions (
    id                           text    primary key,                   -- cnv_…
    organization_id              text    not null,
    connection_id                text    not null references connections (id) on delete cascade,
    number                       integer not null check (number > 0),
    settings                     text    not null,                      -- JSON
    provider_credential_id       text,
    provider_credential_version  integer,
    created_at                   bigint  not null,
    unique (connection_id, number)
  )`,
  immutable('connection_versions'),
  sql`create index connection_versions_of_credential on connection_versions (provider_credential_id) where provider_credential_id is not null`,
  sql`create table provider_settings (
    setting_id                   integer primary key,
    organization_id              text    not null,
    environment_id               text    not null references environments (id) on delete cascade,
    agent_id                     text    not null references agents (id) on delete cascade,
    provider                     text,
    model                        text,
    settings                     text    not null,                      -- JSON
    provider_credential_id       text,
    provider_credential_version  integer,
    created_at                   bigint  not null,
    updated_at                   bigint  not null,
    unique (environment_id, agent_id),
    check (provider_credential_version is null or provider_credential_id is not null)
  )`,
  sql`create index provider_settings_of_agent on provider_settings (agent_id)`,
]

const delivery = (db: Kysely<unknown>) => [
  sql`create table deployments (
    id                         text    primary key,                     -- dep_…
    organization_id            text    not null,
    project_id                 text    not null,
    environment_id             text    not null references environments (id) on delete cascade,
    release_id                 text    not null,
    configuration_revision_id  text    not null,
    state                      text    not null check (state in
      ('queued', 'validating', 'provisioning', 'materializing', 'ready', 'failed', 'canceled')),
    version                    integer not null check (version > 0),    -- of the snapshot: compare-and-swap
    machine_version            text    not null,
    context                    text    not null,                        -- JSON: what the statechart decides on
    digest                     text,                                    -- of the bundle
    created_by_type            text    not null,
    created_by_id              text    not null,
    created_at                 bigint  not null,
    updated_at                 bigint  not null,
    ready_at                   bigint
  )`,
  sql`create index deployments_of_environment on deployments (environment_id, id)`,
  sql`create index deployments_of_release on deployments (release_id)`,
  // Everything that a run needs of its Deployment, put together once.
  sql`create table deployment_bundles (
    deployment_id  text   primary key references deployments (id) on delete cascade,
    bundle         text   not null,                                     -- JSON
    digest         text   not null,
    created_at     bigint not null
  )`,
  immutable('deployment_bundles'),
  sql`create table activations (
    id                      text    primary key,                        -- act_…
    organization_id         text    not null,
    environment_id          text    not null references environments (id) on delete cascade,
    deployment_id           text    not null,
    previous_deployment_id  text,
    generation              integer not null check (generation > 0),
    created_by_type         text    not null,
    created_by_id           text    not null,
    created_at              bigint  not null,
    unique (environment_id, generation)
  )`,
  immutable('activations'),
  sql`create index activations_of_environment on activations (environment_id, id)`,
  sql`create table environment_events (
    environment_id  text    not null references environments (id) on delete cascade,
    sequence        integer not null check (sequence > 0),              -- 1, 2, 3 … of the Environment, no gaps
    id              text    not null unique,                            -- evt_…
    type            text    not null,
    body            text    not null,                                   -- JSON: the Event as it is shown and delivered
    at              bigint  not null,
    primary key (environment_id, sequence)
  )`,
  immutable('environment_events'),
  sql`create table environment_sequences (
    environment_id  text    primary key references environments (id) on delete cascade,
    sequence        integer not null
  ) ${clustered(db)}`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [...definitions(db), ...configuration, ...delivery(db)]) await statement.execute(db)
}
