/**
 * The operator's prices of models, from a JSON file. Prices are exact: the text of a number in the file counts, not its
 * nearest binary fraction. Source: contract 13, "Cost".
 */
import { readFileSync, statSync } from 'node:fs'
import { type Static, Type } from '@sinclair/typebox'
import { decimalPlaces, readUnits } from '../../../../machines/decimal.ts'
import { inspector } from '../../http/validation/validation.ts'
import { InvalidSetting } from '../../operating/variable.ts'

const entriesMax = 10_000
const bytesMax = 1024 * 1024
/** A millionth of a price has six more decimal places. */
const pricePlaces = decimalPlaces - 6

const isPrice = new RegExp(`^(?:0|[1-9][0-9]{0,8})(?:\\.[0-9]{1,${pricePlaces}})?$`)
const priceWords = `a number, or text such as "0.25", of at most 9 digits before the point and ${pricePlaces} after it`

const Price = Type.String({ pattern: isPrice.source, fault: `must be ${priceWords}` })

const Entry = Type.Object(
  {
    provider: Type.String({ minLength: 1, maxLength: 100 }),
    model: Type.String({ minLength: 1, maxLength: 200 }),
    inputPerMillion: Price,
    outputPerMillion: Price,
    cachedInputPerMillion: Type.Optional(Price),
    reasoningPerMillion: Type.Optional(Price),
    currency: Type.String({ pattern: '^[A-Z]{3}$', fault: 'must be a currency of three capital letters, such as USD' }),
    // for people: the source of the price, and its date
    note: Type.Optional(Type.String({ maxLength: 500 })),
  },
  { additionalProperties: false },
)
type Entry = Static<typeof Entry>

/** Prices per token, in units of 10^-24 of the currency. */
export interface ModelPrice {
  provider: string
  /** A glob. */
  model: string
  currency: string
  input: bigint
  output: bigint
  cachedInput: bigint
  reasoning: bigint
}

const issuesOf = inspector(Entry, '', 1)

/** The prices in the file, in order. Throws `InvalidSetting` with one line that names the entry. */
export function loadPrices(path: string): readonly ModelPrice[] {
  const refuse = (why: string): never => {
    throw new InvalidSetting(`TROUPE_PRICES_FILE: ${path} ${why}`)
  }
  const entries = readEntries(path, refuse)
  return entries.map((given, index) => {
    const [issue] = issuesOf(given)
    if (issue) return refuse(`${nameOf(given, index)}: ${issue.path || '/'} ${issue.message}`)
    return priceOf(given as Entry)
  })
}

function readEntries(path: string, refuse: (why: string) => never): unknown[] {
  let text: string
  try {
    if (statSync(path).size > bytesMax) return refuse(`is larger than ${bytesMax / 1024 / 1024} MiB`)
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof InvalidSetting) throw error
    return refuse('cannot be read')
  }
  let value: unknown
  try {
    value = JSON.parse(text, asWritten as Parameters<typeof JSON.parse>[1])
  } catch {
    return refuse('is not JSON')
  }
  if (!Array.isArray(value)) return refuse('is not a list of prices')
  if (value.length > entriesMax) return refuse(`has more than ${entriesMax.toLocaleString('en')} entries`)
  return value
}

/** Keeps numbers as they are written. */
function asWritten(_: string, value: unknown, { source }: { source?: string }): unknown {
  return typeof value === 'number' && source !== undefined ? (plain(source) ?? value) : value
}

const written = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/

/** A JSON number without its exponent; undefined if it is negative or out of range. */
function plain(source: string): string | undefined {
  const [, whole, fraction = '', exponent = '0'] = written.exec(source) ?? []
  if (whole === undefined) return undefined
  const shift = Number(exponent)
  if (Math.abs(shift) > 100) return undefined
  const digits = `${'0'.repeat(Math.max(0, -shift))}${whole}${fraction}${'0'.repeat(Math.max(0, shift))}`
  const point = digits.length - Math.max(0, shift) - fraction.length + shift
  const before = digits.slice(0, point).replace(/^0+(?=\d)/, '')
  const after = digits.slice(point).replace(/0+$/, '')
  return after === '' ? before : `${before}.${after}`
}

const nameOf = (entry: unknown, index: number): string => {
  const { provider, model } = Object(entry) as Record<string, unknown>
  const name = [provider, model].filter((part) => typeof part === 'string').join(' ')
  return `entry ${index + 1}${name === '' ? '' : ` (${JSON.stringify(name.slice(0, 100))})`}`
}

/** The price of a million tokens in units of 10^-18 equals that of one token in units of 10^-24. */
const perToken = (price: string): bigint => (readUnits(price) as bigint) / 1_000_000n

function priceOf({ provider, model, currency, ...prices }: Entry): ModelPrice {
  const input = perToken(prices.inputPerMillion)
  const output = perToken(prices.outputPerMillion)
  return {
    provider,
    model,
    currency,
    input,
    output,
    cachedInput: prices.cachedInputPerMillion === undefined ? input : perToken(prices.cachedInputPerMillion),
    reasoning: prices.reasoningPerMillion === undefined ? output : perToken(prices.reasoningPerMillion),
  }
}
