/**
 * The order of deliveries. Source: contract 7, "At most 5 in flight per subscription and 200 per process, round-robin".
 */

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { deliveryAddress } from '../../../src/events/deliveries/actor.ts'
import { Dispatcher } from '../../../src/events/deliveries/dispatcher.ts'
import { DueTimes } from '../../../src/events/deliveries/due-times.ts'
import { allWork } from '../../../src/runtime/work-share.ts'
import { StaleWrite } from '../../../storage/errors.ts'
import { updateWebhook } from '../../../storage/events/webhooks.ts'
import { movesOf } from '../../../storage/runtime/journal.ts'
import type { Store } from '../../../storage/store.ts'
import { eventually } from '../../support/process.ts'
import { Meddled, openWorld, type World } from './sender-world.ts'

let world: World
let dispatcher: Dispatcher
/** Deliveries in flight, and functions that end them. */
let posts: Map<string, () => void>
let begun: string[]
/** How far the dispatcher's clock is ahead. */
let aheadMs: number
/** Called once, after the next read of the dispatcher. */
let onRead: (() => void) | undefined
let reads: number
const living = new Set([''])

beforeEach(async () => {
  posts = new Map()
  begun = []
  aheadMs = 0
  reads = 0
  living.delete('other')
  world = await openWorld((id, claim) => dispatcher.begin(id, claim))
  const { store, clock, actors, onError } = world
  const reading = new Meddled(store)
  reading.all = async (query) => {
    const rows = await store.all(query)
    reads += 1
    onRead?.()
    onRead = undefined
    return rows
  }
  dispatcher = new Dispatcher({
    store: reading,
    clock: { now: () => clock.now() + aheadMs, after: (ms, callback) => clock.after(ms, callback) },
    members: { ...allWork, living },
    actors,
    onError,
    eventsUntil: () => 0,
    post: (id, claim) => {
      begun.push(id)
      return new Promise<void>((resolve) => {
        posts.set(id, async () => {
          posts.delete(id)
          await actors.send(deliveryAddress(id), { type: 'acknowledged', claim, status: 200, durationMs: 1 })
          resolve()
        })
      })
    },
  })
})
afterEach(async () => {
  for (const end of posts.values()) end()
  await dispatcher?.stop(0)
  await world?.close()
})

/** Webhooks of one Environment with this many deliveries each. */
async function waiting(webhooks: number, deliveries: number, organizationId?: string): Promise<string[]> {
  const environmentId = await world.environment(organizationId)
  const ids: string[] = []
  for (let count = 0; count < webhooks; count += 1) ids.push(await world.webhook(environmentId))
  await world.emit(environmentId, deliveries)
  const fanOut = world.fanOut()
  await fanOut.start()
  await eventually('all of them', async () => (await world.pointer(environmentId)) === deliveries)
  await fanOut.stop()
  return ids
}
const owners = async () => {
  const rows = await world.store.db.selectFrom('deliveries').select(['id', 'webhook_id']).execute()
  return new Map(rows.map(({ id, webhook_id }) => [id, webhook_id]))
}
const perWebhook = (ids: Iterable<string>, of: Map<string, string>) => {
  const counts = new Map<string, number>()
  for (const id of ids) counts.set(of.get(id) as string, (counts.get(of.get(id) as string) ?? 0) + 1)
  return counts
}

test('at most 200 deliveries are in flight, and every webhook has its first turn before any has its second', async () => {
  await waiting(60, 8)
  const of = await owners()
  await dispatcher.start()
  await eventually('as many as may be', () => posts.size === 200)
  expect(dispatcher.inFlight).toBe(200)
  expect(perWebhook(begun.slice(0, 60), of).size).toBe(60)
  expect(perWebhook(begun.slice(60, 120), of).size).toBe(60)
  await eventually('all of them', () => {
    for (const end of [...posts.values()].slice(0, 50)) end()
    expect(posts.size).toBeLessThanOrEqual(200)
    return begun.length === 480 && posts.size === 0
  })
  expect(new Set(begun).size).toBe(480)
})

