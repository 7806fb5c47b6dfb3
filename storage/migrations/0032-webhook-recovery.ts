/**
 * What a webhook has missed, and how it gets that: when it was disabled, its last failures, and the recoveries that put
 * deliveries back into the queue. Source: contract 7.
 */
import { type Kysely, sql } from 'kysely'
import { clustered } from '../sqlite/fragments.ts'

const statements = (db: Kysely<unknown>) => [
  sql`alter table webhooks add column capture_responses integer not null default 0 check (capture_responses in (0, 1))`,
  // The last failed attempts of each webhook, as many as it takes to disable it.
  sql`create table webhook_failures (
    webhook_id   text    not null references webhooks (id) on delete cascade,
    at           bigint  not null,
    delivery_id  text    not null,
    attempt      integer not null,
    primary key (webhook_id, at, delivery_id, attempt)
  ) ${clustered(db)}`,
  // The stretches of the history that were not turned into deliveries, because the webhook was disabled.
  sql`create table webhook_pauses (
    webhook_id     text    not null references webhooks (id) on delete cascade,
    from_sequence  integer not null,                                    -- events after this number
    to_sequence    integer,                                             -- up to this one; null: it is disabled now
    primary key (webhook_id, from_sequence)
  ) ${clustered(db)}`,
  // Of those that are disabled now it is known since when.
  sql`insert into webhook_pauses (webhook_id, from_sequence)
    select id, coalesce((select max(sequence) from environment_events
      where environment_events.environment_id = webhooks.environment_id and environment_events.at <= webhooks.updated_at), 0)
    from webhooks where enabled = 0 and deleted_at is null`,
  sql`create table webhook_recoveries (
    id               text    primary key,                               -- whr_…
    organization_id  text    not null,
    project_id       text    not null,
    environment_id   text    not null references environments (id) on delete cascade,
    webhook_id       text    not null references webhooks (id) on delete cascade,
    since            bigint  not null,                                  -- events from then on
    up_to            text    not null,                                  -- deliveries made before it, by id
    head             integer not null,                                  -- of the history when it began
    state            text    not null check (state in ('running', 'completed', 'canceled', 'failed')),
    version          integer not null check (version > 0),
    machine_version  text    not null,
    context          text    not null,                                  -- JSON: what the statechart decides on
    created_at       bigint  not null,
    updated_at       bigint  not null
  )`,
  sql`create index webhook_recoveries_of_webhook on webhook_recoveries (webhook_id, id)`,
  sql`create index webhook_recoveries_of_environment on webhook_recoveries (environment_id, id)`,
  sql`create unique index webhook_recoveries_running on webhook_recoveries (webhook_id) where state = 'running'`,
  // What deliveries are filtered by, and whether there is one of an event.
  sql`create index deliveries_by_state on deliveries (webhook_id, state, id)`,
  sql`create index deliveries_by_type on deliveries (webhook_id, event_type, id)`,
  sql`create index deliveries_by_state_and_type on deliveries (webhook_id, state, event_type, id)`,
  sql`create index deliveries_of_event on deliveries (webhook_id, event_sequence)`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements(db)) await statement.execute(db)
}
