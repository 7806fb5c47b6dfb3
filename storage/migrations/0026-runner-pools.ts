/**
 * Runner pools and their tokens. The first pool is the deployment's: the server's own runner belongs to it, and so do those
 * that register with `TROUPE_RUNNER_TOKEN`, which has a row here and its secret in the configuration.
 */
import { type Kysely, sql } from 'kysely'
import { firstPoolId, operatorTokenId } from '../runs/first-runner-pool.ts'

const statements = [
  sql`create table runner_pools (
    id               text    primary key,                               -- rpl_…
    organization_id  text    references organizations (id) on delete cascade,  -- null: the deployment's
    name             text    not null,
    exclusive        integer not null default 0 check (exclusive in (0, 1)),
    created_at       bigint  not null,
    updated_at       bigint  not null,
    check (exclusive = 0 or organization_id is not null)
  )`,
  sql`create unique index runner_pools_by_name on runner_pools (coalesce(organization_id, ''), name)`,
  sql`create index runner_pools_of_organization on runner_pools (organization_id, id)`,
  sql`create index exclusive_runner_pools on runner_pools (organization_id) where exclusive = 1`,
  sql`create table runner_tokens (
    id               text    primary key,                               -- rtk_…
    pool_id          text    not null references runner_pools (id) on delete cascade,
    prefix           text,                                              -- null, like the hash: the operator's token
    secret_hash      text    unique,                                    -- SHA-256, hexadecimal
    status           text    not null check (status in ('active', 'revoked')),
    expires_at       bigint,                                            -- null: never
    last_used_at     bigint,
    created_by       text,                                              -- the user; null: the server
    created_at       bigint  not null,
    check ((prefix is null) = (secret_hash is null))
  )`,
  sql`create index runner_tokens_of_pool on runner_tokens (pool_id, id)`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
  const now = Date.now()
  await sql`insert into runner_pools (id, organization_id, name, exclusive, created_at, updated_at)
    values (${firstPoolId}, null, 'Deployment', 0, ${now}, ${now})`.execute(db)
  await sql`insert into runner_tokens (id, pool_id, status, created_at)
    values (${operatorTokenId}, ${firstPoolId}, 'active', ${now})`.execute(db)
}
