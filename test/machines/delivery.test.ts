import { describe, expect, test } from 'bun:test'
import {
  createDeliveryMachine,
  type DeliveryContext,
  type DeliveryLimits,
  defaultDeliveryLimits,
  deliveryLimits,
} from '../../machines/delivery.ts'
import { begin, type Decision, decide } from '../../src/runtime/decisions/decide.ts'
import { compile } from '../../src/runtime/decisions/table.ts'
import { movesOf } from './move-table.ts'

/**
 * From requirement 3, "Webhook delivery states", and contract 7, "Delivery": states in rows, events in columns. The
 * entry is the next state while attempts are left, `.` 409. `late` is a report of an earlier claim, `gone` a 410.
 */
const rows = `
             claimed    due        acknowledged  refused   gone         late  leaseExpired  retry
pending      in-flight  .          .             .         .            .     .             .
in-flight    .          .          delivered     retrying  dead-letter  .     retrying      .
retrying     .          in-flight  .             .         .            .     .             .
delivered    .          .          .             .         .            .     .             .
dead-letter  .          .          .             .         .            .     .             pending
`

const { cells } = movesOf(rows)

const createdAt = 1_000_000
const table = compile(createDeliveryMachine())
const born = begin(table, { at: createdAt })
const minute = 60_000

const contexts: Record<string, Partial<DeliveryContext>> = {
  pending: {},
  'in-flight': { attempts: 1, claims: 1, claimedAt: createdAt, pendingSince: null },
  retrying: { attempts: 1, claims: 1, claimedAt: createdAt, pendingSince: null, nextAttemptAt: createdAt + 5_000 },
  delivered: { attempts: 1, claims: 1, claimedAt: createdAt, pendingSince: null, deliveredAt: createdAt },
  'dead-letter': { attempts: 10, claims: 10, claimedAt: createdAt, pendingSince: null },
}

const refused = { type: 'refused', claim: 1, durationMs: 1, status: 500, errorClass: 'http_status', retryAfterMs: null }
const events: Record<string, { type: string } & Record<string, unknown>> = {
  claimed: { type: 'claimed' },
  due: { type: 'due' },
  acknowledged: { type: 'acknowledged', claim: 1, durationMs: 1, status: 200 },
  refused,
  gone: { ...refused, status: 410 },
  late: { type: 'acknowledged', claim: 0, durationMs: 1, status: 200 },
  leaseExpired: { type: 'leaseExpired' },
  retry: { type: 'retry' },
}

const contextOf = (decision: Decision | undefined) => decision?.context as unknown as DeliveryContext
const answer = (
  state: string,
  event: string,
  {
    context = {},
    at = createdAt + minute,
    more = {},
    limits,
    chance = 0.5,
  }: {
    context?: Partial<DeliveryContext>
    at?: number
    more?: object
    limits?: DeliveryLimits
    chance?: number
  } = {},
) =>
  decide(
    limits ? compile(createDeliveryMachine(limits)) : table,
    state,
    { ...born.context, ...contexts[state], ...context },
    { ...(events[event] as { type: string }), at, chance, ...more },
  )

test.each(cells)('$given, on $event: $next', ({ given, event, next }) => {
  expect(answer(given, event)?.state ?? '.').toBe(next)
})

test('the rows name every state and every event of the machine', () => {
  expect([...new Set(cells.map(({ given }) => given))]).toEqual([...table.states])
  const named = new Set(Object.values(events).map(({ type }) => type))
  expect([...new Set([...table.rows.values()].flatMap((row) => [...row.keys()]))].sort()).toEqual([...named].sort())
})

test('a delivery begins pending, with no attempt counted and nothing requested', () => {
  expect(born).toMatchObject({ state: 'pending', effects: [], timersStarted: [] })
  expect(contextOf(born)).toMatchObject({ attempts: 0, pendingSince: createdAt, nextAttemptAt: null })
})

test.each([
  ['pending', 'claimed', 1],
  ['retrying', 'due', 2],
])('from %s, on %s, attempt %i is counted and requested, with a lease of 60 s', (state, event, attempt) => {
  const decision = answer(state, event)
  expect(contextOf(decision)).toMatchObject({
    attempts: attempt,
    claims: attempt,
    claimedAt: createdAt + minute,
    pendingSince: null,
    nextAttemptAt: null,
  })
  expect(decision?.effects).toEqual([{ name: 'postToEndpoint', params: { claim: attempt } }])
  expect(decision?.timersStarted).toEqual([{ timer: 'leaseExpired', delayMs: minute }])
})

test('retrying, on due before its time: 409', () => {
  expect(answer('retrying', 'due', { at: createdAt + 4_999 })).toBeUndefined()
  expect(answer('retrying', 'due', { at: createdAt + 5_000 })?.state).toBe('in-flight')
})

test.each(['acknowledged', 'refused', 'gone'])('in-flight, on %s of an earlier claim: 409', (event) => {
  expect(answer('in-flight', event, { context: { claims: 2 } })).toBeUndefined()
})

test('a retry resets the attempts of a delivery, but not its claims', () => {
  const decision = answer('dead-letter', 'retry')
  expect(contextOf(decision)).toMatchObject({ attempts: 0, claims: 10, pendingSince: createdAt + minute })
})

