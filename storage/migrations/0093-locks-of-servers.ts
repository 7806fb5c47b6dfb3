/** Whether a server that shares the store says by a lock that it is there, so that its end is noticed at once. */
import { type Kysely, sql } from 'kysely'
import { isSqlite } from '../sqlite/fragments.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  if (isSqlite(db)) return
  await sql`alter table processes add column holds_lock integer not null default 0`.execute(db)
}
