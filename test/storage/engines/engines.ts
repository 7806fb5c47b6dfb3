/** The engines that the storage suite runs on. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresIsInstalled } from '../../support/services/postgres.ts'
import { newMigratedDatabase } from '../../support/stores/engine.ts'

export interface Place {
  /** The address that `openStore` takes. */
  address: string
  remove(): Promise<void>
}

interface Engine {
  name: string
  /** A location for one empty store. */
  place(): Promise<Place>
}

const sqlite: Engine = {
  name: 'sqlite',
  async place() {
    const folder = await mkdtemp(join(tmpdir(), 'troupe-store-'))
    return { address: `sqlite:${join(folder, 'troupe.db')}`, remove: () => rm(folder, { recursive: true }) }
  },
}

export const engines: Engine[] = [
  sqlite,
  ...(postgresIsInstalled() ? [{ name: 'postgres', place: newMigratedDatabase }] : []),
]
