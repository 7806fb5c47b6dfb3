/**
 * When a call that a run's attempt waits for was last seen to go on, noted from time to time where several servers share the
 * store: only one of them sees it.
 */
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table runs add column progress_at bigint`.execute(db) // epoch milliseconds
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table runs drop column progress_at`.execute(db)
}
