/**
 * Where the server of a test keeps its data: a file, or, when the suite runs with `TROUPE_TEST_ENGINE=postgres`, its
 * own database. With `TROUPE_TEST_SERVERS=3` three servers share that database, and each request goes to the next one.
 */
import { dirname, join } from 'node:path'
import { SQL } from 'bun'
import type { Clock } from '../../../src/platform/time/clock.ts'
import { firstStart } from '../../../src/tenancy/setup/first-start.ts'
import { openStore } from '../../../storage/open.ts'
import { type Database, newDatabase } from '../services/postgres.ts'
import { bootstrapKey, ownerEmail, ownerPassword, putUsedStore } from './used-store.ts'

export const serverCount = Number(process.env.TROUPE_TEST_SERVERS ?? 1)
export const engine = process.env.TROUPE_TEST_ENGINE === 'postgres' || serverCount > 1 ? 'postgres' : 'sqlite'

/** A test that reuses the folder of another server reuses its database. */
const databases = new Map<string, Database>()
const templates = new Map<number, Promise<Database>>()

let migrated: Promise<Database> | undefined

async function migrate(): Promise<Database> {
  const database = await newDatabase()
  await (await openStore(database.address)).close()
  return database
}

/** A database with the current schema and no rows. */
export async function newMigratedDatabase(): Promise<Database> {
  migrated ??= migrate()
  return newDatabase((await migrated).name)
}

async function makeTemplate(clock: Clock): Promise<Database> {
  const database = await newMigratedDatabase()
  const store = await openStore(database.address)
  await firstStart(store, clock, { ownerEmail, ownerPassword, bootstrapApiKey: bootstrapKey })
  await store.close()
  return database
}

interface StorePlace {
  /** The database setting of the server. */
  environment: Record<string, string>
  remove(): Promise<void>
}

/** The address of the store at `file`, as `TROUPE_STORE` takes it. */
export const addressOf = (file: string): string => databases.get(dirname(file))?.address ?? `sqlite:${file}`

/** A copy needs its own name: servers of both databases may share a Redis. */
async function named(database: Database): Promise<Database> {
  const sql = new SQL({ url: database.address, max: 1 })
  await sql`update store_identity set name = ${crypto.randomUUID()}`
  await sql.close()
  return database
}

/** Puts a store that has completed its first start into the folder of a server. */
export async function placeStore(folder: string, clock: Clock, instant: number): Promise<StorePlace> {
  if (engine === 'sqlite') {
    const file = join(folder, 'troupe.db')
    if (!(await Bun.file(file).exists())) await putUsedStore(file, clock)
    return { environment: { TROUPE_STORE: `sqlite:${file}` }, remove: async () => {} }
  }
  const known = databases.get(folder)
  if (!known) {
    const template = templates.get(instant) ?? makeTemplate(clock)
    templates.set(instant, template)
    databases.set(folder, await named(await newDatabase((await template).name)))
  }
  const database = databases.get(folder) as Database
  return {
    environment: {
      TROUPE_STORE: database.address,
      TROUPE_MASTER_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
    },
    async remove() {
      databases.delete(folder)
      await database.remove()
    },
  }
}
