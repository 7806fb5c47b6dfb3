/** The cost of a run, if the server knows its prices, and its limits. */
import type { PresentedRun } from '../../../../runs/present.ts'
import { countText } from '../steps/steps.ts'

interface Costly {
  cost?: { amount: string; currency: string } | null
}

/** Constructing one takes longer than rendering a row. */
const formats = new Map<string, Intl.NumberFormat>()

function formatOf(currency: string, digits: number): Intl.NumberFormat {
  const name = `${currency} ${digits}`
  const known = formats.get(name)
  if (known) return known
  const made = new Intl.NumberFormat('en', { style: 'currency', currency, maximumSignificantDigits: digits })
  formats.set(name, made)
  return made
}

/** `$0.0123`; undefined if unknown. */
export function costText(run: object): string | undefined {
  const { cost } = run as Costly
  if (!cost) return undefined
  const amount = Number(cost.amount)
  if (!Number.isFinite(amount)) return undefined
  try {
    // small amounts keep two significant digits
    return formatOf(cost.currency.toUpperCase(), amount < 1 ? 2 : 6).format(amount)
  } catch {
    return `${cost.amount} ${cost.currency}`
  }
}

/** `10,000 tokens · $0.50` */
export const limitsText = ({ maxTokens, maxCost }: NonNullable<PresentedRun['limits']>): string =>
  [maxTokens === undefined ? undefined : `${countText(maxTokens)} tokens`, maxCost && costText({ cost: maxCost })]
    .filter((part) => part !== undefined)
    .join(' · ')
