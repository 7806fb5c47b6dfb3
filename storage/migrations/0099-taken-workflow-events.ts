/**
 * Whether a step of a workflow took an event that it was given: if its run ends before, the event goes to others. Source:
 * contract 14, "Workflows".
 */
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table workflow_events add column is_taken integer not null default 0 check (is_taken in (0, 1))`.execute(
    db,
  )
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table workflow_events drop column is_taken`.execute(db)
}
