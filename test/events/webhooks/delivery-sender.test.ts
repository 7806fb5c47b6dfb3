/** A single attempt, where a whole server cannot show the details. Source: contract 7, "Delivery"; design 3. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { deliveryAddress } from '../../../src/events/deliveries/actor.ts'
import { DeliverySender, type DeliverySenderParts } from '../../../src/events/deliveries/delivery-sender.ts'
import { SigningSecrets } from '../../../src/events/webhooks/signing-secrets.ts'
import { concurrentChange, storeUnavailable } from '../../../src/platform/http/answers/errors.ts'
import { createLogger } from '../../../src/platform/operating/logger.ts'
import type { Vault } from '../../../src/platform/secrets/vault.ts'
import { deleteSecrets, insertSecret } from '../../../storage/events/webhook-secrets.ts'
import { markWebhookDeleted } from '../../../storage/events/webhooks.ts'
import type { Query } from '../../../storage/store.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { eventually } from '../../support/process.ts'
import { openWorld, type World } from './sender-world.ts'

let world: World
const claimed: [string, number][] = []
beforeAll(async () => {
  world = await openWorld((id, claim) => void claimed.push([id, claim]))
})
afterAll(() => world?.close())

/** A sender whose endpoint accepts everything, and its requests. */
function sender(others: Partial<DeliverySenderParts> = {}) {
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
    ...others,
  } as unknown as DeliverySenderParts
  return { sender: new DeliverySender(parts), posted }
}

/** A claimed delivery of a new webhook. */
async function claimedDelivery() {
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
  await world.actors.send(deliveryAddress(id), { type: 'claimed' })
  return { id, webhookId, environmentId }
}

test('an outdated claim posts and reports nothing; the current one posts once', async () => {
  const { id } = await claimedDelivery()
  const stateOf = async () => (await world.actors.read(deliveryAddress(id)))?.state
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

test.each([
  ['while the store is unavailable', storeUnavailable(new Error('full'))],
  ['because of concurrent changes', concurrentChange(new Error('stale'))],
])('an outcome that could not be stored %s is reported again, and the event is not sent again', async (_, refusal) => {
  const { id } = await claimedDelivery()
  const refusals = [refusal]
  const actors: Pick<World['actors'], 'read' | 'send'> = {
    read: (address) => world.actors.read(address),
    send: async (...command) => {
      const refused = refusals.pop()
      if (refused) throw refused
      return world.actors.send(...command)
    },
  }
  const clock = new HandClock()
  const { sender: post, posted } = sender({ actors: actors as World['actors'], clock })
  const { signal } = new AbortController()
  const done = post.post(id, 1, signal)
  await eventually('the pause', async () => clock.waiting > 0)
  clock.advance(1_000)
  await done
  expect([posted, (await world.actors.read(deliveryAddress(id)))?.state]).toEqual([[id], 'delivered'])
})

test('nothing is sent unsigned if the webhook is deleted while an attempt begins', async () => {
  const { store, organizationId } = world
  const { id, webhookId, environmentId } = await claimedDelivery()
  const secret = { webhook_id: webhookId, version: 1, sealed: 'sealed', created_at: 1, expires_at: null }
  await store.commit([insertSecret(store, secret)])
  // between the look at the webhook and the one at its secrets
  const deleting = new Proxy(store, {
    get(target, name) {
      if (name !== 'all') return Reflect.get(target, name, target)
      return async (query: Query<unknown>) => {
        await store.commit([
          markWebhookDeleted(store, { organizationId, environmentId, id: webhookId, at: world.clock.now() }),
          deleteSecrets(store, { webhookId }),
        ])
        return target.all(query)
      }
    },
  })
  const secrets = new SigningSecrets({ store: deleting, vault: {} as Vault })
  const { sender: post, posted } = sender({ secrets })
  await post.post(id, 1, new AbortController().signal)
  expect(posted).toEqual([])
})
