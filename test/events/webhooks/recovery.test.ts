/** Recovery after an outage: inspect, test, recover. Source: contract 7, "Decided since". */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { dataOf, verdict } from '../../support/world/replies.ts'
import { eventually, openWorld, receiver, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ environment: { TROUPE_WEBHOOK_BACKOFF_MS: '1' } })
})
afterAll(() => world?.stop())

const long = '2020-01-01T00:00:00.000Z'
const at = (id: string, rest = '') => `${world.path}/webhooks/${id}${rest}`
const recovered = (id: string, recoveryId: string) =>
  eventually('the end of the recovery', async () => {
    const found = dataOf(await world.owner.get(at(id, `/recoveries/${recoveryId}`)))
    return found.state !== 'running' && found
  })
/** A webhook with a configurable endpoint. */
async function hook(status: number, more: object = {}) {
  const answer = { status, body: 'Out of order' }
  const to = receiver(() => new Response(answer.body, { status: answer.status }))
  const { id } = await world.webhook(to.url, more)
  return { id: id as string, answer, to }
}
const removed = (id: string) => world.owner.delete(at(id))

test('dead letters and events missed while it was disabled are queued again, each once', async () => {
  const { id, answer, to } = await hook(500)
  for (let count = 0; count < 3; count += 1) await world.place.emit()
  await world.settled(id, 3, 'dead-letter')
  await world.owner.patch(at(id), { enabled: false })
  for (let count = 0; count < 2; count += 1) await world.place.emit()
  expect(verdict(await world.owner.post(at(id, '/recover'), { since: long }))).toEqual([409, 'invalid_transition'])
  answer.status = 200
  await world.owner.patch(at(id), { enabled: true })
  to.received.length = 0

  const begun = await world.owner.post(at(id, '/recover'), { since: long })
  expect(begun.status).toBe(202)
  const { id: recoveryId, webhookId } = begun.body.data
  expect(webhookId).toBe(id)
  expect(await recovered(id, recoveryId)).toMatchObject({
    state: 'completed',
    progress: { retried: 3, made: 2, left: [] },
    error: null,
  })
  await world.settled(id, 5, 'delivered')
  expect(new Set(to.received.map(({ headers }) => headers['webhook-id'])).size).toBe(5)

  const { id: again } = dataOf(await world.owner.post(at(id, '/recover'), { since: long }))
  expect((await recovered(id, again)).progress).toMatchObject({ retried: 0, made: 0 })
  expect(dataOf(await world.owner.get(at(id, '/recoveries'))).items).toHaveLength(2)
  expect(dataOf(await world.owner.get(`/api/v1/actors/webhook-recovery/${again}`)).state).toBe('completed')
  expect(verdict(await world.owner.post(at(id, `/recoveries/${again}/cancel`)))).toEqual([409, 'invalid_transition'])
  await removed(id)
})

test('only the requested deliveries are queued again: since a time, and in these states', async () => {
  const { id } = await hook(500)
  await world.place.emit()
  await world.settled(id, 1, 'dead-letter')
  const later = new Date().toISOString()
  for (const body of [{ since: later }, { since: long, states: ['missed'] }]) {
    const { id: recoveryId } = dataOf(await world.owner.post(at(id, '/recover'), body))
    expect(await recovered(id, recoveryId)).toMatchObject({ state: 'completed', progress: { retried: 0, made: 0 } })
  }
  for (const body of [
    {},
    { since: 'soon' },
    { since: '2099-01-01T00:00:00.000Z' },
    { since: long, states: [] },
    { since: long, states: ['delivered'] },
  ])
    expect((await world.owner.post(at(id, '/recover'), body)).status).toBe(422)
  await removed(id)
})

test('what a recovery queues is sent without waiting for the clock, and expired events are not queued', async () => {
  const clock = new HandClock()
  const hour = 3_600_000
  const environment = { TROUPE_EVENT_RETENTION_DAYS: '2' }
  const timed = await openWorld({ clock, environment })
  try {
    const to = receiver()
    const { id } = await timed.webhook(to.url)
    const path = `${timed.path}/webhooks/${id}`
    await timed.owner.patch(path, { enabled: false })
    await timed.place.emit()
    clock.step(hour)
    await timed.place.emit()
    await timed.owner.patch(path, { enabled: true })
    // the first event has just expired, and is not removed yet
    clock.step(47 * hour)
    const { id: recoveryId } = dataOf(await timed.owner.post(`${path}/recover`, { since: long }))
    await timed.settled(id, 1, 'delivered')
    const end = await eventually('the end of the recovery', async () => {
      const found = dataOf(await timed.owner.get(`${path}/recoveries/${recoveryId}`))
      return found.state !== 'running' && found
    })
    expect([end.state, end.progress.made, to.received.length]).toEqual(['completed', 1, 1])
  } finally {
    await timed.stop()
  }
})

