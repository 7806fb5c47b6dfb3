/**
 * The number of a step's `step.started` in the stream of its run: the order in which steps began. Their ids do not say it where
 * several servers number them side by side. 0: the step is older than this column, and its id says it.
 */
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table agent_steps add column sequence integer not null default 0`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`alter table agent_steps drop column sequence`.execute(db)
}
