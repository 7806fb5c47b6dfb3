/** Dead letters in the order in which they are counted: by Environment, then webhook. All other deliveries are not in it. */
import { type Kysely, sql } from 'kysely'

const statement = sql`create index deliveries_dead on deliveries (organization_id, project_id, environment_id, webhook_id, id, event_at) where state = 'dead-letter'`

export async function up(db: Kysely<unknown>): Promise<void> {
  await statement.execute(db)
}
