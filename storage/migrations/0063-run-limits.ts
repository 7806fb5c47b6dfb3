/** What each run of an organization may use, where it says so. Source: contract 13, "Budgets". */
import { type Kysely, sql } from 'kysely'
import { clustered } from '../sqlite/fragments.ts'

const statements = (db: Kysely<unknown>) => [
  sql`create table organization_run_limits (
    organization_id  text   not null primary key references organizations (id) on delete cascade,
    limits           text   not null                                    -- JSON: maxTokens, maxCost
  ) ${clustered(db)}`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements(db)) await statement.execute(db)
}
