/** The span of what an event is about goes along to its deliveries. Source: contract 13, "Traces". */
import { type Kysely, sql } from 'kysely'

const statements = [
  sql`alter table environment_events add column trace text`,
  sql`alter table deliveries add column trace text`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
