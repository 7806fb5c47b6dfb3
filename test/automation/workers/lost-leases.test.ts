/** Workers that die, freeze or respond late, and a server that is killed. Source: contract 11, "Lost lease". */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { eventually } from '../../support/process.ts'
import { data } from '../../support/world/replies.ts'
import { type Lease, once, openWorkers, type Served, type WorkersWorld, workerOperation } from './world.ts'

let folder: string
let clock: HandClock
let world: WorkersWorld
let served: Served
const timeoutMs = 120_000
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-workers-'))
  clock = new HandClock()
  world = await openWorkers({ clock, folder })
  served = await world.serving([
    workerOperation('charge', { ...once, timeoutMs }),
    workerOperation('put', { effect: 'write', timeoutMs }),
    workerOperation('poison', { timeoutMs: 86_400_000 }),
    workerOperation('look', { idempotent: false, timeoutMs }),
  ])
})
afterAll(async () => {
  await world?.stop()
  await rm(folder, { recursive: true, force: true })
})

/** The invocation that a worker has leased; its caller no longer waits. */
async function leased(operation: string): Promise<Lease> {
  void served.invoke(operation, { input: {} }).catch(() => {})
  await eventually('a queued call', () => queued() === 1)
  const { body } = await world.lease(served)
  return body.data.lease
}
const queued = () => world.rows<{ n: number }>("select count(*) as n from worker_calls where state = 'queued'")[0]!.n
const stateOf = ({ invocationId: id }: Lease) =>
  world.rows<{ state: string }>('select state from worker_calls where id = ?', id)[0]!.state
const shownWorkers = async () => {
  const { workers } = await data<{ workers: { workerId: string }[] }>(world.owner.get(`${served.place.path}/workers`))
  return workers.map(({ workerId }) => workerId)
}
const loses = async (lease: Lease) => {
  clock.advance(30_000)
  await eventually('the end of the lease', () => stateOf(lease) !== 'leased')
}

describe('a worker that dies', () => {
  test.each(['put', 'look'])('loses its call to another one if it is repeatable: %s', async (operation) => {
    const lease = await leased(`shop.${operation}`)
    await loses(lease)
    const { body } = await world.lease(served, { workerId: 'w2' })
    const again = body.data.lease as Lease
    expect(again).toMatchObject({ invocationId: lease.invocationId, attempt: 2, idempotencyKey: lease.idempotencyKey })
    expect(again.token).not.toBe(lease.token)

    // the first one was only slow
    expect((await world.heartbeat(served, lease)).body.error.code).toBe('stale_lease')
    expect((await world.complete(served, lease, { output: 'late' })).body.error.code).toBe('stale_lease')
    expect((await world.complete(served, again, { output: 'good' })).status).toBe(200)
    expect(await world.invocationEnded(served, lease.invocationId)).toMatchObject({
      state: 'succeeded',
      output: 'good',
    })
  })

  test('leaves a write that is not repeatable unknown', async () => {
    const lease = await leased('shop.charge')
    await loses(lease)
    expect((await world.lease(served)).status).toBe(204)
    expect((await world.complete(served, lease, { output: 'late' })).body.error.code).toBe('stale_lease')
    expect(await world.invocationEnded(served, lease.invocationId)).toMatchObject({ state: 'unknown', output: null })
  })

  test('is leased the same call five times in all, and no more', async () => {
    const first = await leased('shop.poison')
    await loses(first)
    for (let attempt = 2; attempt <= 5; attempt += 1) {
      const { body } = await world.lease(served)
      expect(body.data.lease).toMatchObject({ invocationId: first.invocationId, attempt })
      await loses(first)
    }
    expect(await world.invocationEnded(served, first.invocationId)).toMatchObject({
      state: 'failed',
      error: { code: 'worker_lost' },
    })
  })
})

