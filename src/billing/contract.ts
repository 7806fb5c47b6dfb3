/** The contract of an organization at a moment, from its subscription's row. Pure. Source: contract 8. */
import { calendarMonth, type Period, periodAt } from '../../machines/period.ts'
import {
  type ContractState,
  isContract,
  type PaymentProvider,
  type SubscriptionContext,
} from '../../machines/subscription.ts'
import type { SubscriptionRow } from '../../storage/tables.ts'
import type { PlanLimits } from '../tenancy/organizations/limits.ts'
import type { Plan, Plans } from './plans.ts'

export interface Contract {
  /** Whether a paid contract is active. */
  paid: boolean
  planKey: string
  status: ContractState | 'canceled'
  /** The budget of each period. */
  minuteBudget: number | null
  limits: PlanLimits
  period: Period
  cancelAt: number | null
  /** The period that starts at this time; undefined if none does, or none had started yet. */
  periodFrom(start: number): Period | undefined
}

const ofFree = ({ planKey, minuteBudget, limits }: Plan, status: Contract['status'], now: number): Contract => ({
  paid: false,
  planKey,
  status,
  minuteBudget,
  limits,
  period: calendarMonth(now),
  cancelAt: null,
  periodFrom: (start) => beginning(calendarMonth(start), start, now),
})

const beginning = (period: Period, start: number, now: number): Period | undefined =>
  period.start === start && start <= now ? period : undefined

/** Later periods follow an ended one even before the provider reports them. */
function currentPeriod({ period, interval, anchor }: SubscriptionContext, now: number): Period {
  if (!period) return calendarMonth(now)
  return now < period.end ? period : periodAt(anchor ?? period.end, interval, now)
}

/**
 * Without a contract the plan of price zero, `active`; after its end `canceled`, with that plan's budget. A contract
 * with another provider than the configured one is ignored.
 */
export function contractOf(
  row: Pick<SubscriptionRow, 'state' | 'context'> | undefined,
  { plans, provider, now }: { plans: Plans; provider: PaymentProvider | null; now: number },
): Contract {
  const context = row && (JSON.parse(row.context) as SubscriptionContext)
  if (!row || context?.provider !== provider || row.state === 'none') return ofFree(plans.free, 'active', now)
  if (!isContract(row.state)) return ofFree(plans.free, 'canceled', now)
  // a plan that the operator removed has the terms of the free plan
  const { minuteBudget, limits } = plans.find(context.planKey) ?? plans.free
  return {
    paid: true,
    planKey: context.planKey ?? plans.free.planKey,
    status: row.state,
    minuteBudget,
    limits,
    period: currentPeriod(context, now),
    cancelAt: context.cancelAt,
    periodFrom(start) {
      const { anchor, interval, period } = context
      const first = anchor ?? period?.start ?? now
      // before the contract, periods were calendar months
      return beginning(start < first ? calendarMonth(start) : periodAt(first, interval, start), start, now)
    },
  }
}
