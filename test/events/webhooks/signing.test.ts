/**
 * Signatures, verified like receivers verify them, and the rotation of secrets. Source: contract 7, "Standard
 * Webhooks"; trust 2.1.
 */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Webhook as Verifier } from 'standardwebhooks'
import { systemClock } from '../../../src/platform/time/clock.ts'
import { data, dataOf, verdict } from '../../support/world/replies.ts'
import { eventually, openWorld, type Received, receiver, type World } from './world.ts'

const hour = 3_600_000

/** The system's clock, ahead by this many milliseconds. */
const ahead = { ms: 0 }
const clock = { now: () => Date.now() + ahead.ms, after: systemClock.after }

let world: World
beforeAll(async () => {
  world = await openWorld({ clock, environment: { TROUPE_WEBHOOK_BACKOFF_MS: '20,20' } })
})
afterAll(() => world?.stop())

/** The result of the receiver's library with this secret. */
function verifies(secret: string, { headers, body }: Pick<Received, 'headers' | 'body'>): boolean {
  try {
    new Verifier(secret).verify(body, headers)
    return true
  } catch {
    return false
  }
}
const rotate = (id: string) => world.owner.post(`${world.path}/webhooks/${id}/secrets`)

/** The next request that the receiver gets. */
async function next(at: ReturnType<typeof receiver>, id: string): Promise<Received> {
  const before = at.received.length
  await world.place.emit()
  await world.settled(id, before + 1, 'delivered')
  return at.received.at(-1) as Received
}

test('the library verifies the first delivery, and rejects it with one changed byte', async () => {
  const at = receiver()
  const { id, signingSecret } = await world.webhook(at.url)
  const deploymentId = await world.place.emit()
  const [delivery] = await world.settled(id, 1, 'delivered')
  const [got] = at.received as [Received]
  expect(verifies(signingSecret, got)).toBe(true)
  expect(verifies(signingSecret, { ...got, body: got.body.replace('queued', 'queuet') })).toBe(false)
  expect(got.headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': 'Troupe-Webhooks/1',
    'webhook-id': delivery.eventId,
    'x-delivery-id': delivery.deliveryId,
    'x-delivery-attempt': '1',
  })
  expect(got.headers).not.toHaveProperty('x-replay-of')
  expect(got.headers).not.toHaveProperty('authorization')
  expect(JSON.parse(got.body)).toMatchObject({
    id: delivery.eventId,
    type: 'deployment.queued',
    subject: { type: 'deployment', id: deploymentId },
  })
})

test('the body is the event of the history, byte for byte', async () => {
  const at = receiver()
  const { id } = await world.webhook(at.url)
  const got = await next(at, id)
  const { body } = world.rows('select body from environment_events where id = ?', got.headers['webhook-id'] ?? '')[0]
  expect(got.body).toBe(body)
})

