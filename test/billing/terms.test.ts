/** The current terms of an organization: its limits and their expiry, by its contract. Source: contract 8. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Plans } from '../../src/billing/plans.ts'
import { SubscriptionWork } from '../../src/billing/subscription-work.ts'
import { ContractTerms, type Terms } from '../../src/billing/terms.ts'
import { Actors } from '../../src/runtime/actors.ts'
import type { Store } from '../../storage/store.ts'
import { organizations, tenants } from '../runs/tenants.ts'
import { HandClock } from '../runtime/statecharts/clock.ts'
import { openMigrated } from '../support/stores/migrated-store.ts'

let store: Store
beforeAll(async () => {
  store = await openMigrated()
  await store.commit(tenants(store))
})
afterAll(() => store?.close())

const pay = { type: 'pay', planKey: 'pro', interval: 'month' }

function open(clock = new HandClock()) {
  const actors = new Actors({ store, clock })
  const work = new SubscriptionWork({ actors, provider: null })
  actors.register([work.kind])
  const terms = new ContractTerms({ store, clock, plans: new Plans(), provider: 'embedded' })
  terms.follow(actors)
  return { clock, work, terms }
}
const now = (value: Terms | Promise<Terms>): Terms => {
  if (value instanceof Promise) throw new Error('It is not in memory.')
  return value
}

test('without a contract they are those of the free plan, for the calendar month, and cached after the first read', async () => {
  const { terms, clock } = open()
  const id = organizations.foreign
  const first = await terms.of(id)
  expect(first).toEqual({
    planKey: 'free',
    minuteBudget: 1_000,
    limits: { projects: 100, agents: 1_000, liveRuns: 10_000, openStreams: 1_000, storedBytes: null },
    period: { start: Date.parse('2026-01-01'), end: Date.parse('2026-02-01') },
  })
  expect(now(terms.of(id))).toBe(first)
  clock.advance(29_999)
  expect(now(terms.of(id))).toBe(first)
  // read at the last moment of the month, they end with it
  clock.advance(first.period.end - clock.now() - 1)
  expect((await terms.of(id)).period).toEqual(first.period)
  clock.advance(1)
  expect((await terms.of(id)).period.start).toBe(Date.parse('2026-02-01'))
})

test('a change takes effect immediately; one of another process after 30 s', async () => {
  const { terms, work, clock } = open()
  const elsewhere = new ContractTerms({ store, clock, plans: new Plans(), provider: 'embedded' })
  const id = organizations.ours
  await Promise.all([terms.of(id), elsewhere.of(id)])
  await work.send(id, pay, 'embedded')
  expect(await terms.of(id)).toMatchObject({ planKey: 'pro', minuteBudget: 20_000 })
  expect(now(elsewhere.of(id)).planKey).toBe('free')
  clock.advance(30_000)
  expect((await elsewhere.of(id)).planKey).toBe('pro')
  await work.send(id, { type: 'cancel' }, 'embedded')
  expect(await terms.of(id)).toMatchObject({ planKey: 'free', minuteBudget: 1_000 })
})

test('a period that has ended is followed by the next one, whichever process detects it', async () => {
  const { terms, work, clock } = open()
  const id = organizations.ours
  await work.send(id, pay, 'embedded')
  const { period } = await terms.of(id)
  clock.advance(period.end - clock.now())
  expect((await terms.of(id)).period.start).toBe(period.end)
})
