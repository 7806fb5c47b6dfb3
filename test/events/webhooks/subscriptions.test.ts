/** Who gets which event, and when. Source: requirement 6; contract 7, "A disabled subscription". */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { dataOf, verdict } from '../../support/world/replies.ts'
import { disabling, disablingsOf, eventually, held, newPlace, openWorld, receiver, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ environment: { TROUPE_WEBHOOK_BACKOFF_MS: '5,5' } })
})
afterAll(() => world?.stop())

const change = (id: string, body: object, of = world) => of.owner.patch(`${of.path}/webhooks/${id}`, body)
const kindsOf = (deliveries: { eventType: string }[]) => deliveries.map(({ eventType }) => eventType).sort()

/** Waits until all events so far have become deliveries: a witness has received the last one. */
async function caughtUp(of = world, place = of.place) {
  const at = receiver()
  const { id } = await of.webhook(at.url, {}, place.path)
  const deploymentId = await place.emit()
  await eventually('the last event', () => at.received.some(({ body }) => body.includes(deploymentId)))
  await of.owner.delete(`${place.path}/webhooks/${id}`)
  at.stop()
}

test('each webhook gets the kinds it subscribes to, and each event once', async () => {
  const place = await newPlace(world.owner)
  const [one, both, other] = [receiver(), receiver(), receiver()]
  await world.webhook(one.url, {}, place.path)
  await world.webhook(both.url, { eventTypes: ['deployment.ready', 'deployment.queued'] }, place.path)
  await world.webhook(other.url, { eventTypes: ['run.created'] }, place.path)
  for (let count = 0; count < 5; count += 1) await place.emit()
  await eventually('all of them', () => one.received.length >= 5 && both.received.length >= 10)
  await caughtUp(world, place)
  const typesAt = ({ received }: typeof one) => received.map(({ body }) => JSON.parse(body).type).sort()
  expect(typesAt(one)).toEqual(Array(6).fill('deployment.queued'))
  expect(typesAt(both).filter((type) => type === 'deployment.queued')).toEqual(Array(6).fill('deployment.queued'))
  expect(typesAt(other)).toEqual([])
  for (const { received } of [one, both]) {
    const ids = received.map(({ headers }) => headers['webhook-id'])
    expect(new Set(ids).size).toBe(ids.length)
  }
})

test('a webhook of another Environment, Project or organization gets nothing', async () => {
  const elsewhere = await newPlace(world.owner)
  const at = receiver()
  await world.webhook(at.url, {}, elsewhere.path)
  await world.webhook(at.url, {}, world.place.otherPath)
  await world.place.emit()
  await caughtUp()
  expect(at.received).toEqual([])
})

test('a webhook gets events after its creation, and none from before', async () => {
  await world.place.emit()
  const { id } = await world.webhook(receiver().url)
  const deploymentId = await world.place.emit()
  await world.settled(id, 1, 'delivered')
  await caughtUp()
  const events = world.rows('select event_id from deliveries where webhook_id = ?', id)
  expect(events.length).toBe(2)
  const [first] = world.rows(
    'select body from environment_events join deliveries on deliveries.event_id = environment_events.id where webhook_id = ? order by sequence',
    id,
  )
  expect(JSON.parse(first.body).subject.id).toBe(deploymentId)
})

