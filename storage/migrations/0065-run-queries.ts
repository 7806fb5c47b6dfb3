/** How the first message of a run begins: lists show it, and are searched by it. It goes with the content of the run. */
import { type Kysely, sql } from 'kysely'
import { memberOf } from '../by-engine.ts'

const statements = [
  sql`alter table runs add column query text`,
  // a body that is kept in pieces is no JSON, and too long to be looked into
  sql`update runs set query = (select substr(ltrim(${memberOf('body', 'query')}), 1, 200) from run_inputs
    where run_id = runs.id and chain = 1 and body like '{%') where content_removed_at is null`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
