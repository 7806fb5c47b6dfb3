/**
 * How many runs of an organization live, and how much is stored of its runs: one row that a start asks, however many runs
 * there are. Each run says how much of that is its own. Source: contract 1, "Quotas".
 */
import { type Kysely, sql } from 'kysely'
import { clustered } from '../sqlite/fragments.ts'

const live = "'queued', 'acquiring', 'starting', 'running', 'awaitingToolResult', 'awaitingDelegateResult', 'canceling'"

const statements = (db: Kysely<unknown>) => [
  sql`create table run_counts (
    organization_id  text   primary key references organizations (id) on delete cascade,
    live_runs        bigint not null,                                   -- that have not ended
    stored_bytes     bigint not null                                    -- of what its runs were given and gave
  ) ${clustered(db)}`,
  // What is stored of runs that were there before is looked up later, some at a time.
  sql`insert into run_counts (organization_id, live_runs, stored_bytes)
    select organization_id, count(*), 0 from runs
    where state in (${sql.raw(live)}) and organization_id in (select id from organizations)
    group by organization_id`,
  // The run's own share of stored_bytes; null for one whose share is not known yet.
  sql`alter table runs add column counted_bytes bigint`,
  sql`create index runs_uncounted on runs (id) where counted_bytes is null and state in ('completed', 'failed', 'canceled', 'expired')`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements(db)) await statement.execute(db)
}
