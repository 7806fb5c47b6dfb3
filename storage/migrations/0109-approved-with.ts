/** The credential with which a person let a program have an API key: if it ends before the exchange, there is no key. */
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // the id of the session or the key; null until somebody approves
  await sql`alter table device_authorizations add column approved_with text`.execute(db)
}
