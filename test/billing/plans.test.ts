/** `TROUPE_PLANS_FILE` is read at startup; an invalid file stops the start with one line. Source: contract 8, 9. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assertBillingSettings } from '../../src/billing/open-billing.ts'
import { loadPlans } from '../../src/billing/plans.ts'
import { readConfig } from '../../src/config.ts'
import { InvalidSetting } from '../../src/platform/operating/variable.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-plans-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const plan = (planKey: string, amount: number, changes: object = {}) => ({
  planKey,
  name: planKey,
  price: { amount, currency: 'EUR', interval: 'year' },
  minuteBudget: 1.5,
  features: [],
  ...changes,
})
const fileWith = async (content: unknown) => {
  const path = join(folder, `${crypto.randomUUID()}.json`)
  await Bun.write(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

test('the plans of the file are listed, the cheapest first', async () => {
  const plans = loadPlans(await fileWith([plan('b', 5), plan('c', 9), plan('a', 5), plan('none', 0)]))
  expect(plans.list.map(({ planKey }) => planKey)).toEqual(['none', 'a', 'b', 'c'])
  expect(plans.free.planKey).toBe('none')
})

test.each([
  ['no JSON', '{'],
  ['no list', {}],
  ['an empty list', []],
  ['no plan of price zero', [plan('a', 1)]],
  ['two plans of price zero', [plan('a', 0), plan('b', 0)]],
  ['one key twice', [plan('a', 0), plan('b', 1), plan('b', 2)]],
  ['a price with decimals', [plan('a', 0), plan('b', 1.5)]],
  ['a price below zero', [plan('a', 0), plan('b', -1)]],
  ['another interval', [plan('a', 0, { price: { amount: 0, currency: 'EUR', interval: 'week' } })]],
  ['another currency', [plan('a', 0, { price: { amount: 0, currency: 'euro', interval: 'year' } })]],
  ['a budget below zero', [plan('a', 0, { minuteBudget: -1 })]],
  ['a budget that cannot be counted in milliseconds', [plan('a', 0, { minuteBudget: 1e300 })]],
  ['an unknown field', [plan('a', 0, { trialDays: 1 })]],
  ['an invalid key', [plan('a b', 0)]],
])('%s stops the start with one line', async (_, content) => {
  const path = await fileWith(content)
  expect(() => loadPlans(path)).toThrow(InvalidSetting)
  expect(() => loadPlans(path)).toThrow(/^TROUPE_PLANS_FILE: [^\n]+$/)
})

test('a missing file stops the start with one line', () => {
  expect(() => loadPlans(join(folder, 'none.json'))).toThrow(/^TROUPE_PLANS_FILE: [^\n]+ cannot be read$/)
})

test('Stripe without its webhook secret stops the start', () => {
  const { config } = readConfig({ STRIPE_SECRET_KEY: 'sk_test_12345678' })
  expect(() => assertBillingSettings(config)).toThrow(/^STRIPE_WEBHOOK_SECRET: /)
  expect(() => assertBillingSettings(readConfig({}).config)).not.toThrow()
})

test('a plan sets limits of an organization, and the defaults apply to the others', async () => {
  const some = { projects: 3, agents: null, openStreams: 0 }
  const plans = loadPlans(await fileWith([plan('none', 0), plan('some', 1, { limits: some })]))
  const usual = { projects: 100, agents: 1_000, liveRuns: 10_000, openStreams: 1_000, storedBytes: null }
  expect(plans.free.limits).toEqual(usual)
  expect(plans.find('some')?.limits).toEqual({ ...usual, ...some })
})

test.each([
  ['below zero', { projects: -1 }],
  ['with decimals', { agents: 1.5 }],
  ['with an unknown name', { unicorns: 1 }],
  ['that is not a number', { liveRuns: '10' }],
])('a limit %s stops the start with one line', async (_, limits) => {
  const path = await fileWith([plan('none', 0, { limits })])
  expect(() => loadPlans(path)).toThrow(/^TROUPE_PLANS_FILE: [^\n]+limits[^\n]*$/)
})
