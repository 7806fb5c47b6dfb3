/**
 * The budget of a run: the smallest of the limits of its start, its Agent and its organization. The start fixes it. A
 * limit on costs must be countable: a start that sets one that is not is refused; one of the Agent or the organization
 * ends the run before its first model step. Source: contract 13, "Budgets".
 */
import { nothingSpent, type RunBudget, smallerBudget } from '../../../machines/run/budget.ts'
import type { RunInput } from '../../../machines/run/words.ts'
import { invalid } from '../../platform/http/answers/errors.ts'
import type { Prices } from '../../platform/models/prices/prices.ts'
import type { Binding, ModelPin } from './bindings.ts'

interface Limits {
  /** The limits of the request. */
  request: RunBudget | undefined
  /** The limits of the Agent's revision. */
  agent: RunBudget | undefined
  organization: RunBudget | null
}

const modelsOf = ({ team = {}, ...own }: Binding): ModelPin[] => [own, ...Object.values(team)]

/** A model of the run that has no price in the currency; undefined if all have one. */
function uncounted(prices: Prices, binding: Binding, currency: string): ModelPin | undefined {
  return modelsOf(binding).find((model) => prices.currencyOf(model) !== currency)
}

const refused = (path: string, message: string) => invalid([{ path, message }])

/** Throws 422 at the path if the costs of a model of the run cannot be counted in the currency of the limit. */
export function assertCountable(prices: Prices, binding: Binding, { maxCost }: RunBudget, path: string): void {
  const model = maxCost && uncounted(prices, binding, maxCost.currency)
  if (!model) return
  const priced = prices.currencyOf(model)
  const why = priced === null ? 'has no price in TROUPE_PRICES_FILE' : `has a price in ${priced}`
  throw refused(
    path,
    `Costs cannot be counted in ${maxCost.currency}: the model ${model.provider} ${model.model} ${why}.`,
  )
}

/** The initial budget of the run, if it has one. Throws 422 for a limit of the request that cannot be counted. */
export function budgetOf(prices: Prices, binding: Binding, limits: Limits): Pick<RunInput, 'budget' | 'spent'> {
  const { request, agent, organization } = limits
  if (!request && !agent && !organization) return prices.isGiven ? { spent: nothingSpent } : {}
  const given = eitherOf(prices, binding, agent ?? {}, organization ?? {})
  if (request) assertCountable(prices, binding, request, '/body/limits/maxCost')
  const budget = smallerBudget(given, request ?? {})
  if (!budget) {
    const currency = given.maxCost?.currency
    throw refused(
      '/body/limits/maxCost/currency',
      `Must be ${currency}, as the limit of the Agent or the organization.`,
    )
  }
  const isLimited = budget.maxTokens !== undefined || budget.maxCost !== undefined
  return { ...(isLimited && { budget }), ...((isLimited || prices.isGiven) && { spent: nothingSpent }) }
}

const tokensOf = ({ maxTokens }: RunBudget): RunBudget => (maxTokens === undefined ? {} : { maxTokens })

/** Of two limits in different currencies the uncountable one applies, so that no run continues without it. */
function eitherOf(prices: Prices, binding: Binding, one: RunBudget, other: RunBudget): RunBudget {
  const both = smallerBudget(one, other)
  if (both) return both
  const [first, second] = [one.maxCost, other.maxCost] as [NonNullable<RunBudget['maxCost']>, RunBudget['maxCost']]
  const maxCost = uncounted(prices, binding, first.currency) ? first : second
  const { maxTokens } = smallerBudget(tokensOf(one), tokensOf(other)) ?? {}
  return { ...(maxTokens !== undefined && { maxTokens }), ...(maxCost && { maxCost }) }
}
