/** Fairness among a dead, a slow and a fast endpoint. Source: contract 7, "round-robin"; trust 3.3, cases 25, 31. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eventually, held, newPlace, openWorld, receiver, type World } from './world.ts'

let world: World
beforeAll(async () => {
  // requests that hang do so until the end of a test
  world = await openWorld({ environment: { TROUPE_WEBHOOK_TIMEOUT_MS: '600000', TROUPE_WEBHOOK_LEASE_MS: '1200000' } })
})
afterAll(() => world?.stop())

test('a hanging and a dead endpoint do not slow a fast one; none has more than five in flight', async () => {
  const places = await Promise.all([newPlace(world.owner), newPlace(world.owner), newPlace(world.owner)])
  const [hangs, fails, works] = places
  const { react, release } = held()
  let [inFlight, inFlightMax] = [0, 0]
  const slow = receiver(async (request, count) => {
    inFlight += 1
    inFlightMax = Math.max(inFlightMax, inFlight)
    const answer = await react(request, count)
    inFlight -= 1
    return answer
  })
  const dead = receiver()
  dead.stop()
  const fast = receiver()
  const hanging = await world.webhook(slow.url, {}, hangs.path)
  await world.webhook(dead.url, {}, fails.path)
  await world.webhook(fast.url, {}, works.path)
  for (let count = 0; count < 30; count += 1) {
    await hangs.emit()
    await fails.emit()
  }
  await eventually('five that hang', () => slow.received.length === 5)
  const before = fast.received.length
  for (let count = 0; count < 30; count += 1) await works.emit()
  await eventually('all of the fast ones', () => fast.received.length === before + 30)
  // none of the others has moved meanwhile
  expect(slow.received.length).toBe(5)
  release()
  await eventually('all of the slow ones', () => slow.received.length === 30)
  expect(inFlightMax).toBe(5)
  const states = await eventually('all of them taken', async () => {
    const found = await world.deliveries(hanging.id, hangs.path)
    return found.every(({ state }) => state === 'delivered') && found
  })
  expect(states.length).toBe(30)
})

test('a thousand deliveries are each sent once', async () => {
  const place = await newPlace(world.owner)
  const receivers = Array.from({ length: 20 }, () => receiver())
  for (const { url } of receivers) await world.webhook(url, {}, place.path)
  for (let count = 0; count < 50; count += 1) await place.emit()
  await eventually('all of them', () => receivers.every(({ received }) => received.length >= 50))
  await eventually(
    'all of them told',
    () =>
      world.rows("select 1 from deliveries where state <> 'delivered' and environment_id = ?", place.environmentId)
        .length === 0,
  )
  for (const { received } of receivers) {
    const sent = received.map(({ headers }) => headers['webhook-id'])
    expect(sent).toEqual([...new Set(sent)])
    expect(sent.length).toBe(50)
  }
})
