/**
 * The usage and the cost of an attempt's model steps. The server's own measurement of a call takes precedence over the
 * runner's report. Source: contract 13, "Cost".
 */
import { decimalOf, unitsOf } from '../../../../machines/decimal.ts'
import type { Cost, Used } from '../../../../machines/run/budget.ts'
import type { AgentStepRow } from '../../../../storage/tables.ts'
import type { PricedModel, Prices } from '../../../platform/models/prices/prices.ts'
import { hasUsage, noUsage, readExecution, readUsage, sumOfUsage, usageText } from '../../records/step-columns.ts'
import type { TokenUsage } from '../../runner/protocol/protocol.ts'

type Step = Pick<AgentStepRow, 'kind' | 'status' | 'execution' | 'token_usage' | 'cost'>

/** A cost, as in a step's row. */
const costJson = (cost: Cost | null): string | null => (cost === null ? null : JSON.stringify(cost))

/** The initial cost of a model step; null if the model has no price. */
export const initialCost = (prices: Prices, model: PricedModel): string | null =>
  prices.isGiven ? costJson(prices.costOf(model, noUsage)) : null

/** The usage of a call. */
const usedOf = ({ inputTokens, outputTokens }: TokenUsage, cost: Cost | null): Used => ({
  tokens: inputTokens + outputTokens,
  cost,
})

/** Whether the server has measured calls of the step. */
export const isMetered = ({ token_usage }: Pick<Step, 'token_usage'>) => hasUsage(token_usage)

/**
 * The usage that the end or the suspension of a model step adds to its run, and the cost of the step. Undefined for
 * other steps, and for steps already counted: measured by the server, or suspended earlier.
 */
export function usedByEnd(
  prices: Prices,
  step: Step | undefined,
  { execution, usage }: { execution: string; usage: TokenUsage | undefined },
): { used: Used; cost: string | null } | undefined {
  if (step?.kind !== 'model' || step.status === 'waiting' || isMetered(step)) return undefined
  const cost = prices.costOf(readExecution(execution), usage ?? noUsage)
  return { used: usedOf(usage ?? noUsage, cost), cost: costJson(cost) }
}

/** The same for a measured call. */
export function usedByCall(prices: Prices, model: PricedModel, usage: TokenUsage): { used: Used; cost: string | null } {
  const cost = prices.costOf(model, usage)
  return { used: usedOf(usage, cost), cost: costJson(cost) }
}

/** The step with a further measured call added. */
export function withCall<Row extends Step>(step: Row, usage: TokenUsage, cost: string | null): Row {
  const token_usage = usageText(sumOfUsage(readUsage(step.token_usage), usage))
  return { ...step, token_usage, cost: isMetered(step) ? sumOf(step.cost, cost) : cost }
}

/** null if either is null, or the currencies differ. */
function sumOf(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return null
  const [{ amount, currency }, more] = [JSON.parse(one) as Cost, JSON.parse(other) as Cost]
  if (currency !== more.currency) return null
  return costJson({ amount: decimalOf(unitsOf(amount) + unitsOf(more.amount)), currency })
}

/** The currency of the price of a model step; null if it has no price. */
export const currencyOf = (prices: Prices, step: Pick<AgentStepRow, 'execution'>): string | null =>
  prices.currencyOf(readExecution(step.execution))
