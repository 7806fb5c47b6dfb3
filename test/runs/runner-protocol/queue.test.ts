/** The queue of runs: order, fairness, back-off, lost hints. Source: contract 5, "oldest first within an organization". */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RunQueue } from '../../../src/runs/attempts/leasing/queue.ts'
import { StoreUnavailable } from '../../../storage/errors.ts'
import { insertRun } from '../../../storage/runs/runs.ts'
import type { Store } from '../../../storage/store.ts'
import { insertOrganization } from '../../../storage/tenancy/organizations.ts'
import { ManualClock, quiet } from '../../runtime/support/clock.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'
import { systemRun } from '../../support/system-run.ts'

const now = 1_000_000
let folder: string
let store: Store
let clock: ManualClock
let queue: RunQueue
let errors: unknown[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-queue-'))
  store = await openMigrated(`sqlite:${join(folder, 'troupe.db')}`)
  clock = new ManualClock(now)
  errors = []
  queue = new RunQueue({ store, clock, onError: (error) => errors.push(error) })
  await store.commit(
    ['a', 'b', 'c'].map((name) =>
      insertOrganization(store, {
        id: `org_${name}`,
        slug: name,
        name,
        kind: 'team',
        status: 'active',
        created_at: now,
        updated_at: now,
      }),
    ),
  )
})
afterEach(async () => {
  queue?.close()
  await store?.close()
  await rm(folder, { recursive: true })
})

const runRow = (organization: string, id: string, availableAt: number) =>
  insertRun(store, {
    ...systemRun(id, `org_${organization}`, now),
    state: 'queued',
    version: 1,
    machine_version: '1',
    context: '{}',
    content_removed_at: null,
    available_at: availableAt,
    reserved_ms: 0,
    reserved_in: null,
    counted_bytes: 0,
    last_activity_kind: 'start',
    last_activity_at: now,
    updated_at: now,
  })

/** The ids of an organization's runs, oldest first. */
const idsOf = (organization: string, count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `run_${organization}_${String(from + index).padStart(6, '0')}`)
const keep = (organization: string, ids: string[], availableAt = now - 1) =>
  store.commit(ids.map((id) => runRow(organization, id, availableAt)))
const offer = (organization: string, ids: string[], availableAt = now - 1) => {
  for (const id of ids) queue.offer(id, `org_${organization}`, availableAt)
}
/** Stores and offers, like an admission. */
const admit = async (organization: string, ids: string[], availableAt?: number) => {
  await keep(organization, ids, availableAt)
  offer(organization, ids, availableAt)
}
/** The run is leased: it is no longer queued. */
const lease = async (id: string) => {
  await store.commit([{ sql: `update runs set state = 'running' where id = ?`, parameters: [id], rows: 1 }])
  queue.settle(id)
}
/** Takes and leases until nothing is left, or up to this number. */
async function drain(countMax = Number.POSITIVE_INFINITY): Promise<string[]> {
  const ids: string[] = []
  while (ids.length < countMax) {
    const taking = queue.take(0)
    if (taking instanceof Promise) await clock.advance(0)
    const id = await taking
    if (id === null) break
    ids.push(id)
    await lease(id)
  }
  return ids
}

describe('order', () => {
  test('within an organization the oldest run comes first', async () => {
    const ids = idsOf('a', 5)
    await admit('a', ids)
    expect(await drain()).toEqual(ids)
  })
  test('organizations take turns, however many runs each has', async () => {
    await admit('a', idsOf('a', 4))
    await admit('b', idsOf('b', 2))
    await admit('c', idsOf('c', 1))
    expect((await drain()).map((id) => id.slice(0, 5))).toEqual([
      'run_a',
      'run_b',
      'run_c',
      'run_a',
      'run_b',
      'run_a',
      'run_a',
    ])
  })
  test('a run that is handed back is the next one of its organization', async () => {
    const [one, two] = idsOf('a', 2) as [string, string]
    await admit('a', [one, two])
    expect(await queue.take(0)).toBe(one)
    queue.giveBack(one, 'org_a')
    expect(await drain()).toEqual([one, two])
  })
  test('a run that is offered twice is given out once', async () => {
    const ids = idsOf('a', 2)
    await admit('a', ids)
    offer('a', ids)
    const first = await queue.take(0)
    offer('a', ids)
    expect(first).toBe(ids[0] as string)
    expect(await drain()).toEqual([ids[1] as string])
  })
})

describe('a run without a hint', () => {
  test('is found at the start', async () => {
    await keep('a', idsOf('a', 3))
    await keep('b', idsOf('b', 1))
    queue.start()
    await quiet()
    expect(new Set(await drain())).toEqual(new Set([...idsOf('a', 3), ...idsOf('b', 1)]))
  })
  test('is found by polling, also while there is other work', async () => {
    queue.start()
    await quiet()
    await admit('a', idsOf('a', 10))
    await keep('b', idsOf('b', 1))
    await clock.advance(6_000)
    expect((await drain(3)).filter((id) => id.startsWith('run_b'))).toEqual(idsOf('b', 1))
  })
  test('goes to waiting runners', async () => {
    queue.start()
    await quiet()
    const waiting = queue.take(25_000)
    await keep('a', idsOf('a', 1))
    await clock.advance(6_000)
    expect(await waiting).toBe(idsOf('a', 1)[0] as string)
  })
})

