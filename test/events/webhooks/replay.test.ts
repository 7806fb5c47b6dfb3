/** The replay operation and its keys. Source: requirement 4.13, "Replay rules"; 6.4; contract 7; trust 3.3, cases 40–44. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { dataOf, verdict } from '../../support/world/replies.ts'
import { held, newPlace, openWorld, receiver, statuses, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ environment: { TROUPE_WEBHOOK_BACKOFF_MS: '5' } })
})
afterAll(() => world?.stop())

const replay = (webhookId: string, deliveryId: string, key: string | undefined, at = world.path, of = world) =>
  of.owner.post(`${at}/webhooks/${webhookId}/deliveries/${deliveryId}/replays`, undefined, {
    headers: key === undefined ? {} : { 'idempotency-key': key },
  })

/** A webhook with one delivery. */
async function delivered() {
  const at = receiver()
  const { id } = await world.webhook(at.url)
  await world.place.emit()
  const [delivery] = await world.settled(id, 1, 'delivered')
  return { at, id, delivery, deliveryId: delivery.deliveryId as string }
}

test('a replay is a new delivery of the same event', async () => {
  const { at, id, delivery, deliveryId } = await delivered()
  const replayed = await replay(id, deliveryId, 'once')
  expect(replayed.status).toBe(200)
  const { data } = replayed.body
  expect(data).toMatchObject({
    webhookId: id,
    eventId: delivery.eventId,
    eventType: delivery.eventType,
    state: 'pending',
    attempts: 0,
    replayOf: deliveryId,
    lastAttempt: null,
    attemptHistory: [],
    expiresAt: delivery.expiresAt,
  })
  expect(data.deliveryId).not.toBe(deliveryId)
  const [second, first] = await world.settled(id, 2, 'delivered')
  expect(first).toEqual(delivery)
  expect(second.deliveryId).toBe(data.deliveryId)
  const [original, again] = at.received
  expect(again?.body).toBe(original?.body as string)
  expect(again?.headers).toMatchObject({
    'webhook-id': delivery.eventId,
    'x-delivery-id': data.deliveryId,
    'x-delivery-attempt': '1',
    'x-replay-of': deliveryId,
  })
})

test('a replay of a replay names the replay, and keeps the event', async () => {
  const { at, id, delivery, deliveryId } = await delivered()
  const first = dataOf(await replay(id, deliveryId, 'first')).deliveryId
  await world.settled(id, 2, 'delivered')
  const second = dataOf(await replay(id, first, 'second'))
  expect(second).toMatchObject({ replayOf: first, eventId: delivery.eventId })
  await world.settled(id, 3, 'delivered')
  expect(at.received.map(({ headers }) => [headers['webhook-id'], headers['x-replay-of']])).toEqual([
    [delivery.eventId, undefined],
    [delivery.eventId, deliveryId],
    [delivery.eventId, first],
  ])
})

test.each(['dead-letter', 'in-flight'])('a delivery that is %s can be replayed', async (state) => {
  const { react, release } = held()
  const { id } = await world.webhook(receiver(state === 'in-flight' ? react : statuses(500, 500, 200)).url)
  await world.place.emit()
  const [delivery] = await world.settled(id, 1, state)
  expect((await replay(id, delivery.deliveryId, 'key')).status).toBe(200)
  release()
  await world.settled(id, 2, 'delivered', 'dead-letter')
})

test('a replay to a disabled webhook is accepted, and waits', async () => {
  const { at, id, deliveryId } = await delivered()
  const path = `${world.path}/webhooks/${id}`
  await world.owner.patch(path, { enabled: false })
  const { deliveryId: replayed } = dataOf(await replay(id, deliveryId, 'key'))
  const other = await delivered()
  expect((await world.deliveries(id)).find((each) => each.deliveryId === replayed)).toMatchObject({ state: 'pending' })
  expect([at.received.length, other.at.received.length]).toEqual([1, 1])
  await world.owner.patch(path, { enabled: true })
  await world.settled(id, 2, 'delivered')
})

