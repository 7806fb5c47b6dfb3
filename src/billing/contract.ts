/** How an organization stands: what its subscription's row says, read at a moment. Pure. Source: contract 8. */
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
  /** A paid contract runs. */
  paid: boolean
  planKey: string
  status: ContractState | 'canceled'
  /** What is there to spend in each period. */
  minuteBudget: number | null
  limits: PlanLimits
  period: Period
  cancelAt: number | null
  /** The period that begins at a moment; undefined where none does, or none was by then. */
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

/** A period that is over has been followed by others, also while the news of it is on its way. */
function currentPeriod({ period, interval, anchor }: SubscriptionContext, now: number): Period {
  if (!period) return calendarMonth(now)
  return now < period.end ? period : periodAt(anchor ?? period.end, interval, now)
}

/**
 * Without a contract the plan of price zero, `active`; after the end of one `canceled`, with that plan's budget. A contract
 * with another provider than the deployment's is none.
 */
export function contractOf(
  row: Pick<SubscriptionRow, 'state' | 'context'> | undefined,
  { plans, provider, now }: { plans: Plans; provider: PaymentProvider | null; now: number },
): Contract {
  const context = row && (JSON.parse(row.context) as SubscriptionContext)
  if (!row || context?.provider !== provider || row.state === 'none') return ofFree(plans.free, 'active', now)
  if (!isContract(row.state)) return ofFree(plans.free, 'canceled', now)
  // a plan that the operator has taken away gives what everybody has
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
      // before the contract there were calendar months
      return beginning(start < first ? calendarMonth(start) : periodAt(first, interval, start), start, now)
    },
  }
}
