/** Marks a database that is being filled from another store; no server may use it until it is complete. */
import { type Kysely, sql } from 'kysely'
import { StoreRefused } from '../errors.ts'

type Db = Kysely<unknown>

export const markerTable = 'troupe_move'

export async function isBeingFilled(db: Db): Promise<boolean> {
  const { rows } = await sql<{
    is_there: number
  }>`select to_regclass(${`public.${markerTable}`}) is not null as is_there`.execute(db)
  return rows[0]?.is_there === 1
}

export const mark = (db: Db) => sql`create table if not exists ${sql.table(markerTable)} (begun text)`.execute(db)

export const unmark = (db: Db) => sql`drop table ${sql.table(markerTable)}`.execute(db)

/** Throws `StoreRefused` while the move into the database is incomplete. */
export async function assertWhole(db: Db): Promise<void> {
  if (await isBeingFilled(db)) {
    throw new StoreRefused(
      'The store is not whole: `troupe admin move` into it was interrupted. Give that command again, or use another database.',
    )
  }
}
