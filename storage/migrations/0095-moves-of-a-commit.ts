/** Moves of an actor that are committed together share the row of the last of them, which has the others beside it. */
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table transitions add column earlier text`.execute(db) // JSON: a state, then the moves from there
}
