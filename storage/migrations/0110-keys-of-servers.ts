/** Which master keys each server that shares the store has, so that none encrypts with one that another cannot read. */
import { type Kysely, sql } from 'kysely'
import { isSqlite } from '../sqlite/fragments.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  if (isSqlite(db)) return
  // a JSON array of fingerprints; null: a server of an earlier version, which does not say
  await sql`alter table processes add column master_keys text`.execute(db)
}
