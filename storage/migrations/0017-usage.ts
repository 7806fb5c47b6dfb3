/**
 * What organizations use in each billing period, and what of it is promised to a run. Source: requirement 8, "Billing
 * budget"; contract 8, `Usage`.
 */
import { type Kysely, sql } from 'kysely'
import { clustered } from '../sqlite/fragments.ts'

const statements = (db: Kysely<unknown>) => [
  // One row for each period in which there was something to count: few, and written with nearly every move of a run.
  sql`create table usage_counters (
    organization_id  text   not null references organizations (id) on delete cascade,
    period_start     bigint not null,
    used_ms          bigint not null,                                   -- that attempts have held machines
    reserved_ms      bigint not null,                                   -- promised to runs that have not used it yet
    runs_started     bigint not null,
    runs_completed   bigint not null,
    runs_failed      bigint not null,
    input_tokens     bigint not null,
    output_tokens    bigint not null,
    primary key (organization_id, period_start)
  ) ${clustered(db)}`,
  // What is left of the run's own share of reserved_ms, and in which period it lies.
  sql`alter table runs add column reserved_ms bigint not null default 0`,
  sql`alter table runs add column reserved_in bigint`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements(db)) await statement.execute(db)
}
