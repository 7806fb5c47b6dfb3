/** Lists the forks of a run. Source: contract 14, "Fork". */
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index runs_by_source on runs (organization_id, forked_from, id) where forked_from is not null`.execute(
    db,
  )
}
