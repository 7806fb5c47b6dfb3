/** The used share of an organization's minutes, for alerts and the inbox. */

/** The interface to billing. */
export interface BudgetParts {
  terms: {
    of(organizationId: string): MaybePromise<{ minuteBudget: number | null; period: { start: number; end: number } }>
  }
  usage: { of(organizationId: string, period: { start: number }): Promise<{ minutes: number }> }
}
type MaybePromise<Value> = Value | Promise<Value>

export interface BudgetStanding {
  /** null: unlimited. */
  percent: number | null
  /** Epoch milliseconds. */
  period: { start: number; end: number }
}

export const budgetOf =
  ({ terms, usage }: BudgetParts) =>
  async (organizationId: string): Promise<BudgetStanding> => {
    const { minuteBudget, period } = await terms.of(organizationId)
    if (minuteBudget === null) return { percent: null, period }
    const { minutes } = await usage.of(organizationId, period)
    return { percent: minuteBudget > 0 ? (100 * minutes) / minuteBudget : 100, period }
  }