describe('a lease whose response was lost', () => {
  test('is returned again to its worker, which names what it holds: once more, with another token', async () => {
    const [kept, lost] = [await leased('shop.charge'), await leased('shop.charge')]
    expect((await world.lease(served, { held: [kept.invocationId, lost.invocationId] })).status).toBe(204)
    const { body } = await world.lease(served, { slots: 10, held: [kept.invocationId] })
    const { lease, more } = body.data as { lease: Lease; more: Lease[] }
    expect([lease.invocationId, lease.attempt, lease.input, more]).toEqual([lost.invocationId, 1, {}, []])
    expect((await world.complete(served, lost, { output: 'old' })).body.error.code).toBe('stale_lease')
    expect((await world.complete(served, lease, { output: 'got' })).status).toBe(200)
    expect(await world.invocationEnded(served, lost.invocationId)).toMatchObject({ output: 'got' })
    await world.complete(served, kept, { output: 1 })
  })

  test('is not returned again to another worker, for another queue, without those names, or after a heartbeat', async () => {
    const lease = await leased('shop.charge')
    for (const body of [{ workerId: 'w2', held: [] }, { queue: 'other', held: [] }, {}]) {
      expect((await world.lease(served, body)).status).toBe(204)
    }
    await world.heartbeat(served, lease)
    expect((await world.lease(served, { held: [] })).status).toBe(204)
    await world.complete(served, lease, { output: 1 })
  })

  test('is returned to a worker that is leaving, but nothing new', async () => {
    const waiting = world.lease(served, { workerId: 'w4', waitSeconds: 25 })
    await eventually('a worker that waits', async () => (await shownWorkers()).includes('w4'))
    expect((await world.lease(served, { workerId: 'w4', leaving: true })).status).toBe(204)
    // the waiting request returns, and leases nothing more
    expect((await waiting).status).toBe(204)
    const lease = await leased('shop.charge')
    void served.invoke('shop.look', { input: {} }).catch(() => {})
    await eventually('a queued call', () => queued() === 1)
    const { body } = await world.lease(served, { slots: 10, held: [], leaving: true })
    expect([body.data.lease.invocationId, body.data.more]).toEqual([lease.invocationId, []])
    expect((await world.lease(served, { held: [lease.invocationId], leaving: true })).status).toBe(204)
    await world.complete(served, body.data.lease, { output: 1 })
    const { body: other } = await world.lease(served)
    await world.complete(served, other.data.lease, { output: 1 })
  })

  test('is not lost if the worker had disconnected before it was leased', async () => {
    const gone = new AbortController()
    const asking = fetch(`${world.url}${served.place.path}/workers/leases`, {
      method: 'POST',
      signal: gone.signal,
      headers: { Authorization: `Bearer ${world.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ queue: 'billing', workerId: 'w3', slots: 1, waitSeconds: 25 }),
    }).catch(() => 'gone')
    await eventually('a worker that waits', async () => (await shownWorkers()).includes('w3'))
    gone.abort()
    await asking
    const lease = await leased('shop.charge')
    expect(lease).toMatchObject({ attempt: 1 })
    await world.complete(served, lease, { output: 1 })
  })
})

test('heartbeats keep a lease until the call times out', async () => {
  const lease = await leased('shop.put')
  for (let beats = 0; beats < 5; beats += 1) {
    clock.advance(20_000)
    expect((await world.heartbeat(served, lease)).status).toBe(200)
  }
  clock.advance(20_000)
  await eventually('the end of the call', () => stateOf(lease) === 'failed')
  expect((await world.heartbeat(served, lease)).status).toBe(409)
  expect(await world.invocationEnded(served, lease.invocationId)).toMatchObject({ error: { code: 'timeout' } })
})

test('a queue without workers fails its calls by timeout', async () => {
  void served.invoke('shop.charge', { input: {} }).catch(() => {})
  await eventually('a queued call', () => queued() === 1)
  clock.advance(timeoutMs)
  await eventually('the end of the call', () => queued() === 0)
  const [{ id }] = world.rows<{ id: string }>('select id from worker_calls order by id desc limit 1') as [
    { id: string },
  ]
  expect(await world.invocationEnded(served, id)).toMatchObject({ state: 'failed', error: { code: 'no_worker' } })
})

test('a restarted server continues with queued and leased calls', async () => {
  const lease = await leased('shop.charge')
  void served.invoke('shop.look', { input: {} }).catch(() => {})
  await eventually('a queued call', () => queued() === 1)
  await world.stop()

  world = await openWorkers({ clock, folder })
  expect((await world.complete(served, lease, { output: 'kept' })).status).toBe(200)
  expect(await world.invocationEnded(served, lease.invocationId)).toMatchObject({ state: 'succeeded', output: 'kept' })
  const { body } = await world.lease(served)
  const other = body.data.lease as Lease
  expect(other.operation).toBe('shop.look')
  await world.complete(served, other, { output: 1 })
  expect(await world.invocationEnded(served, other.invocationId)).toMatchObject({ state: 'succeeded' })
})

test('workers seen by another server, or by this one before its restart, are listed', async () => {
  await world.lease(served, { workerId: 'w7', queue: 'other', slots: 3, operations: ['shop.charge'] })
  const stored = () => world.rows<{ worker_id: string }>("select worker_id from workers where queue = 'other'")
  await eventually('a stored worker', () => stored().length === 1)
  await world.stop()
  world = await openWorkers({ clock, folder })
  const { workers } = await data<{ workers: object[] }>(world.owner.get(`${served.place.path}/workers`))
  expect(workers.filter((worker) => (worker as { queue: string }).queue === 'other')).toEqual([
    {
      workerId: 'w7',
      queue: 'other',
      operations: ['shop.charge'],
      slots: 3,
      leased: 0,
      lastSeenAt: expect.any(String),
    },
  ])
  await world.lease(served, { workerId: 'w7', queue: 'other', leaving: true })
  expect([await shownWorkers(), stored()].map((all) => all.includes('w7' as never))).toEqual([false, false])
  await world.lease(served, { workerId: 'w8', queue: 'other' })
  expect(await shownWorkers()).toContain('w8')
  clock.advance(61_000)
  expect(await shownWorkers()).not.toContain('w8')
})
