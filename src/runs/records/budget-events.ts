/**
 * Events about the budget of a run: in its stream, and in the Environment's history. Source: contract 13, "Budgets".
 */
import { costOf, nothingSpent } from '../../../machines/run/budget.ts'
import type { RunContext } from '../../../machines/run.ts'

/** Whether to warn about the run; once for each run. */
export const isWarning = ({ budgetWarned }: Pick<RunContext, 'budgetWarned'>, isWarned: boolean): boolean =>
  budgetWarned === true && !isWarned

type Budgeted = Pick<RunContext, 'budget' | 'spent'>

/** The limits and the usage of the run. */
export const presentBudget = ({ budget = {}, spent = nothingSpent }: Budgeted) => ({
  limits: budget,
  usedTokens: spent.tokens,
  cost: costOf(spent),
})

/** The data of the warning. */
export const presentWarning = (context: Budgeted) => ({ percent: 80 as const, ...presentBudget(context) })
