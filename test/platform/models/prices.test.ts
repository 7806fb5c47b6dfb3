/**
 * `TROUPE_PRICES_FILE` is read at the start, or stops it with one line that names the invalid entry. Source: contract
 * 13, "Cost".
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fitsGlob } from '../../../src/platform/models/prices/glob.ts'
import { loadPrices } from '../../../src/platform/models/prices/price-list.ts'
import { noPrices, Prices } from '../../../src/platform/models/prices/prices.ts'
import { amountOf, limbsOf } from '../../../storage/billing/costs.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-prices-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const file = async (text: string) => {
  const path = join(folder, `${crypto.randomUUID()}.json`)
  await writeFile(path, text)
  return path
}
const entry = (changes: object = {}) =>
  JSON.stringify({
    provider: 'a',
    model: 'm',
    inputPerMillion: 1,
    outputPerMillion: 2,
    currency: 'USD',
    ...changes,
  })
const call = (inputTokens: number, outputTokens = 0) => ({
  inputTokens,
  outputTokens,
  cachedInputTokens: 0,
  reasoningTokens: 0,
})
const costOf = async (price: string, tokens: number) => {
  const text = `[{"provider": "a", "model": "*", "inputPerMillion": ${price}, "outputPerMillion": 0, "currency": "USD"}]`
  return new Prices(loadPrices(await file(text))).costOf({ provider: 'a', model: 'x' }, call(tokens))?.amount
}

test.each<[string, number, string]>([
  ['0.1', 3, '0.0000003'],
  ['"0.1"', 3, '0.0000003'],
  ['1e-7', 1, '0.0000000000001'],
  ['2.5E1', 1_000_000, '25'],
  ['12.340E+1', 10, '0.001234'],
  ['0', 5, '0'],
  ['0.123456789012345678', 1, '0.000000123456789012345678'],
  ['999999999', 1_000_000_000, '999999999000'],
])('the price %s is exact: %d tokens cost %s', async (price, tokens, amount) => {
  expect(await costOf(price, tokens)).toBe(amount)
})

describe('an invalid file stops the start', () => {
  test.each<[string, string, RegExp]>([
    ['is not JSON', '[', /is not JSON$/],
    ['is not a list', '{}', /is not a list of prices$/],
    ['has an invalid entry', '[7]', /entry 1: /],
    [
      'lacks a price',
      `[${entry()}, ${entry({ outputPerMillion: undefined })}]`,
      /entry 2 \("a m"\): \/outputPerMillion /,
    ],
    [
      'has a negative price',
      `[${entry({ inputPerMillion: -1 })}]`,
      /entry 1 \("a m"\): \/inputPerMillion must be a number/,
    ],
    ['has a price that is not a number', `[${entry({ inputPerMillion: 'free' })}]`, /\/inputPerMillion must be/],
    [
      'has too many decimal places',
      `[${entry({ inputPerMillion: '0.1234567890123456789' })}]`,
      /\/inputPerMillion must be/,
    ],
    ['has a price above the maximum', `[${entry({ inputPerMillion: 1e12 })}]`, /\/inputPerMillion must be/],
    ['has no currency', `[${entry({ currency: 'dollars' })}]`, /\/currency must be a currency/],
    ['has a misspelled field', `[${entry({ cachedPerMillion: 1 })}]`, /\/cachedPerMillion /],
    ['has too many entries', `[${Array(10_001).fill(entry()).join()}]`, /has more than 10,000 entries$|is larger than/],
  ])('that %s', async (_, text, words) => {
    const path = await file(text)
    expect(() => loadPrices(path)).toThrow(/^TROUPE_PRICES_FILE: [^\n]+$/)
    expect(() => loadPrices(path)).toThrow(words)
  })
  test('that is missing, or too large', async () => {
    expect(() => loadPrices(join(folder, 'none.json'))).toThrow(/^TROUPE_PRICES_FILE: [^\n]+ cannot be read$/)
    const large = await file(' '.repeat(1024 * 1024 + 1))
    expect(() => loadPrices(large)).toThrow(/is larger than 1 MiB$/)
  })
})

test('the included sample is valid, with a date and a page for each vendor', async () => {
  const path = join(import.meta.dir, '../../../examples/prices.json')
  const prices = new Prices(loadPrices(path))
  const listed = (await Bun.file(path).json()) as { provider: string; note?: string }[]
  for (const provider of new Set(listed.map((one) => one.provider))) {
    const note = listed.find((one) => one.provider === provider)?.note
    expect(note).toMatch(/as of 20\d\d-\d\d-\d\d, .+: check them at https:\/\/\S+ before/)
  }
  const million = (provider: string, model: string) => prices.costOf({ provider, model }, call(1_000_000))?.amount
  expect(million('anthropic', 'claude-opus-4-1-20250805')).toBe('15')
  expect(million('anthropic', 'claude-opus-4-8')).toBe('5')
  expect(million('openai', 'gpt-4o-mini-2024-07-18')).toBe('0.15')
  // a later model has no price, rather than another one's
  expect(million('openai', 'gpt-5.9')).toBeUndefined()
})

test('the first matching entry applies; without one there is no price', async () => {
  const entries = [
    entry({ model: 'm-1' }),
    entry({ model: 'm-*', currency: 'EUR' }),
    entry({ model: '*', currency: 'CHF' }),
  ]
  const prices = new Prices(loadPrices(await file(`[${entries}]`)))
  const currencyOf = (model: string, provider = 'a') => prices.currencyOf({ provider, model })
  expect(['m-1', 'm-2', 'M-2', 'other/x'].map((model) => currencyOf(model))).toEqual(['USD', 'EUR', 'CHF', 'CHF'])
  expect(currencyOf('m-1', 'A')).toBeNull()
  expect(prices.currencyOf({ provider: null, model: null })).toBeNull()
  expect(noPrices.costOf({ provider: 'a', model: 'm' }, call(1))).toBeNull()
})

test.each<[string, string, boolean]>([
  ['gpt-*', 'gpt-5', true],
  ['gpt-*', 'gpt-', true],
  ['gpt-*', 'my-gpt-5', false],
  ['*', 'a/b:c@d', true],
  ['*', '', true],
  ['a?c', 'abc', true],
  ['a?c', 'ac', false],
  ['a*b*c', 'a-b-b-c', true],
  ['a*b*c', 'a-c-b', false],
  ['a.c', 'abc', false],
  ['[ab]', 'a', false],
])('the glob %s matches %s: %p', (glob, name, fits) => {
  expect(fitsGlob(glob, name)).toBe(fits)
})

test('a glob of many stars fails quickly', () => {
  expect(fitsGlob(`${'a*'.repeat(90)}b`, 'a'.repeat(200))).toBe(false)
})

test.each([
  '0',
  '1',
  '0.000000000000000000000001',
  '9007199253.999999999999999999999999',
  '0.000001',
  '12.000000000001',
])('%s is stored and read unchanged', (amount) => {
  const { cost_6, cost_15, cost_24 } = limbsOf(amount)
  expect(amountOf({ cost_6: String(cost_6), cost_15: String(cost_15), cost_24: String(cost_24) })).toBe(amount)
})
