import { describe, expect, test } from 'bun:test'
import { type SubscriptionContext, subscriptionMachine } from '../../machines/subscription.ts'
import { begin, type Decision, decide } from '../../src/runtime/decisions/decide.ts'
import { compile } from '../../src/runtime/decisions/table.ts'

/**
 * From contract 8: states in rows, events in columns. The entry is the next state, `.` a refusal. With an external
 * provider, the provider decides; `f:` is its answer to a query. `other` and `portal` are a checkout and the
 * portal of another provider.
 */
const outside = `
          checkout  other  openPortal  portal  reported  f:none    f:trialing  f:active  f:past_due  f:canceled  pay  changePlan  cancelAtPeriodEnd  resume  cancel  due       checkoutOver
none      none      none   .           .       none      none      trialing    active    past_due    canceled    .    .           .                  .       .       .         none
trialing  .         none   trialing    .       trialing  canceled  trialing    active    past_due    canceled    .    .           .                  .       .       trialing  .
active    .         none   active      .       active    canceled  trialing    active    past_due    canceled    .    .           .                  .       .       active    .
past_due  .         none   past_due    .       past_due  canceled  trialing    active    past_due    canceled    .    .           .                  .       .       past_due  .
canceled  canceled  none   canceled    .       canceled  canceled  trialing    active    past_due    canceled    .    .           .                  .       .       .         canceled
`
/** With the embedded provider, which is never queried. */
const embedded = `
          checkout  other  openPortal  portal  reported  pay     changePlan  cancelAtPeriodEnd  resume  cancel    due     checkoutOver
none      none      none   .           .       .         active  .           .                  .       .         .       .
active    .         none   active      .       .         .       active      active             .       canceled  active  .
canceled  canceled  none   canceled    .       .         active  .           .                  .       .         .       .
`

const table = compile(subscriptionMachine)
const at = Date.parse('2026-01-31T12:00:00.000Z')
const end = Date.parse('2026-02-28T12:00:00.000Z')
const agreement = { planKey: 'pro', interval: 'month' as const, period: { start: at, end }, cancelAt: null }
const born = (provider: 'stripe' | 'embedded') => begin(table, { provider }).context as unknown as SubscriptionContext

const elsewhere: Record<string, string> = { other: 'checkout', portal: 'openPortal' }

function eventOf(name: string, provider: string): { type: string } & Record<string, unknown> {
  const type = elsewhere[name]
  if (type !== undefined) return { type, provider: provider === 'stripe' ? 'embedded' : 'stripe' }
  if (name.startsWith('f:')) return { type: 'fetched', report: 1, status: name.slice(2), ...agreement }
  const plan = { planKey: 'scale', interval: 'month' }
  return { type: name, provider, ...(name === 'pay' || name === 'changePlan' ? plan : {}) }
}

const cellsOf = (rows: string, provider: 'stripe' | 'embedded') => {
  const [header = '', ...lines] = rows.trim().split('\n')
  const columns = header.trim().split(/\s+/)
  return lines.flatMap((line) => {
    const [given = '', ...entries] = line.trim().split(/\s+/)
    return entries.map((next, index) => ({ provider, given, event: columns[index] as string, next }))
  })
}
const cells = [...cellsOf(outside, 'stripe'), ...cellsOf(embedded, 'embedded')]

const contextOf = (provider: 'stripe' | 'embedded', state: string, changes: Partial<SubscriptionContext> = {}) => ({
  ...born(provider),
  ...(state !== 'none' && { ...agreement, ...(provider === 'embedded' && { anchor: at }) }),
  reports: 1,
  ...changes,
})

const answer = (
  state: string,
  event: { type: string },
  {
    provider = 'stripe',
    context = {},
    now = at,
  }: { provider?: 'stripe' | 'embedded'; context?: object; now?: number } = {},
): Decision | undefined =>
  decide(table, state, contextOf(provider, state, context) as never, { ...event, at: now, chance: 0 })
const after = (decision: Decision | undefined) => decision?.context as unknown as SubscriptionContext

test.each(cells)('$provider: $given, on $event: $next', ({ provider, given, event, next }) => {
  expect(answer(given, eventOf(event, provider), { provider })?.state ?? '.').toBe(next)
})

test('the rows name every state and every event of the machine', () => {
  expect([...new Set(cells.map(({ given }) => given))].sort()).toEqual([...table.states].sort())
  const named = new Set(cells.map(({ event }) => eventOf(event, 'stripe').type))
  expect([...new Set([...table.rows.values()].flatMap((row) => [...row.keys()]))].sort()).toEqual([...named].sort())
})

test('a subscription begins without a contract, and queries once when its first checkout is complete', () => {
  const decision = begin(table, { provider: 'stripe' })
  expect(decision).toMatchObject({
    state: 'none',
    effects: [],
    timersStarted: [{ timer: 'checkoutOver', delayMs: 90_000_000 }],
  })
  expect(answer('none', { type: 'checkoutOver' })?.effects).toEqual([{ name: 'refetch', params: { report: 2 } }])
})

