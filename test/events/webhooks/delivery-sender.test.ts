/** A single attempt, where a whole server cannot show the details. Source: contract 7, "Delivery"; design 3. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { deliveryAddress } from '../../../src/events/deliveries/actor.ts'
import { DeliverySender, type DeliverySenderParts } from '../../../src/events/deliveries/delivery-sender.ts'
import { createLogger } from '../../../src/platform/operating/logger.ts'
import { eventually } from '../../support/process.ts'
import { openWorld, type World } from './sender-world.ts'

let world: World
const claimed: [string, number][] = []
beforeAll(async () => {
  world = await openWorld((id, claim) => void claimed.push([id, claim]))
})
afterAll(() => world?.close())

/** A sender whose endpoint accepts everything, and the number of its requests. */
function sender() {
  const posted: string[] = []
  const { store, clock, actors } = world
  const parts = {
    store,
    clock,
    actors,
    logger: createLogger('error', { write: () => {} }),
    outbound: {
      request: async ({ headers }: { headers: Record<string, string> }) => {
        posted.push(headers['x-delivery-id'] as string)
        return { status: 200, headers: {}, durationMs: 1 }
      },
    },
    secrets: { headers: async () => ({}) },
    timeoutMs: 1_000,
    leaseMs: 60_000,
    disabled: () => {},
  } as unknown as DeliverySenderParts
  return { sender: new DeliverySender(parts), posted }
}

test('an outdated claim posts and reports nothing; the current one posts once', async () => {
  const environmentId = await world.environment()
  const webhookId = await world.webhook(environmentId)
  await world.emit(environmentId)
  const fanOut = world.fanOut()
  await fanOut.start()
  await eventually('the delivery', async () => (await world.pointer(environmentId)) === 1)
  await fanOut.stop()
  const { id } = await world.store.db
    .selectFrom('deliveries')
    .select('id')
    .where('webhook_id', '=', webhookId)
    .executeTakeFirstOrThrow()
  const stateOf = async () => (await world.actors.read(deliveryAddress(id)))?.state
  await world.actors.send(deliveryAddress(id), { type: 'claimed' })
  expect(claimed).toEqual([[id, 1]])

  const { sender: post, posted } = sender()
  const { signal } = new AbortController()
  for (const claim of [0, 2]) await post.post(id, claim, signal)
  expect([posted, await stateOf()]).toEqual([[], 'in-flight'])
  // the answer to an earlier attempt does not count for this one
  const late = { type: 'acknowledged', claim: 0, status: 200, durationMs: 1 }
  await world.actors.send(deliveryAddress(id), late).catch(() => {})
  expect(await stateOf()).toBe('in-flight')
  await post.post(id, 1, signal)
  expect([posted, await stateOf()]).toEqual([[id], 'delivered'])
})