test('an organization with many slow attempts has half of the places, and others have the rest at once', async () => {
  await waiting(60, 8)
  await dispatcher.start()
  await eventually('as many as may be', () => posts.size === 200)
  aheadMs = 10_000
  for (const end of [...posts.values()]) end()
  await eventually('half of them', () => posts.size === 100 && begun.length === 300)

  const others = await waiting(30, 3, await world.newOrganization('others'))
  for (const id of others) dispatcher.offer(id, world.clock.now())
  const of = await owners()
  const inFlight = () => perWebhook(posts.keys(), of)
  await eventually('those of others', () => others.every((id) => inFlight().get(id) === 3))
  expect(posts.size).toBe(190)

  // fast again for a minute: nothing is left behind
  aheadMs += 70_000
  dispatcher.offer(others[0] as string, world.clock.now())
  await eventually('as many as may be', () => posts.size === 200)
  expect(world.errors).toEqual([])
})

test('at most five of each webhook are in flight, however many wait and however few the others have', async () => {
  await waiting(4, 30)
  const of = await owners()
  let most = 0
  const look = () => {
    most = Math.max(most, ...perWebhook(posts.keys(), of).values())
  }
  await dispatcher.start()
  await eventually('five of each', () => posts.size === 20)
  await eventually('all of them', () => {
    look()
    // one of each, so that there is always room for another
    const ends = new Map([...posts].map(([id, end]) => [of.get(id), end]))
    for (const end of ends.values()) end()
    return begun.length === 120 && posts.size === 0
  })
  expect(most).toBe(5)
})

test('at most five are in flight also if new deliveries take the places while due ones are read', async () => {
  const [webhookId] = (await waiting(1, 1)) as [string]
  const [id] = (await owners()).keys()
  const made = [1, 2, 3, 4, 5].map((count) => `dlv_${count}`)
  const taken: boolean[] = []
  onRead = () => {
    for (const each of made) taken.push(dispatcher.reserve(each, webhookId, world.organizationId))
  }
  await dispatcher.start()
  expect(taken).toEqual([true, true, true, true, true])
  // after a claim, if there is one
  const address = deliveryAddress(id as string)
  await expect(world.actors.send(address, { type: 'due' })).rejects.toThrow()
  expect((await world.actors.read(address))?.state).toBe('pending')
  dispatcher.release('dlv_1')
  await eventually('the one that is due', () => begun.includes(id as string))
  for (const each of made.slice(1)) dispatcher.release(each)
})

test('those that the previous server of the webhook still has in flight count among the five', async () => {
  await waiting(1, 8)
  living.add('other')
  const elsewhere = [...(await owners()).keys()].slice(0, 3)
  const put = (state: 'in-flight' | 'dead-letter') =>
    world.store.db.updateTable('deliveries').set({ state, due_at: null }).where('id', 'in', elsewhere).execute()
  await put('in-flight')
  await dispatcher.start()
  await eventually('two more', () => posts.size === 2)
  const before = reads
  await eventually('another count', () => reads > before + 2)
  expect(begun).toHaveLength(2)
  await put('dead-letter')
  await eventually('five', () => posts.size === 5)
})

test('deliveries of an earlier process are found, of many webhooks', async () => {
  await waiting(3, 2)
  await dispatcher.start()
  await eventually('all of them', () => posts.size === 6)
})

test('an unreadable record does not delay others', async () => {
  const [id] = await waiting(1, 12)
  const rows = await world.store.db.selectFrom('deliveries').select('id').orderBy('due_at').execute()
  const damaged = rows.slice(0, 7).map((row) => row.id)
  await world.store.db.updateTable('deliveries').set({ context: '{' }).where('id', 'in', damaged).execute()
  await dispatcher.start()
  await eventually('the others', () => {
    for (const end of [...posts.values()]) end()
    return begun.length === 5
  })
  expect(begun.filter((each) => damaged.includes(each))).toEqual([])
  expect(id).toStartWith('whk_')
  expect(new Set(world.errors.map((error) => (error as Error).name))).toEqual(new Set(['CorruptSnapshot']))
})