describe('a disabled webhook', () => {
  test('gets no new deliveries; events from meanwhile are not delivered when it is enabled', async () => {
    const at = receiver()
    const { id } = await world.webhook(at.url)
    expect((await change(id, { enabled: false })).status).toBe(200)
    await world.place.emit()
    await caughtUp()
    expect(await world.deliveries(id)).toEqual([])
    expect((await change(id, { enabled: true })).status).toBe(200)
    const deploymentId = await world.place.emit()
    await eventually('the next event', () => at.received.length === 1)
    expect(JSON.parse(at.received[0]?.body as string).subject.id).toBe(deploymentId)
  })

  test('keeps waiting deliveries, which continue when it is enabled', async () => {
    const answer = { status: 500 }
    const at = receiver(() => new Response(null, { status: answer.status }))
    const { id } = await world.webhook(at.url)
    await world.place.emit()
    const [delivery] = await world.settled(id, 1, 'dead-letter')
    await change(id, { enabled: false })
    const path = `${world.path}/webhooks/${id}/deliveries/${delivery.deliveryId}`
    expect((await world.owner.post(`${path}/retry`)).status).toBe(200)
    const sent = at.received.length
    await caughtUp()
    expect((await world.deliveries(id)).map(({ state }) => state)).toEqual(['pending'])
    expect(at.received.length).toBe(sent)
    answer.status = 200
    await change(id, { enabled: true })
    await world.settled(id, 1, 'delivered')
  })

  test('can be enabled twice without skipping an event', async () => {
    const { react, release } = held()
    const at = receiver(react)
    const { id } = await world.webhook(at.url)
    const emitted = Promise.all(Array.from({ length: 8 }, () => world.place.emit()))
    const enabled = Promise.all(Array.from({ length: 8 }, () => change(id, { enabled: true })))
    await emitted
    expect((await enabled).map(({ status }) => status)).toEqual(Array(8).fill(200))
    release()
    await world.settled(id, 8, 'delivered')
  })
})

describe('changed kinds', () => {
  test('apply from the change on; a kind that stays misses no event', async () => {
    const place = await newPlace(world.owner)
    const at = receiver()
    const { id } = await world.webhook(at.url, { eventTypes: ['deployment.ready'] }, place.path)
    const path = `${place.path}/webhooks/${id}`
    await place.emit()
    await eventually('a Deployment that is ready', () => at.received.length === 1)
    await world.owner.patch(path, { eventTypes: ['deployment.queued', 'deployment.ready'] })
    await place.emit()
    await eventually('both', () => at.received.length === 3)
    await world.owner.patch(path, { eventTypes: ['deployment.queued'] })
    await place.emit()
    await eventually('one more', () => at.received.length === 4)
    await caughtUp(world, place)
    expect(kindsOf(dataOf(await world.owner.get(`${path}/deliveries`)).items)).toEqual([
      'deployment.queued',
      'deployment.queued',
      'deployment.queued',
      'deployment.ready',
      'deployment.ready',
    ])
  })
})

test('a new endpoint gets the deliveries that waited for the old one', async () => {
  const { react, release } = held(500)
  const [old, current] = [receiver(react), receiver()]
  const { id } = await world.webhook(old.url)
  await world.place.emit()
  await eventually('an attempt', () => old.received.length === 1)
  await change(id, { endpointUrl: current.url })
  release()
  await world.settled(id, 1, 'delivered')
  expect([old.received.length, current.received.length]).toEqual([1, 1])
})

test('a webhook deleted during an attempt: nothing crashes, nothing more is sent, and nothing is left', async () => {
  const { react, release } = held(500)
  const at = receiver(react)
  const { id } = await world.webhook(at.url)
  for (let count = 0; count < 8; count += 1) await world.place.emit()
  await eventually('five attempts', () => at.received.length === 5)
  expect((await world.owner.delete(`${world.path}/webhooks/${id}`)).status).toBe(200)
  release()
  await caughtUp()
  expect(at.received.length).toBe(5)
  expect(world.troupe.lines).toEqual([])
})

