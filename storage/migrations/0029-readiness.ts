/** The row by which a server proves that its store can be written. */
import { type Kysely, sql } from 'kysely'

const statements = [
  sql`create table readiness (
    id          integer primary key check (id = 1),
    proved_at   bigint  not null
  )`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop table readiness`.execute(db)
}
