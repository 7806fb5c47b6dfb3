/** Definitions that were deleted, and whose revisions are being removed. All others are not in it. */
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index definitions_deleted on definitions (status) where status = 'deleting'`.execute(db)
}
