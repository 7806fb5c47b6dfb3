/** Opens the store that the configuration names, brought up to this program's version. */
import { StoreRefused } from './errors.ts'
import { migrate } from './migrations.ts'
import { openPostgres } from './postgres/store.ts'
import { diskRefusal } from './sqlite/failures.ts'
import { openSqlite } from './sqlite/store.ts'
import type { Store } from './store.ts'

/**
 * `address` is `sqlite:PATH`, `sqlite::memory:` or `postgres://USER:PASSWORD@HOST:PORT/DATABASE`; `notice` hears what the
 * operator should know. Throws `StoreRefused` with a line for the operator.
 */
export async function openStore(address: string, notice?: (line: string) => void): Promise<Store> {
  if (/^postgres(?:ql)?:/.test(address)) return openShared(address)
  if (!address.startsWith('sqlite:')) {
    throw new StoreRefused(
      `The store ${address.split(':', 1)[0]}: is not one that this version can open; use sqlite:PATH or postgres://….`,
    )
  }
  return openFile(address.slice('sqlite:'.length), notice)
}

async function openShared(address: string): Promise<Store> {
  const store = await openPostgres(address)
  try {
    await migrate(store)
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

async function openFile(path: string, notice?: (line: string) => void): Promise<Store> {
  // SQLite would take an empty path for a temporary file and lose everything at the end.
  if (path === '') throw new StoreRefused('The store sqlite: names no file; use sqlite:PATH.')
  const findings: string[] = []
  const store = openSqlite({ path, notice: (line) => void findings.push(line) })
  try {
    await migrate(store)
    // of units that an earlier process did not get to commit
    await store.sweepTexts()
    // whoever does not get a store hears why, and nothing else
    for (const line of findings) notice?.(line)
    return store
  } catch (error) {
    await store.close()
    throw diskRefusal(path, error) ?? error
  }
}
