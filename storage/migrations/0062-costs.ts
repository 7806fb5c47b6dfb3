/**
 * What model steps cost, and what they have cost in each hour and each billing period. An amount is three whole numbers, of
 * 10^-6, 10^-15 and 10^-24 of the currency: their sums are exact. Source: contract 13, "Cost".
 */
import { type Kysely, sql } from 'kysely'
import { clustered } from '../sqlite/fragments.ts'

const amount = sql.raw(`
    model_steps      bigint not null,
    input_tokens     bigint not null,
    output_tokens    bigint not null,
    cost_6           bigint not null,
    cost_15          bigint not null,
    cost_24          bigint not null,`)

const statements = (db: Kysely<unknown>) => [
  // JSON: amount and currency; null without a price
  sql`alter table agent_steps add column cost text`,
  sql`create table cost_tallies (
    organization_id  text   not null,
    hour             bigint not null check (hour % 3600000 = 0),        -- its first millisecond, in UTC
    project_id       text   not null,                                   -- '' for runs outside of Projects
    environment_id   text   not null,                                   -- '' for runs outside of Environments
    agent_id         text   not null,
    provider         text   not null,
    model            text   not null,
    api_key_id       text   not null,                                   -- '' where no key has started the run
    currency         text   not null,                                   -- '' for steps without a price
    ${amount}
    primary key (organization_id, hour, project_id, environment_id, agent_id, provider, model, api_key_id, currency)
  ) ${clustered(db)}`,
  sql`create index cost_tallies_of_project on cost_tallies (project_id, hour)`,
  sql`create index cost_tallies_by_age on cost_tallies (hour)`,
  // Kept as long as the organization: no reference but that.
  sql`create table cost_shares (
    organization_id  text   not null references organizations (id) on delete cascade,
    period_start     bigint not null,
    agent_id         text   not null,
    project_id       text   not null,                                   -- '' for what is of no Project
    currency         text   not null,                                   -- '' for steps without a price
    ${amount}
    primary key (organization_id, period_start, agent_id, currency)
  ) ${clustered(db)}`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements(db)) await statement.execute(db)
}
