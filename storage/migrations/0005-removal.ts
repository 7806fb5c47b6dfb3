/**
 * Finds what goes with an organization, a Project or an Agent without a look at anybody else's rows. Source: contract 2, "Deletion".
 */
import { type Kysely, sql } from 'kysely'

const statements = [
  sql`create index environments_of_organization on environments (organization_id)`,
  sql`create index agents_of_organization on agents (organization_id)`,
  sql`create index agent_revisions_of_organization on agent_revisions (organization_id)`,
  sql`create index effects_of_actor on effects (actor_id, kind)`,
  sql`create index deletions_ended on deletions (updated_at) where state = 'deleted'`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
