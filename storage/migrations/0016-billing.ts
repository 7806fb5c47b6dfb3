/**
 * Contracts of organizations, who they are at the payment provider, and what the provider has told us. Source: requirement
 * 4.1; contract 8.
 */
import { type Kysely, sql } from 'kysely'

const statements = [
  // The row is the actor's; its id is the organization's.
  sql`create table subscriptions (
    organization_id  text    primary key references organizations (id) on delete cascade,
    state            text    not null check (state in ('none', 'trialing', 'active', 'past_due', 'canceled')),
    version          integer not null check (version > 0),              -- of the snapshot: compare-and-swap
    machine_version  text    not null,
    context          text    not null,                                  -- JSON: what the statechart decides on
    created_at       bigint  not null,
    updated_at       bigint  not null
  )`,
  sql`create table billing_customers (
    organization_id  text   not null references organizations (id) on delete cascade,
    provider         text   not null,
    customer_id      text   not null,                                   -- the provider's
    created_at       bigint not null,
    primary key (organization_id, provider),
    unique (provider, customer_id)
  )`,
  // What the provider sends more than once is known by its id.
  sql`create table billing_events (
    id               text   primary key,                                -- the provider's
    organization_id  text   not null references organizations (id) on delete cascade,
    type             text   not null,
    received_at      bigint not null
  )`,
  sql`create index billing_events_of_organization on billing_events (organization_id)`,
  sql`create index billing_events_by_age on billing_events (received_at)`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
