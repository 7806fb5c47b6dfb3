/**
 * Stores that start as a copy of an empty store which this process has migrated: running all migrations costs as much
 * as a hundred tests of rows. Tests of migrations and of opening stores use `openStore` itself.
 */
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../../../storage/open.ts'
import type { Store } from '../../../storage/store.ts'

let migrated: Promise<Uint8Array> | undefined

async function migrate(): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-migrated-'))
  const file = join(folder, 'troupe.db')
  try {
    await (await openStore(`sqlite:${file}`)).close()
    return await Bun.file(file).bytes()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Opens the store at `address` (`sqlite:PATH`), with the current schema and no rows if there is no file yet. Without an
 * address the store gets its own file, which is removed with the temporary folder of the test file.
 */
export async function openMigrated(address?: string): Promise<Store> {
  if (address?.startsWith('postgres:')) return openStore(address)
  const file = address?.slice('sqlite:'.length) ?? join(await mkdtemp(join(tmpdir(), 'troupe-')), 'troupe.db')
  if (!existsSync(file)) {
    migrated ??= migrate()
    await writeFile(file, await migrated, { mode: 0o600 })
  }
  return openStore(`sqlite:${file}`)
}
