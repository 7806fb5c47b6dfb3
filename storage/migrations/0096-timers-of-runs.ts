/** The timer of a run moves into its row: a run has one at most, and it changes with the run's state. */
import { type Kysely, sql } from 'kysely'

const statements = [
  sql`alter table runs add column due_timer text`,
  sql`alter table runs add column due_at bigint`, // epoch milliseconds
  sql`update runs set
    due_timer = (select name from timers where timers.actor_id = runs.id and kind = 'run' order by due_at limit 1),
    due_at = (select min(due_at) from timers where timers.actor_id = runs.id and kind = 'run')
    where id in (select actor_id from timers where kind = 'run')`,
  sql`delete from timers where kind = 'run'`,
  sql`create index runs_due on runs (due_at) where due_at is not null`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
