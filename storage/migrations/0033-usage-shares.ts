/**
 * What each Agent has used of what its organization has, when periods end, and of which of them it is known that their
 * budget runs out. Source: contract 6 and 8, "Decided since".
 */
import { type Kysely, sql } from 'kysely'
import { clustered } from '../sqlite/fragments.ts'

const statements = (db: Kysely<unknown>) => [
  sql`alter table usage_counters add column period_end bigint`,
  // How much of the budget has been told of, in percent.
  sql`alter table usage_counters add column told_percent integer not null default 0`,
  // One row for each Agent and period in which there was something to count: no reference, what is gone was used all the same.
  sql`create table usage_shares (
    organization_id  text   not null references organizations (id) on delete cascade,
    period_start     bigint not null,
    agent_id         text   not null,                                   -- '' for what was counted before this table
    project_id       text   not null,                                   -- '' for what is of no Project
    used_ms          bigint not null,
    reserved_ms      bigint not null,
    runs_started     bigint not null,
    runs_completed   bigint not null,
    runs_failed      bigint not null,
    input_tokens     bigint not null,
    output_tokens    bigint not null,
    primary key (organization_id, period_start, agent_id)
  ) ${clustered(db)}`,
  // What is set aside is given back by the run that has it; of the rest nobody knows whose it was.
  sql`insert into usage_shares
    select organization_id, reserved_in, agent_id, coalesce(max(project_id), ''), 0, sum(reserved_ms), 0, 0, 0, 0, 0
    from runs where reserved_ms > 0 and reserved_in is not null group by organization_id, reserved_in, agent_id`,
  sql`insert into usage_shares
    select organization_id, period_start, '', '', used_ms, 0, runs_started, runs_completed, runs_failed, input_tokens,
      output_tokens
    from usage_counters`,
  // Whom it is for; null: for everybody.
  sql`alter table announcements add column organization_id text`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements(db)) await statement.execute(db)
}
