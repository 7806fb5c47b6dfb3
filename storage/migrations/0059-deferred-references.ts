/**
 * The references of invocations and worker calls are checked at the end of the transaction. A table with triggers whose
 * references are checked at once makes SQLite copy every page that an insert changes, of eighteen trees: three quarters of
 * what an invocation's row costs.
 */
import type { Kysely } from 'kysely'
import { deferReferences, isSqlite, referencesHold } from '../sqlite/fragments.ts'

const tables = ['operation_invocations', 'worker_calls']

export async function up(db: Kysely<unknown>): Promise<void> {
  if (!isSqlite(db)) return
  for (const table of tables) await deferReferences(db, table)
  await referencesHold(db, [...tables, 'operation_approvals'])
}
