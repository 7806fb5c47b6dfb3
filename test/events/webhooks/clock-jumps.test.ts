/** Deliveries under a clock that is set. Source: trust 3.3, case 27. */
import { expect, test } from 'bun:test'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { eventually, held, openWorld, receiver } from './world.ts'

const minute = 60_000

test.each([
  ['back by an hour', -60 * minute],
  ['forward by a day', 1_440 * minute],
])('a clock that is set %s loses no waiting delivery and sends none twice', async (_, jumpMs) => {
  const clock = new HandClock()
  // the clock runs fast here: no attempt ends because of that
  const environment = { TROUPE_WEBHOOK_BACKOFF_MS: '5000,5000', TROUPE_WEBHOOK_LEASE_MS: '86400000' }
  const world = await openWorld({ clock, environment })
  try {
    const answer = { status: 500 }
    const at = receiver(() => new Response(null, { status: answer.status }))
    const { id } = await world.webhook(at.url)
    for (let count = 0; count < 3; count += 1) await world.place.emit()
    await world.settled(id, 3, 'retrying')

    answer.status = 200
    clock.step(jumpMs)
    await world.place.emit()
    await eventually('a delivery from after the jump', () => at.received.length >= 4)
    await eventually('the deliveries from before it', async () => {
      clock.advance(minute)
      return (await world.deliveries(id)).every(({ state }) => state === 'delivered')
    })

    const sent = Map.groupBy(at.received, ({ headers }) => headers['webhook-id'])
    expect([...sent.values()].map((requests) => requests.length).sort()).toEqual([1, 2, 2, 2])
    const attempts = (await world.deliveries(id)).map((delivery) => delivery.attempts).sort()
    expect(attempts).toEqual([1, 2, 2, 2])
    expect(world.troupe.lines).toEqual([])
  } finally {
    await world.stop()
  }
})

test('a clock that is set forward by a day during an attempt does not send again what is being sent', async () => {
  const clock = new HandClock()
  const world = await openWorld({ clock })
  try {
    const slow = held()
    const at = receiver(slow.react)
    const { id } = await world.webhook(at.url)
    await world.place.emit()
    await eventually('an attempt', () => at.received.length === 1)

    clock.step(1_440 * minute)
    clock.advance(minute)
    const leases = () => world.rows("select due_at from timers where kind = 'delivery'")
    await eventually('a look at the lease', () => leases().every(({ due_at: until }) => until > clock.now()))
    expect(await world.deliveries(id)).toMatchObject([{ state: 'in-flight', attempts: 1 }])

    slow.release()
    const [delivery] = await world.settled(id, 1, 'delivered')
    expect(delivery.attemptHistory).toMatchObject([{ number: 1, status: 200, errorClass: null }])
    expect(at.received.length).toBe(1)
  } finally {
    await world.stop()
  }
})
