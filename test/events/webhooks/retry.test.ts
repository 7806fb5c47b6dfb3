/** The retry operation, in each state of a delivery. Source: requirement 3, "Webhook delivery states"; contract 7. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { dataOf, verdict } from '../../support/world/replies.ts'
import { eventually, held, newPlace, openWorld, receiver, type World } from './world.ts'

let world: World
/** Without an override: a failed delivery waits. */
let patient: World
beforeAll(async () => {
  world = await openWorld({ environment: { TROUPE_WEBHOOK_BACKOFF_MS: '5' } })
  patient = await openWorld()
})
afterAll(() => Promise.all([world?.stop(), patient?.stop()]))

const retry = (of: World, webhookId: string, deliveryId: string) =>
  of.owner.post(`${of.path}/webhooks/${webhookId}/deliveries/${deliveryId}/retry`)

/** A dead letter, and the later answer of its endpoint. */
async function dead() {
  const answer = { status: 500 }
  const at = receiver(() => new Response(null, { status: answer.status }))
  const { id } = await world.webhook(at.url)
  await world.place.emit()
  const [delivery] = await world.settled(id, 1, 'dead-letter')
  return { id, delivery, answer, at }
}

test('retry queues a dead letter again with its attempts reset, and it is sent', async () => {
  const { id, delivery, answer } = await dead()
  expect(delivery.attempts).toBe(2)
  answer.status = 200
  const retried = await retry(world, id, delivery.deliveryId)
  expect(retried.status).toBe(200)
  expect(retried.body.data).toMatchObject({
    deliveryId: delivery.deliveryId,
    state: 'pending',
    attempts: 0,
    nextAttemptAt: null,
    deliveredAt: null,
  })
  const [delivered] = await world.settled(id, 1, 'delivered')
  expect(delivered).toMatchObject({ attempts: 1, eventId: delivery.eventId, createdAt: delivery.createdAt })
  expect(delivered.attemptHistory.map(({ number, status }: Record<string, number>) => [number, status])).toEqual([
    [1, 500],
    [2, 500],
    [1, 200],
  ])
})

test('a delivery that fails again gets all its attempts, and can be retried again', async () => {
  const { id, delivery, answer, at } = await dead()
  for (const attempts of [4, 6]) {
    expect((await retry(world, id, delivery.deliveryId)).status).toBe(200)
    await eventually('another dead-letter', async () => {
      const [found] = await world.deliveries(id)
      return at.received.length === attempts && found.state === 'dead-letter'
    })
  }
  answer.status = 200
  expect((await retry(world, id, delivery.deliveryId)).status).toBe(200)
  await world.settled(id, 1, 'delivered')
  expect(at.received.map(({ headers }) => headers['x-delivery-attempt'])).toEqual(['1', '2', '1', '2', '1', '2', '1'])
  expect(new Set(at.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
})

test('only the last 20 attempts are shown', async () => {
  const { id, delivery, at } = await dead()
  for (let attempts = 4; attempts <= 24; attempts += 2) {
    await retry(world, id, delivery.deliveryId)
    await eventually('another dead-letter', async () => {
      const [found] = await world.deliveries(id)
      return at.received.length === attempts && found.state === 'dead-letter'
    })
  }
  const [found] = await world.deliveries(id)
  expect(found.attemptHistory.length).toBe(20)
  expect(found.lastAttempt).toEqual(found.attemptHistory.at(-1))
})

test('of eight retries at once one answers 200, the others 409', async () => {
  const { id, delivery } = await dead()
  await world.owner.patch(`${world.path}/webhooks/${id}`, { enabled: false })
  const replies = await Promise.all(Array.from({ length: 8 }, () => retry(world, id, delivery.deliveryId)))
  expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)])
})

describe('retry answers 409 with the state while the delivery is', () => {
  const expectConflict = async (of: World, id: string, state: string) => {
    const [delivery] = await of.settled(id, 1, state)
    const refused = await retry(of, id, delivery.deliveryId)
    expect([...verdict(refused), refused.body.error.details]).toEqual([
      409,
      'invalid_transition',
      { currentState: state },
    ])
    const [after] = await of.deliveries(id)
    expect(after).toEqual(delivery)
  }

  test('pending', async () => {
    const { id, delivery } = await dead()
    await world.owner.patch(`${world.path}/webhooks/${id}`, { enabled: false })
    await retry(world, id, delivery.deliveryId)
    await expectConflict(world, id, 'pending')
  })

  test('in-flight', async () => {
    const { react, release } = held()
    const { id } = await world.webhook(receiver(react).url)
    await world.place.emit()
    await expectConflict(world, id, 'in-flight')
    release()
    await world.settled(id, 1, 'delivered')
  })

  test('retrying', async () => {
    const { id } = await patient.webhook(receiver(() => new Response(null, { status: 500 })).url)
    await patient.place.emit()
    await expectConflict(patient, id, 'retrying')
  })

  test('delivered', async () => {
    const { id } = await world.webhook(receiver().url)
    await world.place.emit()
    await expectConflict(world, id, 'delivered')
  })
})

test('retry answers for a foreign delivery exactly as for one that never existed', async () => {
  const { id, delivery } = await dead()
  const other = await world.webhook(receiver().url)
  const elsewhere = await newPlace(world.owner)
  const retryAt = (path: string, webhookId: string, deliveryId: string) =>
    world.owner.post(`${path}/webhooks/${webhookId}/deliveries/${deliveryId}/retry`)
  const replies = [
    await retryAt(world.path, id, newId('dlv')),
    await retryAt(world.path, other.id, delivery.deliveryId),
    await retryAt(elsewhere.path, id, delivery.deliveryId),
    await retryAt(world.path, id, 'dlv_nothing'),
  ]
  expect(replies.map(verdict)).toEqual(Array(4).fill([404, 'not_found']))
  expect(new Set(replies.map(({ body }) => JSON.stringify({ ...body.error, requestId: '' }))).size).toBe(1)
  expect((await world.deliveries(id))[0].state).toBe('dead-letter')
})

test('a retry is in the audit log, and in the journal with its actor', async () => {
  const { id, delivery, answer } = await dead()
  answer.status = 200
  await retry(world, id, delivery.deliveryId)
  await world.settled(id, 1, 'delivered')
  const actor = dataOf(await world.owner.get(`/api/v1/actors/delivery/${delivery.deliveryId}`))
  expect(actor.journal.map(({ event, from, to }: Record<string, string>) => [from, event, to])).toEqual([
    [null, 'create', 'pending'],
    ['pending', 'claimed', 'in-flight'],
    ['in-flight', 'refused', 'retrying'],
    ['retrying', 'due', 'in-flight'],
    ['in-flight', 'refused', 'dead-letter'],
    ['dead-letter', 'retry', 'pending'],
    ['pending', 'claimed', 'in-flight'],
    ['in-flight', 'acknowledged', 'delivered'],
  ])
  expect(actor.journal[5].actor.type).toBe('apiKey')
  const verified = dataOf(await world.owner.get(`/api/v1/actors/delivery/${delivery.deliveryId}/verify`))
  expect(JSON.stringify(verified)).toContain('true')
  const { items } = dataOf(
    await world.owner.get('/api/v1/organizations/default/audit-events', { query: { limit: 20 } }),
  )
  expect(items).toContainEqual(
    expect.objectContaining({
      operation: 'retryWebhookDelivery',
      resource: { type: 'webhookDelivery', id: delivery.deliveryId },
      outcome: 'allowed',
    }),
  )
})
