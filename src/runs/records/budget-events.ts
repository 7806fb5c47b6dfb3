/** The budget of a run in events: of its stream, and of the Environment's history. Source: contract 13, "Budgets". */
import { costOf, nothingSpent } from '../../../machines/run/budget.ts'
import type { RunContext } from '../../../machines/run.ts'

/** Whether the run is to be warned of; once for each run. */
export const isWarning = ({ budgetWarned }: Pick<RunContext, 'budgetWarned'>, isWarned: boolean): boolean =>
  budgetWarned === true && !isWarned

type Budgeted = Pick<RunContext, 'budget' | 'spent'>

/** What the run may use and has used. */
export const presentBudget = ({ budget = {}, spent = nothingSpent }: Budgeted) => ({
  limits: budget,
  usedTokens: spent.tokens,
  cost: costOf(spent),
})

/** What the warning says. */
export const presentWarning = (context: Budgeted) => ({ percent: 80 as const, ...presentBudget(context) })
