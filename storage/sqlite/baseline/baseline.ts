/**
 * What a new store looks like after the migrations that are named here: its tables, and the rows that migrations put there.
 * A new store is made from it in a seventh of the time that these migrations take one after the other; those that came
 * later follow. `generate.ts` writes it again, so that new stores run fewer migrations; a test compares both ways.
 */
import { type Kysely, sql } from 'kysely'

export interface Baseline {
  /** The migrations that it stands for. */
  migrations: readonly string[]
  /** In their order; `:now` stands for the time in epoch milliseconds. */
  statements: readonly string[]
}

/** The one that comes with this program; read when a store is new. */
export const baseline = async (): Promise<Baseline> => (await import('./baseline.json')).default

/**
 * Makes the tables and rows, all or nothing. Returns the migrations that this stands for: none if the program does not know
 * all of them.
 */
export async function applyBaseline(
  db: Kysely<unknown>,
  known: Readonly<Record<string, unknown>>,
  { migrations, statements }: Baseline,
): Promise<readonly string[]> {
  if (!migrations.every((name) => name in known)) return []
  const now = Date.now()
  const timestamp = new Date(now).toISOString()
  await db.transaction().execute(async (trx) => {
    for (const statement of statements) await sql.raw(statement.replaceAll(':now', String(now))).execute(trx)
    for (const name of migrations) {
      await sql`insert into kysely_migration (name, timestamp) values (${name}, ${timestamp})`.execute(trx)
    }
  })
  return migrations
}
