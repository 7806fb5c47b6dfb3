/** Recognizes the PostgreSQL database of another program. */
import { type Kysely, sql } from 'kysely'
import { StoreRefused } from '../errors.ts'

/**
 * Throws `StoreRefused` for the database of another program; tables of extensions belong to none. One statement, because
 * another server may make the tables of a new store right now.
 */
export async function assertOwnDatabase(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where nspname = current_schema() and relkind in ('r', 'p') and to_regclass('kysely_migration') is null
      and not exists (select 1 from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
    limit 1`.execute(db)
  if (!rows[0]) return
  throw new StoreRefused(
    `The store is the database of another program: it has a table ${rows[0].name}. Name another database in TROUPE_STORE.`,
  )
}