test('every attempt has a new signature: the same webhook-id, another time, and the library accepts each', async () => {
  const at = receiver(async (_, count) => {
    ahead.ms += 7 * 60_000
    return new Response(null, { status: count < 3 ? 500 : 200 })
  })
  const { id, signingSecret } = await world.webhook(at.url)
  await world.place.emit()
  await world.settled(id, 1, 'delivered')
  expect(at.received.map(({ headers }) => headers['x-delivery-attempt'])).toEqual(['1', '2', '3'])
  expect(new Set(at.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  const times = at.received.map(({ headers }) => Number(headers['webhook-timestamp']))
  expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(420)
  expect(times[2]! - times[1]!).toBeGreaterThanOrEqual(420)
  await world.owner.delete(`${world.path}/webhooks/${id}`)
  ahead.ms = 0
  // the library of a receiver whose clock agrees with the server's
  for (const { headers, body } of at.received) {
    const signature = new Verifier(signingSecret).sign(
      headers['webhook-id'] ?? '',
      new Date(Number(headers['webhook-timestamp']) * 1000),
      body,
    )
    expect(headers['webhook-signature']).toBe(signature)
  }
})

test('after a rotation the new secret signs first and the old one for 24 hours', async () => {
  ahead.ms = 0
  const at = receiver()
  const { id, signingSecret: old } = await world.webhook(at.url)
  const rotated = await rotate(id)
  expect(rotated.status).toBe(200)
  const { signingSecret: current, ...webhook } = rotated.body.data
  expect(webhook).toMatchObject({ id, secretVersion: 2 })
  expect(current).not.toBe(old)

  const during = await next(at, id)
  expect(verifies(old, during) && verifies(current, during)).toBe(true)
  const [first, second, ...more] = during.headers['webhook-signature']?.split(' ') ?? []
  const sign = (secret: string) =>
    new Verifier(secret).sign(
      during.headers['webhook-id'] ?? '',
      new Date(Number(during.headers['webhook-timestamp']) * 1000),
      during.body,
    )
  expect([first, second, more]).toEqual([sign(current), sign(old), []])

  ahead.ms = 24 * hour + 1
  const after = await next(at, id)
  ahead.ms = 0
  expect(after.headers['webhook-signature']?.split(' ').length).toBe(1)
  const signed = new Verifier(current).sign(
    after.headers['webhook-id'] ?? '',
    new Date(Number(after.headers['webhook-timestamp']) * 1000),
    after.body,
  )
  expect(after.headers['webhook-signature']).toBe(signed)
})

test('the sixth rotation within 24 hours is 400, and possible again once the first secret has expired', async () => {
  const at = receiver()
  const { id, signingSecret } = await world.webhook(at.url)
  const secrets = [signingSecret]
  for (let count = 0; count < 5; count += 1) secrets.unshift(dataOf(await rotate(id)).signingSecret)
  expect(verdict(await rotate(id))).toEqual([400, 'secret_rotation_limit'])
  expect(dataOf(await world.owner.get(`${world.path}/webhooks/${id}`)).secretVersion).toBe(6)
  const got = await next(at, id)
  expect(secrets.map((secret) => verifies(secret, got))).toEqual(Array(6).fill(true))
  ahead.ms = 24 * hour + 1
  expect((await rotate(id)).status).toBe(200)
  ahead.ms = 0
})

test('of eight concurrent rotations five succeed and three are 400; each shown secret verifies', async () => {
  const at = receiver()
  const { id, signingSecret } = await world.webhook(at.url)
  const replies = await Promise.all(Array.from({ length: 8 }, () => rotate(id)))
  expect(replies.map(({ status }) => status).sort()).toEqual([...Array(5).fill(200), ...Array(3).fill(400)])
  const shown = replies.filter(({ status }) => status === 200).map(({ body }) => body.data)
  expect(shown.map(({ secretVersion }) => secretVersion).sort()).toEqual([2, 3, 4, 5, 6])
  const got = await next(at, id)
  for (const secret of [signingSecret, ...shown.map(({ signingSecret: each }) => each)])
    expect(verifies(secret, got)).toBe(true)
})

test('a rotation during an attempt signs the next one', async () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  const at = receiver(async (_, count) => {
    if (count === 1) await answered
    return new Response(null, { status: count === 1 ? 500 : 200 })
  })
  const { id, signingSecret: old } = await world.webhook(at.url)
  await world.place.emit()
  await eventually('an attempt', () => at.received.length === 1)
  const { signingSecret: current } = dataOf(await rotate(id))
  answer()
  await world.settled(id, 1, 'delivered')
  expect(at.received.map((got) => [verifies(old, got), verifies(current, got)])).toEqual([
    [true, false],
    [true, true],
  ])
})

test('with a damaged secret nothing is sent, and each attempt says so; after a rotation the new one alone signs', async () => {
  const at = receiver()
  const [{ id }, other] = [await world.webhook(at.url), await world.webhook(at.url, { eventTypes: ['run.completed'] })]
  world.rows(
    'update webhook_secrets set sealed = (select sealed from webhook_secrets where webhook_id = ?) where webhook_id = ?',
    other.id,
    id,
  )
  await world.place.emit()
  const [delivery] = await world.settled(id, 1, 'dead-letter')
  expect(at.received).toEqual([])
  expect(delivery.attemptHistory).toEqual(
    [1, 2, 3].map((number) => expect.objectContaining({ number, status: null, errorClass: 'secret_unreadable' })),
  )
  const actor = dataOf(await world.owner.get(`/api/v1/actors/delivery/${delivery.deliveryId}`))
  expect(JSON.stringify(actor.journal)).toContain('The signing secret cannot be decrypted')
  expect(JSON.stringify(world.troupe.lines)).toContain(`webhook_secrets ${id} cannot be decrypted`)

  const { signingSecret: current } = dataOf(await rotate(id))
  await data(world.owner.post(`${world.path}/webhooks/${id}/deliveries/${delivery.deliveryId}/retry`))
  await world.settled(id, 1, 'delivered')
  const [got] = at.received as [Received]
  expect(verifies(current, got)).toBe(true)
  expect(got.headers['webhook-signature']?.split(' ').length).toBe(1)
})
