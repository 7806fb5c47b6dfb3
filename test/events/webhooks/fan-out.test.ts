/**
 * From the history to deliveries: nothing is lost or repeated, whatever happens in between. Source: requirement 6.1;
 * contract 7.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { allWork } from '../../../src/runtime/work-share.ts'
import { StoreUnavailable } from '../../../storage/errors.ts'
import { advancePointer } from '../../../storage/events/webhook-fan-out.ts'
import { markWebhookDeleted, updateWebhook } from '../../../storage/events/webhooks.ts'
import { eventually } from '../../support/process.ts'
import { Meddled, numbers, openWorld, type World } from './sender-world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

const isAt = (environmentId: string, sequence: number) =>
  eventually('a pointer at the head', async () => (await world.pointer(environmentId)) === sequence)

test('events from before the start are processed first, then new ones', async () => {
  const environmentId = await world.environment()
  await world.emit(environmentId, 3)
  const webhooks = [await world.webhook(environmentId), await world.webhook(environmentId)]
  await world.emit(environmentId, 350)
  const fanOut = world.fanOut()
  await fanOut.start()
  await isAt(environmentId, 353)
  await world.emit(environmentId, 20)
  await isAt(environmentId, 373)
  await fanOut.stop()
  for (const id of webhooks) expect(await world.sequences(id)).toEqual(numbers(4, 373))
})

test('a new webhook gets no event from before its creation, even if the fan-out lags', async () => {
  const environmentId = await world.environment()
  const old = await world.webhook(environmentId)
  await world.emit(environmentId, 120)
  // no fan-out has processed these yet
  expect(await world.pointer(environmentId)).toBe(0)
  const young = await world.webhook(environmentId)
  await world.emit(environmentId, 5)
  const fanOut = world.fanOut()
  await fanOut.start()
  await isAt(environmentId, 125)
  await fanOut.stop()
  expect([await world.sequences(old), await world.sequences(young)]).toEqual([numbers(1, 125), numbers(121, 125)])
})

test('an Environment without webhooks has no pointer, and costs nothing more', async () => {
  const [without, withOne] = [await world.environment(), await world.environment()]
  const id = await world.webhook(withOne)
  const fanOut = world.fanOut()
  await fanOut.start()
  await world.emit(without, 5)
  await world.emit(withOne)
  await isAt(withOne, 1)
  await fanOut.stop()
  expect(await world.pointer(without)).toBeUndefined()
  expect(await world.sequences(id)).toEqual([1])
})

test('two servers on one store give each event one delivery', async () => {
  const environmentId = await world.environment()
  const id = await world.webhook(environmentId)
  const made: number[] = []
  const servers = [0, 1].map((index) =>
    world.fanOut({
      actors: world.actorsOn(world.store),
      made: (ids) => {
        made[index] = (made[index] ?? 0) + ids.length
      },
    }),
  )
  for (const server of servers) await server.start()
  for (let round = 0; round < 20; round += 1) await world.emit(environmentId, 15)
  await isAt(environmentId, 300)
  for (const server of servers) await server.stop()
  expect(await world.sequences(id)).toEqual(numbers(1, 300))
  expect(made.reduce((sum, count) => sum + count, 0)).toBe(300)
})

test('a server whose history was taken over leaves it to the other one, without an error', async () => {
  const environmentId = await world.environment()
  await world.webhook(environmentId)
  await world.emit(environmentId, 20)
  const store = new Meddled(world.store)
  let commits = 0
  store.beforeCommit = async () => {
    // the other server
    await world.store.commit([advancePointer(world.store, { environmentId, from: commits, to: commits + 1 })])
    commits += 1
  }
  const errors: unknown[] = []
  const members = { ...allWork, owns: () => commits === 0 }
  const fanOut = world.fanOut({ store, members, onError: (error) => void errors.push(error) })
  await fanOut.start()
  await eventually('a commit', () => commits > 0)
  await fanOut.stop()
  expect({ commits, errors }).toEqual({ commits: 1, errors: [] })
})

const key = (environmentId: string, id: string) => ({ organizationId: world.organizationId, environmentId, id, at: 1 })
test.each([
  ['deleted', (environmentId: string, id: string) => markWebhookDeleted(world.store, key(environmentId, id))],
  [
    'disabled',
    (environmentId: string, id: string) =>
      updateWebhook(world.store, {
        ...key(environmentId, id),
        enabled: 0,
        endpointUrl: null,
        eventTypes: null,
        captureResponses: null,
      }),
  ],
])('a webhook that is %s between the query and the commit gets nothing, and delays no other', async (_, change) => {
  const environmentId = await world.environment()
  const [gone, stays] = [await world.webhook(environmentId), await world.webhook(environmentId)]
  await world.emit(environmentId, 5)
  const store = new Meddled(world.store)
  let meddled = false
  store.beforeCommit = async () => {
    if (meddled) return
    meddled = true
    await world.store.commit([change(environmentId, gone)])
  }
  const fanOut = world.fanOut({ store })
  await fanOut.start()
  await isAt(environmentId, 5)
  await fanOut.stop()
  expect([await world.sequences(gone), await world.sequences(stays)]).toEqual([[], numbers(1, 5)])
})

test('an unavailable store is queried again', async () => {
  const environmentId = await world.environment()
  const id = await world.webhook(environmentId)
  await world.emit(environmentId, 5)
  const store = new Meddled(world.store)
  let failures = 0
  store.beforeCommit = () => {
    failures += 1
    if (failures === 1) throw new StoreUnavailable('locked')
  }
  const errors: unknown[] = []
  const fanOut = world.fanOut({ store, onError: (error) => void errors.push(error) })
  await fanOut.start()
  await isAt(environmentId, 5)
  await fanOut.stop()
  expect(await world.sequences(id)).toEqual(numbers(1, 5))
  expect(errors).toEqual([expect.any(StoreUnavailable)])
})

test('expired events have no deliveries; the pointer passes them, also where they are removed', async () => {
  const [aged, pruned] = [await world.environment(), await world.environment()]
  const webhooks = [await world.webhook(aged), await world.webhook(pruned)]
  await world.emit(aged, 5)
  await world.emit(pruned, 5)
  await world.store.db.deleteFrom('environment_events').where('environment_id', '=', pruned).execute()
  const until = world.clock.now() + 60_000
  const fanOut = world.fanOut({ eventsUntil: () => until })
  await fanOut.start()
  await isAt(aged, 5)
  await isAt(pruned, 5)
  await fanOut.stop()
  for (const id of webhooks) expect(await world.sequences(id)).toEqual([])
})

test('no errors were reported', () => {
  expect(world.errors).toEqual([])
})
