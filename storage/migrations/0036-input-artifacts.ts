/** What is known of the artifact that is made of a run's input, so that a list need not make it. Source: contract 5, "checkpoint 0". */
import { type Kysely, sql } from 'kysely'

const statements = [
  // Both null until somebody has asked for them.
  sql`alter table run_inputs add column artifact_digest text`,
  sql`alter table run_inputs add column artifact_bytes bigint`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
