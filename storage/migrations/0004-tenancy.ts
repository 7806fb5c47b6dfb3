/**
 * Who belongs to an organization, and what it owns: members' sessions and invitations, user groups, Projects with their
 * Environments, Agents with their revisions, the audit log. What belongs to a Project goes with it: the organization is
 * only named there, since a reference would need an index of its own. Source: requirement 2, 4.5, 4.6, 4.9; contract 1, 2, 3.
 */
import { type Kysely, sql } from 'kysely'
import { clustered, immutable } from '../sqlite/fragments.ts'

const statements = (db: Kysely<unknown>) => [
  // One row: the organization of the first start, whose owner speaks for the platform.
  sql`create table installation (
    id                     integer primary key check (id = 1),
    first_organization_id  text    not null references organizations (id) on delete cascade
  )`,
  sql`insert into installation (id, first_organization_id)
    select 1, id from organizations order by created_at, id limit 1`,
  sql`create table sessions (
    id            text   primary key,                                   -- SHA-256 of the cookie's value, hexadecimal
    user_id       text   not null references users (id) on delete cascade,
    created_at    bigint not null,
    last_seen_at  bigint not null,
    expires_at    bigint not null
  )`,
  sql`create index sessions_of_user on sessions (user_id)`,
  sql`create index sessions_expiry on sessions (expires_at)`,
  sql`create table invitations (
    id               text   primary key,                                -- ivt_…
    organization_id  text   not null references organizations (id) on delete cascade,
    email            text   not null,                                   -- lower case
    role             text   not null check (role in ('owner', 'admin', 'member')),
    token_hash       text   not null unique,                            -- SHA-256, hexadecimal
    invited_by       text   not null references users (id),
    created_at       bigint not null,
    expires_at       bigint not null,
    unique (organization_id, email)
  )`,
  sql`create index invitations_of_organization on invitations (organization_id, id)`,
  sql`create index invitations_expiry on invitations (expires_at)`,
  sql`create index memberships_of_user on memberships (user_id, created_at)`,
  sql`create index memberships_of_user_by_organization on memberships (user_id, organization_id)`,
  sql`create index memberships_of_organization on memberships (organization_id, created_at, user_id)`,
  sql`create index owners_of_organization on memberships (organization_id, user_id) where role = 'owner'`,
  sql`create index api_keys_of_user on api_keys (created_by, organization_id)`,
  sql`create index active_api_keys on api_keys (organization_id, expires_at) where status = 'active'`,
  sql`create table user_groups (
    id               text   primary key,                                -- ugr_…
    organization_id  text   not null references organizations (id) on delete cascade,
    name             text   not null,
    created_at       bigint not null,
    updated_at       bigint not null,
    unique (organization_id, name)
  )`,
  sql`create index user_groups_of_organization on user_groups (organization_id, id)`,
  sql`create table user_group_members (
    user_group_id    text   not null references user_groups (id) on delete cascade,
    organization_id  text   not null,
    user_id          text   not null,
    created_at       bigint not null,
    primary key (user_group_id, user_id),
    foreign key (organization_id, user_id) references memberships (organization_id, user_id) on delete cascade
  )`,
  sql`create index user_group_members_of_user on user_group_members (organization_id, user_id)`,
  sql`create index user_group_members_of_group on user_group_members (user_group_id, created_at, user_id)`,
  sql`create table projects (
    id               text   primary key,                                -- prj_…
    organization_id  text   not null references organizations (id) on delete cascade,
    slug             text   not null,
    name             text   not null,
    template_id      text,
    status           text   not null check (status in ('active', 'paused', 'deleting')),
    created_at       bigint not null,
    updated_at       bigint not null,
    unique (organization_id, slug)
  )`,
  sql`create index projects_of_organization on projects (organization_id, id)`,
  sql`create table access_grants (
    id               text   primary key,                                -- grt_…
    organization_id  text   not null,
    project_id       text   not null references projects (id) on delete cascade,
    user_id          text,
    user_group_id    text   references user_groups (id) on delete cascade,
    permissions      text   not null,                                   -- JSON: permission names
    created_by_type  text   not null,
    created_by_id    text   not null,
    created_at       bigint not null,
    foreign key (organization_id, user_id) references memberships (organization_id, user_id) on delete cascade,
    check ((user_id is null) <> (user_group_id is null))
  )`,
  sql`create index access_grants_of_project on access_grants (project_id, id)`,
  sql`create index access_grants_of_user on access_grants (organization_id, user_id) where user_id is not null`,
  sql`create index access_grants_of_group on access_grants (user_group_id) where user_group_id is not null`,
  sql`create table environments (
    id                    text    primary key,                          -- env_…
    organization_id       text    not null,
    project_id            text    not null references projects (id) on delete cascade,
    kind                  text    not null check (kind in ('development', 'preview', 'production')),
    name                  text    not null,
    state                 text    not null check (state in ('provisioning', 'active', 'deleting')),
    version               integer not null check (version > 0),         -- of the snapshot: compare-and-swap
    machine_version       text    not null,
    context               text    not null,                             -- JSON: what the statechart decides on
    generation            integer not null check (generation >= 0),
    head_revision_id      text    not null,                             -- the configuration head, cfr_…
    head_number           integer not null check (head_number >= 0),
    active_deployment_id  text,
    created_at            bigint  not null,
    updated_at            bigint  not null,
    unique (project_id, kind)
  )`,
  sql`create table configuration_revisions (
    id               text    primary key,                               -- cfr_…
    organization_id  text    not null,
    environment_id   text    not null references environments (id) on delete cascade,
    number           integer not null check (number >= 0),              -- 0 is the empty one that it is born with
    parent_id        text,
    content          text    not null,                                  -- JSON: variables, connections, providerSettings
    digest           text    not null,
    description      text,
    created_by_type  text    not null,
    created_by_id    text    not null,
    created_at       bigint  not null,
    unique (environment_id, number)
  )`,
  immutable('configuration_revisions'),
  sql`create table agents (
    id                  text   primary key,                             -- agt_…
    organization_id     text   not null,
    project_id          text   not null references projects (id) on delete cascade,
    slug                text   not null,
    name                text   not null,
    description         text,
    status              text   not null check (status in ('active', 'deleting')),
    latest_revision_id  text,
    created_at          bigint not null,
    updated_at          bigint not null,
    unique (project_id, slug)
  )`,
  sql`create index agents_of_project on agents (project_id, id)`,
  sql`create table agent_revisions (
    id                  text    primary key,                            -- agr_…
    organization_id     text    not null,
    agent_id            text    not null references agents (id) on delete cascade,
    number              integer not null check (number > 0),            -- 1, 2, 3 … of the Agent
    content             text    not null,                               -- JSON: AgentContent, RFC 8785
    content_digest      text    not null,
    granted_operations  text    not null,                               -- JSON: operation names
    created_by_type     text    not null,
    created_by_id       text    not null,
    created_at          bigint  not null,
    unique (agent_id, number)
  )`,
  immutable('agent_revisions'),
  sql`create table audit_events (
    organization_id  text   not null,
    id               text   not null,                                   -- aud_…, sorts by time
    actor_type       text   not null,
    actor_id         text   not null,
    ip               text,
    operation        text   not null,
    resource_type    text   not null,
    resource_id      text,
    outcome          text   not null check (outcome in ('allowed', 'denied', 'failed')),
    request_id       text   not null,
    changed          text   not null,                                   -- JSON: field names
    at               bigint not null,
    primary key (organization_id, id)
  ) ${clustered(db)}`,
  immutable('audit_events'),
  immutable('system_agent_revisions'),
  // No reference to what is deleted: the receipt outlives it.
  sql`create table deletions (
    id               text    primary key,                               -- the id of what is deleted
    target           text    not null check (target in ('organization', 'project', 'agent')),
    organization_id  text    not null,
    project_id       text,
    state            text    not null,
    version          integer not null check (version > 0),
    machine_version  text    not null,
    context          text    not null,
    requested_by_type  text  not null,
    requested_by_id  text    not null,
    created_at       bigint  not null,
    updated_at       bigint  not null
  )`,
  sql`create index deletions_of_organization on deletions (organization_id, id)`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements(db)) await statement.execute(db)
}
