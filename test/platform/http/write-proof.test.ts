/** Readiness proves that the store is writable by writing, at most once a second. Source: contract 9. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WriteProof } from '../../../src/platform/operating/write-proof.ts'
import type { Store } from '../../../storage/store.ts'
import { ManualClock } from '../../runtime/support/clock.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'

let folder: string
let store: Store
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-proof-'))
  store = await openMigrated(`sqlite:${join(folder, 'troupe.db')}`)
})
afterAll(async () => {
  await store?.close()
  await rm(folder, { recursive: true, force: true })
})

const provedAt = async () => (await store.db.selectFrom('readiness').select('proved_at').executeTakeFirst())?.proved_at

test('it writes its row again after a second, however often it is called', async () => {
  const clock = new ManualClock()
  const { check } = new WriteProof({ store, clock })
  await Promise.all([check(), check(), check()])
  const first = clock.now()
  expect(await provedAt()).toBe(first)
  await clock.advance(999)
  await check()
  expect(await provedAt()).toBe(first)
  await clock.advance(1)
  await check()
  expect(await provedAt()).toBe(first + 1_000)
})

test('it fails while nothing can be written, and recovers afterwards', async () => {
  const clock = new ManualClock(2_000_000)
  let isFull = true
  const commit: Store['commit'] = async (unit) => {
    if (isFull) throw new Error('database or disk is full')
    await store.commit(unit)
  }
  const full = Object.assign(Object.create(store) as Store, { commit })
  const { check } = new WriteProof({ store: full, clock })
  await expect(check()).rejects.toThrow('full')
  isFull = false
  await expect(check()).rejects.toThrow('full')
  await clock.advance(1_000)
  await check()
  expect(await provedAt()).toBe(clock.now())
})