describe('more runs than the window holds', () => {
  test('are all given out, in order, also those that start meanwhile', async () => {
    const ids = idsOf('a', 2_500)
    await keep('a', ids)
    queue.start()
    await quiet()
    expect(queue.size).toBe(1_000)
    const first = await drain(900)
    const more = idsOf('a', 50, 2_500)
    await admit('a', more)
    expect([...first, ...(await drain())]).toEqual([...ids, ...more])
  })
  test('of one organization do not delay its later ones while another one is busy', async () => {
    const ids = idsOf('a', 1_100)
    await admit('a', ids)
    const given: string[] = []
    for (let round = 0; given.filter((id) => id.startsWith('run_a')).length < 1_100; round += 1) {
      expect(round).toBeLessThan(1_300)
      await admit('b', idsOf('b', 1, round))
      given.push(...(await drain(2)))
    }
    expect(given.filter((id) => id.startsWith('run_a'))).toEqual(ids)
  })
  test('are found behind those that are taken and not leased yet', async () => {
    const ids = idsOf('a', 2_500)
    await keep('a', ids)
    queue.start()
    await quiet()
    const taken: (string | null)[] = []
    for (let count = 0; count < ids.length; count += 1) {
      const taking = queue.take(1_000)
      if (taking instanceof Promise) await quiet()
      taken.push(await taking)
    }
    expect(taken).toEqual(ids)
    // None is left, so a request waits; the event loop continues.
    const waiting = queue.take(50)
    await clock.advance(100)
    expect(await waiting).toBeNull()
  })
})

describe('back-off', () => {
  test('a run that is offered for later is given out then, and not before', async () => {
    await admit('a', idsOf('a', 1), now + 500)
    const early = queue.take(400)
    const later = queue.take(10_000)
    await clock.advance(450)
    expect(await early).toBeNull()
    expect(await Promise.race([later, 'waits'])).toBe('waits')
    await clock.advance(100)
    expect(await later).toBe(idsOf('a', 1)[0] as string)
  })
  test('a back-off that ends while there is other work is not forgotten', async () => {
    await admit('a', idsOf('a', 1), now + 500)
    await admit('b', idsOf('b', 20))
    await clock.advance(600)
    expect(await drain(2)).toContain(idsOf('a', 1)[0] as string)
  })
  test('several back-offs are waited for, in any order, from the store and from hints', async () => {
    await keep('b', idsOf('b', 1), now + 300)
    await keep('b', idsOf('b', 1, 1), now + 900)
    queue.start()
    await quiet()
    await admit('a', idsOf('a', 1), now + 600)
    const seen: [number, string][] = []
    for (let at = 0; at < 1_200; at += 50) {
      await clock.advance(50)
      for (const id of await drain()) seen.push([Math.ceil(at / 100), id])
    }
    expect(seen.map(([, id]) => id)).toEqual([...idsOf('b', 1), ...idsOf('a', 1), ...idsOf('b', 1, 1)])
    expect(seen.map(([at]) => at)).toEqual([3, 6, 9])
  })
})

describe('waiting', () => {
  test('ends without a run after its time, when the caller disconnects, or when the queue closes', async () => {
    const gone = new AbortController()
    const [timed, aborted, closed] = [queue.take(100), queue.take(10_000, gone.signal), queue.take(10_000)]
    gone.abort()
    expect(await aborted).toBeNull()
    await clock.advance(100)
    expect(await timed).toBeNull()
    queue.close()
    expect(await closed).toBeNull()
    await admit('a', idsOf('a', 1))
    expect(await queue.take(0)).toBeNull()
  })
  test('of a disconnected caller takes no run', async () => {
    const gone = new AbortController()
    const aborted = queue.take(10_000, gone.signal)
    const waiting = queue.take(10_000)
    gone.abort()
    await admit('a', idsOf('a', 1))
    expect([await aborted, await waiting]).toEqual([null, idsOf('a', 1)[0] as string])
    expect(await queue.take(10_000, gone.signal)).toBeNull()
  })
  test('is served in order of arrival', async () => {
    const waiting = [queue.take(10_000), queue.take(10_000), queue.take(10_000)]
    await admit('a', idsOf('a', 3))
    expect(await Promise.all(waiting)).toEqual(idsOf('a', 3))
  })
})

test('a store that is unavailable for a while loses no run', async () => {
  let away = true
  const failing = new Proxy(store, {
    get(target, name) {
      if (away && (name === 'first' || name === 'all')) {
        return () => Promise.reject(new StoreUnavailable('The store is away.'))
      }
      const member: unknown = Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  queue = new RunQueue({ store: failing, clock, onError: (error) => errors.push(error) })
  await keep('a', idsOf('a', 2))
  queue.start()
  const waiting = queue.take(25_000)
  await clock.advance(6_000)
  expect(errors.length).toBeGreaterThan(0)
  expect(errors.length).toBeLessThan(5)
  away = false
  await clock.advance(6_000)
  expect([await waiting, ...(await drain())]).toEqual(idsOf('a', 2))
})
