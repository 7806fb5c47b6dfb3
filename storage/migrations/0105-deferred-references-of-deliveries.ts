/**
 * The references of deliveries, workflow runs and entities are checked at the end of the transaction, as those of
 * invocations have been: half of what the row of a delivery costs.
 */
import type { Kysely } from 'kysely'
import { deferReferences, isSqlite, referencesHold } from '../sqlite/fragments.ts'

const tables = ['deliveries', 'workflow_runs', 'entities']
/** The tables that refer to these. */
const below = ['workflow_values', 'workflow_waits', 'entity_past_charts']

export async function up(db: Kysely<unknown>): Promise<void> {
  if (!isSqlite(db)) return
  for (const table of tables) await deferReferences(db, table)
  await referencesHold(db, [...tables, ...below])
}