test('a dead letter whose event has just expired is not queued again', async () => {
  const clock = new HandClock()
  const environment = { TROUPE_EVENT_RETENTION_DAYS: '2', TROUPE_WEBHOOK_BACKOFF_MS: '1' }
  const timed = await openWorld({ clock, environment })
  try {
    const { id } = await timed.webhook(receiver(() => new Response('Out of order', { status: 500 })).url)
    const path = `${timed.path}/webhooks/${id}`
    const emitted = clock.now()
    await timed.place.emit()
    await eventually('a dead letter', async () => {
      clock.advance(10)
      return dataOf(await timed.owner.get(`${path}/deliveries`, { query: { state: 'dead-letter' } })).items.length > 0
    })
    clock.step(emitted + 48 * 3_600_000 - clock.now())
    const { id: recoveryId } = dataOf(await timed.owner.post(`${path}/recover`, { since: long }))
    const end = await eventually('the end of the recovery', async () => {
      const found = dataOf(await timed.owner.get(`${path}/recoveries/${recoveryId}`))
      return found.state !== 'running' && found
    })
    expect([end.state, end.progress.retried]).toEqual(['completed', 0])
  } finally {
    await timed.stop()
  }
})

test('a test event goes only to the webhook, whatever its kinds', async () => {
  const [one, other] = [await hook(200), await hook(200)]
  const sent = await world.owner.post(at(one.id, '/test'))
  expect(sent.status).toBe(201)
  expect(sent.body.data).toMatchObject({ eventType: 'webhook.test', webhookId: one.id })
  await world.settled(one.id, 1, 'delivered')
  expect(JSON.parse(one.to.received[0]?.body as string)).toMatchObject({
    id: sent.body.data.eventId,
    type: 'webhook.test',
    subject: { type: 'webhook', id: one.id },
  })
  expect([one.to.received.length, other.to.received.length]).toEqual([1, 0])
  await world.owner.patch(at(one.id), { enabled: false })
  expect(verdict(await world.owner.post(at(one.id, '/test')))).toEqual([409, 'invalid_transition'])
  expect(
    verdict(
      await world.owner.post(`${world.path}/webhooks`, { endpointUrl: one.to.url, eventTypes: ['webhook.test'] }),
    ),
  ).toEqual([422, 'validation_failed'])
  await Promise.all([removed(one.id), removed(other.id)])
})

test('a test event of a webhook that is disabled at the same moment is a conflict, and its webhook is not missing', async () => {
  const { id } = await hook(200)
  for (let round = 0; round < 8; round += 1) {
    await world.owner.patch(at(id), { enabled: true })
    const [, sent] = await Promise.all([
      world.owner.patch(at(id), { enabled: false }),
      world.owner.post(at(id, '/test')),
    ])
    if (sent.status !== 201) expect(verdict(sent)).toEqual([409, 'invalid_transition'])
  }
  await removed(id)
})

test.each([500, 302])(
  'the first KiB of a refusal (%i) is stored only if the webhook captures responses',
  async (status) => {
    const [kept, not] = [await hook(status, { captureResponses: true }), await hook(status)]
    kept.answer.body = 'x'.repeat(5_000)
    await world.place.emit()
    const [shown] = await world.settled(kept.id, 1, 'dead-letter')
    const [other] = await world.settled(not.id, 1, 'dead-letter')
    expect(shown.lastAttempt.response).toBe('x'.repeat(1_024))
    expect(other.lastAttempt.response).toBeUndefined()
    await Promise.all([removed(kept.id), removed(not.id)])
  },
)

describe('deliveries', () => {
  test('can be filtered by state, kind and time, and a single one is shown by its id', async () => {
    const { id, answer } = await hook(500)
    await world.place.emit()
    const [dead] = await world.settled(id, 1, 'dead-letter')
    answer.status = 200
    await Bun.sleep(2)
    await world.place.emit()
    await eventually('both', async () => (await world.deliveries(id)).some(({ state }) => state === 'delivered'))
    const found = async (query: Record<string, string>) =>
      dataOf(await world.owner.get(at(id, '/deliveries'), { query })).items.map(({ state }: { state: string }) => state)
    expect(await found({ state: 'dead-letter' })).toEqual(['dead-letter'])
    expect(await found({ state: 'pending' })).toEqual([])
    expect(await found({ eventType: 'deployment.queued' })).toEqual(['delivered', 'dead-letter'])
    expect(await found({ eventType: 'run.created' })).toEqual([])
    expect(await found({ eventType: 'deployment.queued', state: 'delivered' })).toEqual(['delivered'])
    const after = new Date(Date.parse(dead.createdAt) + 1).toISOString()
    expect(await found({ since: after })).toEqual(['delivered'])
    expect(await found({ until: after })).toEqual(['dead-letter'])
    expect((await world.owner.get(at(id, '/deliveries'), { query: { state: 'lost' } })).status).toBe(422)
    expect(dataOf(await world.owner.get(at(id, `/deliveries/${dead.deliveryId}`)))).toEqual(dead)
    const nobody = dead.deliveryId.replace(/.$/, (last: string) => (last === '0' ? '1' : '0'))
    expect((await world.owner.get(at(id, `/deliveries/${nobody}`))).status).toBe(404)
    await removed(id)
  })
})
