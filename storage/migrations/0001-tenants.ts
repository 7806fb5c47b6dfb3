/** Organizations, their people and their API keys. Source: requirement 2, 5; contract 1, 2. */
import { type Kysely, sql } from 'kysely'

const statements = [
  sql`create table organizations (
    id          text   primary key,                                     -- org_…
    slug        text   not null unique,
    name        text   not null,
    kind        text   not null check (kind in ('team', 'personal')),
    status      text   not null check (status in ('active', 'deleting')),
    created_at  bigint not null,
    updated_at  bigint not null
  )`,
  sql`create table users (
    id             text   primary key,                                  -- usr_…
    email          text   not null unique,
    name           text   not null,
    password_hash  text   not null,                                     -- argon2id
    created_at     bigint not null
  )`,
  sql`create table memberships (
    organization_id  text   not null references organizations (id) on delete cascade,
    user_id          text   not null references users (id) on delete cascade,
    role             text   not null check (role in ('owner', 'admin', 'member')),
    created_at       bigint not null,
    primary key (organization_id, user_id)
  )`,
  sql`create table api_keys (
    id               text   primary key,                                -- key_…
    organization_id  text   not null references organizations (id) on delete cascade,
    name             text   not null,
    prefix           text   not null,                                   -- what a person may see of the key
    secret_hash      text   not null unique,                            -- SHA-256, hexadecimal
    operations       text   not null,                                   -- JSON: permission names
    project_id       text,
    environment_id   text,
    agent_id         text,
    created_by       text   not null references users (id),
    status           text   not null check (status in ('active', 'revoked')),
    expires_at       bigint not null,
    last_used_at     bigint,
    created_at       bigint not null,
    check (project_id is not null or (environment_id is null and agent_id is null))
  )`,
  sql`create index api_keys_of_organization on api_keys (organization_id, id)`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