describe('with an external provider', () => {
  test.each([...table.states])('%s, on reported: it queries, with a new number', (state) => {
    const decision = answer(state, { type: 'reported' }, { context: { reports: 7 } })
    expect(decision?.effects).toEqual([{ name: 'refetch', params: { report: 8 } }])
    expect(after(decision).reports).toBe(8)
  })

  test.each([...table.states])('%s, on the answer to an earlier query: refused', (state) => {
    const late = eventOf('f:active', 'stripe')
    expect(answer(state, late, { context: { reports: 3, written: 2 } })).toBeUndefined()
    expect(after(answer(state, late, { context: { reports: 3, written: 1 } })).written).toBe(1)
  })

  test('the answer is stored; an unknown plan keeps the current one', () => {
    const fetched = { ...eventOf('f:active', 'stripe'), planKey: null, cancelAt: end }
    expect(after(answer('active', fetched))).toMatchObject({ ...agreement, cancelAt: end })
  })

  test.each([
    ['at the end of the period', 5 * 3_600_000, 5 * 3_600_000],
    ['at the latest a day later', 28 * 86_400_000, 86_400_000],
    ['at the earliest an hour later', -1, 3_600_000],
  ])('it queries %s', (_, rest, delayMs) => {
    const fetched = { ...eventOf('f:active', 'stripe'), period: { start: at - 86_400_000, end: at + rest } }
    expect(answer('active', fetched)?.timersStarted).toEqual([{ timer: 'due', delayMs }])
    expect(answer('active', { type: 'due' }, { context: { period: null } })?.timersStarted).toEqual([
      { timer: 'due', delayMs: 3_600_000 },
    ])
  })
})

describe('with the embedded provider', () => {
  const given = { provider: 'embedded' as const }

  test('a payment begins a period that ends with the month', () => {
    const decision = answer('none', eventOf('pay', 'embedded'), given)
    expect(after(decision)).toMatchObject({ planKey: 'scale', anchor: at, period: { start: at, end }, cancelAt: null })
    expect(decision?.timersStarted).toEqual([{ timer: 'due', delayMs: end - at }])
  })

  test('the end of a period begins the current one, counted from the first day', () => {
    const may = Date.parse('2026-05-02T00:00:00.000Z')
    const decision = answer('active', { type: 'due' }, { ...given, now: may })
    const period = { start: Date.parse('2026-04-30T12:00:00.000Z'), end: Date.parse('2026-05-31T12:00:00.000Z') }
    expect(after(decision).period).toEqual(period)
    expect(decision?.timersStarted).toEqual([{ timer: 'due', delayMs: period.end - may }])
  })

  test('a scheduled end takes effect with the period, and can be revoked before', () => {
    const planned = after(answer('active', { type: 'cancelAtPeriodEnd' }, given))
    expect(planned.cancelAt).toBe(end)
    const context = { cancelAt: end }
    expect(answer('active', { type: 'cancelAtPeriodEnd' }, { ...given, context })).toBeUndefined()
    expect(answer('active', { type: 'due' }, { ...given, context, now: end })?.state).toBe('canceled')
    expect(after(answer('active', { type: 'resume' }, { ...given, context })).cancelAt).toBeNull()
  })

  test('another plan keeps the period, one with another interval begins a new one', () => {
    const changed = (interval: string) =>
      after(answer('active', { type: 'changePlan', planKey: 'scale', interval } as never, { ...given, now: at + 1 }))
    expect(changed('month')).toMatchObject({ planKey: 'scale', period: { start: at, end } })
    expect(changed('year')).toMatchObject({ planKey: 'scale', interval: 'year', period: { start: at + 1 } })
    expect(answer('active', { type: 'changePlan', planKey: 'pro' } as never, given)).toBeUndefined()
  })
})

test.each([
  ['none', 'openPortal', 'no_contract'],
  ['trialing', 'checkout', 'contract_active'],
  ['active', 'checkout', 'contract_active'],
  ['past_due', 'checkout', 'contract_active'],
])('%s refuses %s with 400 %s', (state, event, code) => {
  expect(table.refusals.get(state)?.[event]).toMatchObject({ status: 400, code })
})

test.each(['none', 'canceled'])('%s, on another checkout with the same provider: nothing is forgotten', (state) => {
  const before = { reports: 3, written: 2 }
  const decision = answer(state, eventOf('checkout', 'stripe'), { context: before })
  expect(after(decision)).toEqual(contextOf('stripe', state, before))
})

test('a checkout with another provider starts over', () => {
  const decision = answer('active', eventOf('other', 'embedded'), { provider: 'embedded' })
  expect(after(decision)).toEqual({ ...born('stripe'), reports: 1, written: 2 })
})

test.each(['none', 'active', 'canceled'])(
  '%s, after a checkout with another provider: a late answer is refused',
  (state) => {
    const adopted = after(answer(state, eventOf('other', 'stripe'), { context: { reports: 3, written: 2 } }))
    const late = { ...eventOf('f:active', 'stripe'), report: 3 }
    expect(answer('none', late, { context: adopted })).toBeUndefined()
    // also if the first provider is there again, whose next query counts
    const back = after(answer('none', eventOf('other', 'embedded'), { context: adopted }))
    expect(answer('none', late, { context: back })).toBeUndefined()
    const asked = after(answer('none', { type: 'reported' }, { context: back }))
    const next = { ...eventOf('f:active', 'stripe'), report: asked.reports }
    expect(answer('none', next, { context: asked })?.state).toBe('active')
  },
)
