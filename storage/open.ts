/** Opens the configured store and migrates it to this program's version. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Kysely } from 'kysely'
import { StoreRefused } from './errors.ts'
import { assertMigrated, migrate } from './migrations.ts'
import { assertWhole } from './moving/marker.ts'
import { assertOwnDatabase } from './postgres/foreign.ts'
import type { PresenceKind } from './postgres/presence.ts'
import { openPostgres } from './postgres/store.ts'
import { diskRefusal } from './sqlite/failures.ts'
import { openSqlite } from './sqlite/store.ts'
import type { Store } from './store.ts'

const isPostgres = /^postgres(?:ql)?:/

const unknownStore = (address: string) =>
  new StoreRefused(
    `The store ${address.split(':', 1)[0]}: is not one that this version can open; use sqlite:PATH or postgres://….`,
  )

/**
 * `address` is `sqlite:PATH`, `sqlite::memory:` or `postgres://USER:PASSWORD@HOST:PORT/DATABASE`; `notice` receives
 * messages for the operator; `kind` says whether other servers may use the store at the same time (PostgreSQL only).
 * Throws `StoreRefused` with a message for the operator.
 */
export async function openStore(
  address: string,
  notice?: (line: string) => void,
  kind: PresenceKind = 'alone',
): Promise<Store> {
  if (isPostgres.test(address)) return openMigrated(address, kind)
  if (!address.startsWith('sqlite:')) throw unknownStore(address)
  return openFile(address.slice('sqlite:'.length), notice)
}

/**
 * Opens a store for a short time beside a running server. Creates and migrates nothing. Throws `StoreRefused`, also
 * unless the store is whole and has exactly this program's migrations.
 */
export async function openBeside(address: string): Promise<Store> {
  const store = isPostgres.test(address)
    ? await openPostgres(address, { kind: 'guest' })
    : openSqlite({ path: filePath(address), beside: true })
  try {
    if (store.engine === 'postgres') await assertWhole(store.db as unknown as Kysely<unknown>)
    await assertMigrated(store)
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

/** The file path of `sqlite:PATH`. Throws `StoreRefused` if the store is not a file or does not exist. */
export function filePath(address: string): string {
  if (isPostgres.test(address))
    throw new StoreRefused('The store is no file: PostgreSQL has tools of its own, such as pg_dump.')
  if (!address.startsWith('sqlite:')) throw unknownStore(address)
  const path = address.slice('sqlite:'.length)
  if (path === ':memory:') throw new StoreRefused('A store in memory is nowhere but in its server.')
  if (!existsSync(path)) throw new StoreRefused(`There is no store at ${resolve(path)}.`)
  return path
}

async function openMigrated(address: string, kind: PresenceKind): Promise<Store> {
  const store = await openPostgres(address, { kind })
  try {
    const db = store.db as unknown as Kysely<unknown>
    await assertWhole(db)
    await assertOwnDatabase(db)
    await migrate(store)
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

async function openFile(path: string, notice?: (line: string) => void): Promise<Store> {
  // SQLite treats an empty path as a temporary file, which is deleted on close.
  if (path === '') throw new StoreRefused('The store sqlite: names no file; use sqlite:PATH.')
  if (isPostgres.test(path))
    throw new StoreRefused(
      'The store sqlite:postgres:… is no file: a PostgreSQL database is named by postgres://… alone.',
    )
  const findings: string[] = []
  const store = openSqlite({ path, notice: (line) => void findings.push(line) })
  try {
    await migrate(store)
    // removes the long texts of units that an earlier process did not commit
    await store.sweepTexts()
    // if opening fails, only the cause is reported
    for (const line of findings) notice?.(line)
    return store
  } catch (error) {
    await store.close()
    throw diskRefusal(path, error) ?? error
  }
}
