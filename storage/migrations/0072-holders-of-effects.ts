/**
 * The server that carries an effect out, where several share the store: it keeps the effect as long as it lives. null: whoever
 * owns the actor's slot.
 */
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table effects add column holder text`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table effects drop column holder`.execute(db)
}