describe('the key', () => {
  test.each([
    ['missing', undefined],
    ['of 65 characters', 'k'.repeat(65)],
    ['with a tab', 'a\tb'],
    ['with an é', 'caf\u00e9'],
    ['empty', ''],
  ])('%s: 400', async (_, key) => {
    const { id, deliveryId } = await delivered()
    expect(verdict(await replay(id, deliveryId, key))).toEqual([400, 'invalid_idempotency_key'])
    expect(await world.deliveries(id)).toHaveLength(1)
  })

  test('may have 1 to 64 characters, including quotes and spaces', async () => {
    const { id, deliveryId } = await delivered()
    for (const key of ['k', '"a b"', 'k'.repeat(64)]) expect((await replay(id, deliveryId, key)).status).toBe(200)
    await world.settled(id, 4, 'delivered')
  })

  test('repeated for the same delivery: the first answer again', async () => {
    const { id, deliveryId } = await delivered()
    const first = await replay(id, deliveryId, 'key')
    await world.settled(id, 2, 'delivered')
    const second = await replay(id, deliveryId, 'key')
    expect([second.status, second.body]).toEqual([200, first.body])
    expect(second.headers.get('idempotency-replayed')).toBe('true')
    expect(await world.deliveries(id)).toHaveLength(2)
  })

  test('repeated by fifty requests at once: one new delivery, and the same answer for all', async () => {
    const { at, id, deliveryId } = await delivered()
    const replies = await Promise.all(Array.from({ length: 50 }, () => replay(id, deliveryId, 'key')))
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(replies.map(({ body }) => body.data.deliveryId)).size).toBe(1)
    await world.settled(id, 2, 'delivered')
    expect(at.received.length).toBe(2)
  })

  test('used for another delivery of the webhook: 409', async () => {
    const { id, deliveryId } = await delivered()
    const other = dataOf(await replay(id, deliveryId, 'key')).deliveryId
    expect(verdict(await replay(id, other, 'key'))).toEqual([409, 'idempotency_key_reused'])
  })

  test('of another webhook is another key', async () => {
    const [one, other] = [await delivered(), await delivered()]
    expect((await replay(one.id, one.deliveryId, 'key')).status).toBe(200)
    const second = await replay(other.id, other.deliveryId, 'key')
    expect([second.status, second.headers.get('idempotency-replayed')]).toEqual([200, null])
  })

  test('of another user of the organization is the same key', async () => {
    const { id, deliveryId } = await delivered()
    const first = await replay(id, deliveryId, 'key')
    const made = await world.owner.post('/api/v1/api-keys', { name: 'other', operations: ['webhooks:replay'] })
    const other = world.troupe.as(made.body.data.secret)
    const second = await other.post(`${world.path}/webhooks/${id}/deliveries/${deliveryId}/replays`, undefined, {
      headers: { 'idempotency-key': 'key' },
    })
    expect([second.status, second.body]).toEqual([200, first.body])
  })

  test('of a refused request is not stored', async () => {
    const { id, deliveryId } = await delivered()
    expect((await replay(id, newId('dlv'), 'key')).status).toBe(404)
    expect((await replay(id, deliveryId, 'key')).status).toBe(200)
  })
})

test('missing, foreign and expired deliveries get the same 404', async () => {
  const clock = new HandClock()
  const short = await openWorld({ clock, environment: { TROUPE_EVENT_RETENTION_DAYS: '0.5' } })
  try {
    const { id } = await short.webhook(receiver().url)
    await short.place.emit()
    const [delivery] = await short.settled(id, 1, 'delivered')
    expect(Date.parse(delivery.expiresAt) - Date.parse(delivery.createdAt)).toBe(43_200_000)
    const other = await short.webhook(receiver().url)
    const elsewhere = await newPlace(short.owner)
    const ask = (webhookId: string, deliveryId: string, at = short.path) =>
      replay(webhookId, deliveryId, `key ${crypto.randomUUID()}`, at, short)
    expect((await ask(id, delivery.deliveryId)).status).toBe(200)
    const replies = [
      await ask(id, newId('dlv')),
      await ask(other.id, delivery.deliveryId),
      await ask(id, delivery.deliveryId, elsewhere.path),
    ]
    clock.advance(43_200_001)
    replies.push(await ask(id, delivery.deliveryId))
    const retry = await short.owner.post(`${short.path}/webhooks/${id}/deliveries/${delivery.deliveryId}/retry`)
    expect([...replies, retry].map(verdict)).toEqual(Array(5).fill([404, 'not_found']))
    expect(new Set(replies.map(({ body }) => JSON.stringify({ ...body.error, requestId: '' }))).size).toBe(1)
    expect(await short.deliveries(id)).toEqual([])
  } finally {
    await short.stop()
  }
})
