/**
 * The limits of a run and their use, over all attempts, delegates and continuations. Source: contract 13, "Budgets".
 */
import { decimalOf, unitsOf } from '../decimal.ts'

/** An exact amount of money. */
export interface Cost {
  /** A decimal number, such as `0.0123`. */
  amount: string
  currency: string
}

export interface RunBudget {
  maxTokens?: number
  maxCost?: Cost
}

/** The use of one model call. */
export interface Used {
  /** Input and output tokens. */
  tokens: number
  /** null if the model has no price. */
  cost: Cost | null
}

/** The use of a run's model steps. */
export interface Spent {
  tokens: number
  /** null if it cannot be computed: a step had no price, or another currency. */
  amount: string | null
  /** null before the first step. */
  currency: string | null
}

export const nothingSpent: Spent = { tokens: 0, amount: '0', currency: null }

/** The sum of both. */
function spentWith({ tokens, amount, currency }: Spent, used: Used): Spent {
  const { cost } = used
  const isCountable = amount !== null && cost !== null && (currency === null || currency === cost.currency)
  return {
    tokens: tokens + used.tokens,
    amount: isCountable ? decimalOf(unitsOf(amount) + unitsOf(cost.amount)) : null,
    currency: cost?.currency ?? currency,
  }
}

/** The cost of the run; null before its first model step, and if it cannot be computed. */
export const costOf = ({ amount, currency }: Spent): Cost | null =>
  amount === null || currency === null ? null : { amount, currency }

/** The smaller of each limit. Undefined if they cannot be compared. */
export function smallerBudget(one: RunBudget, other: RunBudget): RunBudget | undefined {
  if (one.maxCost && other.maxCost && one.maxCost.currency !== other.maxCost.currency) return undefined
  const tokens = [one.maxTokens, other.maxTokens].filter((most) => most !== undefined)
  const [first, second] = [one.maxCost, other.maxCost].filter((most) => most !== undefined)
  const maxCost = first && second && unitsOf(second.amount) < unitsOf(first.amount) ? second : first
  return { ...(tokens.length > 0 && { maxTokens: Math.min(...tokens) }), ...(maxCost && { maxCost }) }
}

/** How to go on with a run that has used up its limits. */
const remedy = 'A continue ends the same way; a fork of the run, or another conversation, counts anew.'

/**
 * Why no further model step may begin; undefined if one may. `currency`: that of the step's price; null if it has no
 * price.
 */
export function budgetEnd(
  { maxTokens, maxCost }: RunBudget,
  { tokens, amount, currency: spentIn }: Spent,
  currency: string | null,
): string | undefined {
  if (maxTokens !== undefined && tokens >= maxTokens) {
    return `The run has used ${tokens} tokens and may use ${maxTokens}. ${remedy}`
  }
  if (!maxCost) return undefined
  const most = `${maxCost.amount} ${maxCost.currency}`
  if (amount === null || (spentIn !== null && spentIn !== maxCost.currency)) {
    return `The run may cost ${most}, and what it has cost so far cannot be counted in ${maxCost.currency}.`
  }
  if (currency !== maxCost.currency) {
    const why = currency === null ? 'has no price' : `has a price in ${currency}`
    return `The run may cost ${most}, and its model ${why}.`
  }
  return unitsOf(amount) >= unitsOf(maxCost.amount)
    ? `The run has cost ${amount} ${currency} and may cost ${most}. ${remedy}`
    : undefined
}

const warningPercent = 80

/** Whether four fifths of a limit are used. */
const isNearBudget = ({ maxTokens, maxCost }: RunBudget, { tokens, amount, currency }: Spent): boolean =>
  (maxTokens !== undefined && tokens * 100 >= maxTokens * warningPercent) ||
  (maxCost !== undefined &&
    amount !== null &&
    (currency === null || currency === maxCost.currency) &&
    unitsOf(amount) * 100n >= unitsOf(maxCost.amount) * BigInt(warningPercent))

interface Counted {
  budget?: RunBudget
  spent?: Spent
  budgetWarned?: boolean
}

/** The context with the use added; a run that counts nothing is unchanged. */
export function withUsed({ budget, spent, budgetWarned }: Counted, used: Used | undefined): Counted {
  if (!spent || !used) return {}
  const sum = spentWith(spent, used)
  const warns = budget !== undefined && budgetWarned !== true && isNearBudget(budget, sum)
  return { spent: sum, ...(warns && { budgetWarned: true }) }
}
