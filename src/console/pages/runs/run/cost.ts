/** The cost of a run, if the server knows its prices, and its limits. */
import type { PresentedRun } from '../../../../runs/present.ts'
import { countText } from '../steps/steps.ts'

interface Costly {
  cost?: { amount: string; currency: string } | null
}

/** `$0.0123`; undefined if unknown. */
export function costText(run: object): string | undefined {
  const { cost } = run as Costly
  if (!cost) return undefined
  const amount = Number(cost.amount)
  if (!Number.isFinite(amount)) return undefined
  const style = { style: 'currency', currency: cost.currency.toUpperCase() } as const
  try {
    // small amounts keep two significant digits
    return new Intl.NumberFormat('en', { ...style, maximumSignificantDigits: amount < 1 ? 2 : 6 }).format(amount)
  } catch {
    return `${cost.amount} ${cost.currency}`
  }
}

/** `10,000 tokens · $0.50` */
export const limitsText = ({ maxTokens, maxCost }: NonNullable<PresentedRun['limits']>): string =>
  [maxTokens === undefined ? undefined : `${countText(maxTokens)} tokens`, maxCost && costText({ cost: maxCost })]
    .filter((part) => part !== undefined)
    .join(' · ')