test.each([
  ['acknowledged', ['noteSuccess']],
  ['refused', ['noteFailure']],
  ['gone', ['noteFailure', 'disableSubscription']],
  ['leaseExpired', ['noteFailure']],
])('in-flight, on %s, the webhook is notified: %p', (event, effects) => {
  expect(answer('in-flight', event)?.effects.map(({ name }) => name)).toEqual(effects)
})

describe('the schedule', () => {
  const [second, hour] = [1_000, 60 * minute]
  // contract 7: "Attempts after 0, 5 s, 5 min, 30 min, 2, 5, 10, 14, 20, 24 h (75 h 35 min)"
  const delays = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour]
  const waitAfter = (attempts: number, options: Parameters<typeof answer>[2] = {}) => {
    const at = createdAt
    const decision = answer('in-flight', 'refused', { ...options, at, context: { attempts } })
    return decision?.state === 'retrying' ? (contextOf(decision).nextAttemptAt as number) - at : decision?.state
  }

  test.each(delays.map((delay, index) => [index + 1, delay] as const))('after attempt %i: %i ms', (attempts, delay) => {
    expect(waitAfter(attempts)).toBe(delay)
  })

  test('ten attempts take 75 h 35 min and 5 s', () => {
    expect(delays.reduce((sum, delay) => sum + delay)).toBe(75 * hour + 35 * minute + 5 * second)
  })

  test.each(['refused', 'leaseExpired'])('after attempt 10, on %s: dead-letter', (event) => {
    expect(answer('in-flight', event, { context: { attempts: 10 } })?.state).toBe('dead-letter')
  })

  test('an expired lease counts like any failure', () => {
    const decision = answer('in-flight', 'leaseExpired', { at: createdAt, context: { attempts: 2 } })
    expect(contextOf(decision).nextAttemptAt).toBe(createdAt + 5 * minute)
  })

  test.each([1, 10])('the lease of attempt %i begins again while the attempt is still under way', (attempts) => {
    const more = { underWay: true }
    const decision = answer('in-flight', 'leaseExpired', { context: { attempts }, more })
    expect(decision).toMatchObject({ state: 'in-flight', effects: [], context: { attempts, claims: 1 } })
    expect(decision?.timersStarted).toEqual([{ timer: 'leaseExpired', delayMs: minute }])
  })

  test.each([
    [0, 0.8],
    [0.5, 1],
    [0.999_999, 1.2],
  ])('with the chance %d a delay is %d times as long', (chance, factor) => {
    expect(waitAfter(3, { chance })).toBeCloseTo(30 * minute * factor, -4)
  })

  test.each([
    ['timeout', null],
    ['connect_timeout', null],
    ['http_status', 429],
    ['http_status', 502],
    ['http_status', 503],
    ['http_status', 504],
  ])('after %s %p it is at least 60 s, whatever the chance', (errorClass, status) => {
    for (const chance of [0, 0.999]) {
      expect(waitAfter(1, { chance, more: { errorClass, status } })).toBe(minute)
    }
    expect(waitAfter(2, { more: { errorClass, status } })).toBe(5 * minute)
  })

  test.each([
    ['http_status', 500],
    ['reset', null],
    ['dns_error', null],
  ])('after %s %p it is not', (errorClass, status) => {
    expect(waitAfter(1, { more: { errorClass, status } })).toBe(5 * second)
  })

  test.each([
    [2, 500, 0, 5 * minute],
    [2, 500, 6 * minute, 6 * minute],
    [2, 500, hour, 10 * minute],
    [1, 429, 1_000, minute],
    [1, 429, 90_000, 90_000],
    [1, 429, 99_999_999_000, 2 * minute],
  ])('after attempt %i, %i with a Retry-After of %i ms: %i ms', (attempts, status, retryAfterMs, expected) => {
    for (const chance of [0, 0.999]) {
      expect(waitAfter(attempts, { chance, more: { status, retryAfterMs } })).toBe(expected)
    }
  })

  const overridden = deliveryLimits({ backOffMs: [100, 200], leaseMs: 5 })
  test('an override has neither minimum nor jitter, and n delays mean n + 1 attempts', () => {
    for (const chance of [0, 0.999]) {
      expect(waitAfter(1, { limits: overridden, chance, more: { status: 429 } })).toBe(100)
      expect(waitAfter(2, { limits: overridden, chance, more: { errorClass: 'timeout', status: null } })).toBe(200)
    }
    expect(waitAfter(3, { limits: overridden })).toBe('dead-letter')
  })
  test.each([
    [0, 100],
    [150, 150],
    [1e9, 200],
  ])('a Retry-After of %i ms clamps under an override too: %i ms', (retryAfterMs, expected) => {
    expect(waitAfter(1, { limits: overridden, more: { status: 503, retryAfterMs } })).toBe(expected)
  })
  test('without an override the limits are the defaults', () => {
    expect(deliveryLimits({ backOffMs: null, leaseMs: minute })).toEqual(defaultDeliveryLimits)
    expect(answer('pending', 'claimed', { limits: overridden })?.timersStarted).toEqual([
      { timer: 'leaseExpired', delayMs: 5 },
    ])
  })
})