test('a webhook that is disabled after the query is not claimed, and continues when it is enabled', async () => {
  const [id] = (await waiting(1, 20)) as [string]
  const row = await world.store.db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const toggle = (enabled: 0 | 1) =>
    world.store.commit([
      updateWebhook(world.store, {
        organizationId: world.organizationId,
        environmentId: row.environment_id,
        id,
        enabled,
        endpointUrl: null,
        eventTypes: null,
        captureResponses: null,
        at: 1,
      }),
    ])
  await dispatcher.start()
  await eventually('five', () => posts.size === 5)
  // without notifying the dispatcher, as another process would
  await toggle(0)
  for (const end of [...posts.values()]) end()
  await eventually('quiet', async () => {
    const states = await world.store.db.selectFrom('deliveries').select('state').execute()
    return posts.size === 0 && states.filter(({ state }) => state === 'delivered').length === 5
  })
  expect(begun.length).toBe(5)
  await toggle(1)
  dispatcher.changed(id)
  await eventually('the others', () => {
    for (const end of [...posts.values()]) end()
    return begun.length === 20
  })
  expect(new Set(begun).size).toBe(20)
  expect(world.errors).toEqual([])
})

test('new deliveries are created as claimed while there is room and no delivery of their webhook waits', async () => {
  const { store, clock } = world
  const environmentId = await world.environment()
  const id = await world.webhook(environmentId)
  await dispatcher.start()
  const made = (webhookIds: readonly string[]) => {
    for (const webhookId of webhookIds) dispatcher.offer(webhookId, clock.now())
  }
  let refusals = 2
  let commits = 0
  const unsteady = {
    db: store.db,
    first: (query: never) => store.first(query),
    all: (query: never) => store.all(query),
    commit: (...unit: Parameters<Store['commit']>) => {
      commits += 1
      refusals -= 1
      return refusals >= 0 ? Promise.reject(new StaleWrite('not now')) : store.commit(...unit)
    },
  } as unknown as Store
  await world.emit(environmentId, 3)
  const fanOut = world.fanOut({ store: unsteady, dispatcher, made })
  await fanOut.start()
  // the room reserved by a refused commit is free again, and nothing of it has begun
  expect([commits, begun.length, dispatcher.inFlight]).toEqual([3, 3, 3])
  const delivered = await store.db.selectFrom('deliveries').select(['id', 'state', 'version', 'attempts']).execute()
  expect(delivered.map(({ state, version, attempts }) => [state, version, attempts])).toEqual(
    Array.from({ length: 3 }, () => ['in-flight', 1, 1]),
  )
  const journal = movesOf(await store.db.selectFrom('transitions').selectAll().where('kind', '=', 'delivery').execute())
  expect(journal.map(({ event }) => event).sort()).toEqual([...Array(3).fill('claimed'), ...Array(3).fill('create')])
  await world.emit(environmentId, 4, unsteady)
  await eventually('five, and two that wait', async () => {
    const states = await store.db.selectFrom('deliveries').select('state').where('webhook_id', '=', id).execute()
    return states.length === 7 && posts.size === 5
  })
  await eventually('all in turn', () => {
    for (const end of [...posts.values()]) end()
    return begun.length === 7 && posts.size === 0
  })
  const inOrder = await store.db.selectFrom('deliveries').select('id').orderBy('event_sequence').execute()
  expect(begun).toEqual(inOrder.map((row) => row.id))
  expect(world.errors).toEqual([])
  await fanOut.stop()
})

test('wake-ups: the earliest counts, and each is consumed once', () => {
  const dueTimes = new DueTimes()
  expect([dueTimes.from, dueTimes.take(1e15)]).toEqual([Number.POSITIVE_INFINITY, []])
  dueTimes.set('a', 30)
  dueTimes.set('a', 10)
  dueTimes.set('a', 20)
  dueTimes.set('b', 15)
  dueTimes.set('c', 40)
  expect([dueTimes.from, dueTimes.has('a'), dueTimes.take(9)]).toEqual([10, true, []])
  expect([dueTimes.take(15), dueTimes.from, dueTimes.take(39)]).toEqual([['a', 'b'], 40, []])
  expect([dueTimes.take(40), dueTimes.from, dueTimes.has('c')]).toEqual([['c'], Number.POSITIVE_INFINITY, false])
})
