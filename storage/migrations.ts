/**
 * Versioned, forward-only migrations, each applied in a transaction and never edited once merged. A migration may be
 * merged after one with a higher number, so every migration that a store lacks is applied, lowest number first.
 */
import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import * as all from './all-migrations.ts'
import { isTable } from './by-engine.ts'
import { StoreRefused } from './errors.ts'
import { applyBaseline, type Baseline, baseline } from './sqlite/baseline/baseline.ts'
import { withoutReferences } from './sqlite/fragments.ts'
import type { Store } from './store.ts'

/** All migrations, oldest first. */
export const migrations: Record<string, Migration> = all

/** The applied migrations of the store, oldest first. */
async function applied(db: Kysely<unknown>): Promise<string[]> {
  const { rows: notes } = await sql<{ are: boolean | number }>`select ${isTable('kysely_migration')} as are`.execute(db)
  if (!notes[0]?.are) return []
  const rows = await (db as Kysely<{ kysely_migration: { name: string } }>)
    .selectFrom('kysely_migration')
    .select('name')
    .orderBy('name')
    .execute()
  return rows.map(({ name }) => name)
}

/** Throws `StoreRefused` unless the store has exactly this program's migrations. */
export async function assertMigrated(store: Store): Promise<void> {
  const done = await applied(store.db as unknown as Kysely<unknown>)
  const unknown = done.find((name) => !(name in migrations))
  const missing = Object.keys(migrations).find((name) => !done.includes(name))
  if (unknown !== undefined) throw new StoreRefused(`The store is newer than this program: it has had ${unknown}.`)
  if (missing !== undefined) {
    throw new StoreRefused(
      `The store is older than this program: it lacks ${missing}, which a start of the server brings.`,
    )
  }
}

/**
 * Migrates the store to this program's version. A new SQLite store starts from the baseline, if one is given. Throws
 * `StoreRefused` if the store is newer or damaged, or if a migration fails.
 */
export async function migrate(
  store: Store,
  known: Record<string, Migration> = migrations,
  beginning: (() => Promise<Baseline>) | null = baseline,
): Promise<void> {
  const db = store.db as unknown as Kysely<unknown>
  let done: readonly string[]
  try {
    done = await applied(db)
  } catch (cause) {
    throw new StoreRefused(`The store cannot be read: ${(cause as Error).message}`, { cause })
  }
  const unknown = done.filter((name) => !(name in known))
  if (unknown.length > 0) {
    throw new StoreRefused(
      `The store is newer than this program: it has had the migration ${unknown.at(-1)}, which is not known here. Start a newer Troupe, or restore a backup.`,
    )
  }
  if (done.length === 0 && beginning && store.engine === 'sqlite') {
    done = await applyBaseline(db, known, await beginning()).catch((cause: Error) => {
      throw new StoreRefused(`The tables of the store cannot be made: ${cause.message}`, { cause })
    })
  }
  if (done.length === Object.keys(known).length) return
  const provider = { getMigrations: async () => known }
  const migrator = new Migrator({ db, provider, allowUnorderedMigrations: true })
  const { error, results } = await withoutReferences(db, () => migrator.migrateToLatest())
  if (error) {
    const failed = results?.find(({ status }) => status === 'Error')?.migrationName
    const reason = error instanceof Error ? error.message : String(error)
    throw new StoreRefused(
      failed ? `The migration ${failed} of the store failed: ${reason}` : `The store cannot be migrated: ${reason}`,
      { cause: error },
    )
  }
}
