/**
 * Stores that have completed their first start: migrated, with the owner, the first organization and one API key. They
 * are copies of one store that this process made, since migrations and the hash of the owner's password cost as much as
 * the rest of a start.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Clock, systemClock } from '../../../src/platform/time/clock.ts'
import { newSecret } from '../../../src/tenancy/api-keys/secret.ts'
import { firstStart } from '../../../src/tenancy/setup/first-start.ts'
import { openMigrated } from './migrated-store.ts'

export const ownerEmail = 'owner@localhost'
export const ownerPassword = 'correct horse battery staple'
/** With all operations; the value for `TROUPE_BOOTSTRAP_API_KEY`. */
export const bootstrapKey = newSecret()

async function make(clock: Clock): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-used-'))
  const file = join(folder, 'troupe.db')
  try {
    const store = await openMigrated(`sqlite:${file}`)
    await firstStart(store, clock, { ownerEmail, ownerPassword, bootstrapApiKey: bootstrapKey })
    await store.close()
    return await Bun.file(file).bytes()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** By the instant of the first start; the real clock shares one entry. */
const made = new Map<number, Promise<Uint8Array>>()

/** Puts such a store at `file`, whose first start was now or slightly earlier. */
export async function putUsedStore(file: string, clock: Clock = systemClock): Promise<void> {
  const instant = clock === systemClock ? 0 : clock.now()
  const store = made.get(instant) ?? make(clock)
  made.set(instant, store)
  await writeFile(file, await store, { mode: 0o600 })
}