describe('a webhook whose attempts all fail', () => {
  const hour = 3_600_000

  /** A manual clock, ten attempts for each delivery, and a configurable endpoint. */
  async function failingWorld() {
    const clock = new HandClock()
    const backOff = Array.from({ length: 9 }, () => '1').join(',')
    const failing = await openWorld({ clock, environment: { TROUPE_WEBHOOK_BACKOFF_MS: backOff } })
    const answer = { status: 500 }
    const notified = receiver()
    await failing.webhook(notified.url, { eventTypes: ['webhook.disabled'] })
    const { id } = await failing.webhook(receiver(() => new Response(null, { status: answer.status })).url)
    let count = 0
    return {
      ...failing,
      id: id as string,
      clock,
      answer,
      notified,
      webhook: async () => dataOf(await failing.owner.get(`${failing.path}/webhooks/${id}`)),
      /** One event, this much later, until its delivery has this state. */
      async deliver(state: string, later = 0) {
        clock.advance(later)
        await failing.place.emit()
        count += 1
        await eventually(state, async () => {
          if (state !== 'retrying') clock.advance(1)
          const [latest, ...others] = await failing.deliveries(id)
          return latest?.state === state && others.length === count - 1
        })
      },
    }
  }

  test('is not disabled by one failure days after a single dead letter', async () => {
    const failing = await failingWorld()
    try {
      await failing.deliver('dead-letter')
      await failing.deliver('retrying', 121 * hour)
      expect(await failing.webhook()).toMatchObject({ enabled: true, disabledReason: null })
      await failing.deliver('retrying', 300 * hour)
      expect(await failing.webhook()).toMatchObject({ enabled: true, disabledReason: null })
      expect(await disablingsOf(failing, failing.id)).toEqual([])
    } finally {
      await failing.stop()
    }
  })

  test('is disabled after ten failures and 120 hours, with its reason and notifications; a success resets the count', async () => {
    const failing = await failingWorld()
    const { id, clock, answer, deliver, webhook } = failing
    try {
      await deliver('dead-letter')
      await deliver('dead-letter', 100 * hour)
      expect((await webhook()).enabled).toBe(true)
      answer.status = 200
      await deliver('delivered', 19 * hour)
      answer.status = 500
      await deliver('dead-letter', 2 * hour)
      await deliver('dead-letter', 119 * hour)
      expect((await webhook()).enabled).toBe(true)
      // of twenty failures the ones that count are kept
      expect(failing.rows('select at from webhook_failures where webhook_id = ?', id)).toHaveLength(10)
      clock.advance(hour)
      await failing.place.emit()
      await eventually('a disabled webhook', async () => !(await webhook()).enabled)
      expect(await webhook()).toMatchObject({ enabled: false, disabledReason: 'failing' })
      expect(await disablingsOf(failing, id)).toEqual([disabling])
      expect(failing.troupe.lines).toContainEqual(
        expect.objectContaining({ webhookId: id, reason: 'failing', msg: 'a webhook was disabled' }),
      )
      await eventually('the news', () => failing.notified.received.length === 1)
      expect(JSON.parse(failing.notified.received[0]?.body as string)).toMatchObject({
        type: 'webhook.disabled',
        subject: { type: 'webhook', id },
        data: { webhookId: id, reason: 'failing' },
      })

      // enabling it resets the time as well
      expect(dataOf(await change(id, { enabled: true }, failing))).toMatchObject({
        enabled: true,
        disabledReason: null,
      })
      await eventually('attempts', async () => {
        clock.advance(5_000)
        return (await failing.deliveries(id)).every(({ state }) => !['pending', 'retrying'].includes(state))
      })
      expect((await webhook()).enabled).toBe(true)
    } finally {
      await failing.stop()
    }
  })
})

test('deleting a Project removes its webhooks and deliveries, with all their rows', async () => {
  const place = await newPlace(world.owner)
  const { react, release } = held(500)
  const at = receiver(react)
  const kept = await world.webhook(at.url, {}, place.path)
  const deleted = await world.webhook(at.url, {}, place.path)
  for (let count = 0; count < 7; count += 1) await place.emit()
  await eventually('attempts', () => at.received.length === 10)
  await world.owner.delete(`${place.path}/webhooks/${deleted.id}`)
  expect((await world.owner.delete(place.projectPath)).status).toBe(202)
  release()
  await eventually('nothing that is left', () => {
    const tables = ['webhooks', 'webhook_pointers', 'webhook_event_types', 'deliveries']
    return tables.every(
      (table) => world.rows(`select * from ${table} where environment_id = ?`, place.environmentId).length === 0,
    )
  })
  expect(verdict(await world.owner.get(`${place.path}/webhooks/${kept.id}`))[0]).toBe(404)
  const orphans = (table: string) =>
    world.rows(`select * from ${table} where kind = 'delivery' and actor_id not in (select id from deliveries)`)
  await eventually(
    'no journal without its delivery',
    () => orphans('transitions').length + orphans('timers').length === 0,
  )
})
