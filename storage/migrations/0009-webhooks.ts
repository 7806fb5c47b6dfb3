/**
 * Webhooks: subscriptions to an Environment's history, and the deliveries made of it. A delivery's body is the event's, as
 * it stands in the history. Source: requirement 3, "Webhook delivery states", 4.13, 6; contract 7.
 */
import { type Kysely, sql } from 'kysely'
import { clustered } from '../sqlite/fragments.ts'

const subscriptions = (db: Kysely<unknown>) => [
  sql`create table webhooks (
    id               text    primary key,                               -- whk_…
    organization_id  text    not null,
    project_id       text    not null,
    environment_id   text    not null references environments (id) on delete cascade,
    endpoint_url     text    not null,
    event_types      text    not null,                                  -- JSON: kinds of events
    enabled          integer not null check (enabled in (0, 1)),
    disabled_reason  text    check (disabled_reason in ('endpoint_gone', 'failing')),
    failing_since    bigint,                                            -- the first failed attempt with no success after it
    secret_version   integer not null check (secret_version > 0),
    created_at       bigint  not null,
    updated_at       bigint  not null,
    deleted_at       bigint,                                            -- gone for everybody; its deliveries go in batches
    check (enabled = 0 or disabled_reason is null),
    check (enabled = 0 or deleted_at is null)
  )`,
  sql`create index webhooks_of_environment on webhooks (environment_id, id)`,
  sql`create index webhooks_deleted on webhooks (deleted_at) where deleted_at is not null`,
  // Who is to hear of an event: of this kind, after this number in the Environment's history.
  sql`create table webhook_event_types (
    environment_id  text    not null,
    type            text    not null,
    webhook_id      text    not null references webhooks (id) on delete cascade,
    after_sequence  integer not null,
    primary key (environment_id, type, webhook_id)
  ) ${clustered(db)}`,
  sql`create index webhook_event_types_of_webhook on webhook_event_types (webhook_id)`,
  sql`create table webhook_secrets (
    webhook_id  text    not null references webhooks (id) on delete cascade,
    version     integer not null check (version > 0),
    sealed      text    not null,                                       -- JWE, see src/platform/secrets/vault.ts
    created_at  bigint  not null,
    expires_at  bigint,                                                 -- set by the rotation that replaced it
    primary key (webhook_id, version)
  )`,
  sql`create index webhook_secrets_ending on webhook_secrets (expires_at) where expires_at is not null`,
  // How far the history of an Environment with webhooks has been turned into deliveries.
  sql`create table webhook_pointers (
    environment_id  text    primary key references environments (id) on delete cascade,
    sequence        integer not null check (sequence >= 0)
  ) ${clustered(db)}`,
]

const deliveries = [
  sql`create table deliveries (
    id               text    primary key,                               -- dlv_…
    organization_id  text    not null,
    project_id       text    not null,
    environment_id   text    not null,
    webhook_id       text    not null references webhooks (id) on delete cascade,
    event_id         text    not null,
    event_type       text    not null,
    event_sequence   integer not null,
    event_at         bigint  not null,                                  -- the delivery goes when the event goes
    replay_of        text,                                              -- dlv_…
    state            text    not null check (state in ('pending', 'in-flight', 'retrying', 'delivered', 'dead-letter')),
    version          integer not null check (version > 0),              -- of the snapshot: compare-and-swap
    machine_version  text    not null,
    context          text    not null,                                  -- JSON: what the statechart decides on
    attempts         integer not null check (attempts >= 0),
    due_at           bigint,                                            -- while it waits: when it may be claimed
    attempt_history  text    not null,                                  -- JSON: the last 20 attempts
    delivered_at     bigint,
    created_at       bigint  not null,
    updated_at       bigint  not null,
    check ((state in ('pending', 'retrying')) = (due_at is not null)),
    check ((state = 'delivered') = (delivered_at is not null))
  )`,
  sql`create index deliveries_of_webhook on deliveries (webhook_id, id)`,
  sql`create index deliveries_due on deliveries (webhook_id, due_at) where due_at is not null`,
  sql`create index deliveries_by_age on deliveries (event_at)`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [...subscriptions(db), ...deliveries]) await statement.execute(db)
}
