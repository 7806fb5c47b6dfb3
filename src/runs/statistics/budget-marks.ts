/**
 * Budget notifications in an organization's Environments: once per period when most of the budget is used, and once
 * when all of it is. Committed with the usage that reaches the mark. Source: contract 6, "Decided since"; contract 8.
 */
import type { Period } from '../../../machines/period.ts'
import { announceBudgetMark, noteBudgetMark } from '../../../storage/billing/usage.ts'
import type { Store, Write } from '../../../storage/store.ts'
import { notifyBroadcast } from '../../events/history/broadcasts.ts'
import type { EventKind } from '../../events/kinds/kinds.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import { system } from '../../runtime/kind.ts'

const minuteMs = 60_000

const marks = [
  { type: 'budget.warning', percent: 80 },
  { type: 'budget.exhausted', percent: 100 },
] as const satisfies { type: EventKind; percent: number }[]

interface Spent {
  organizationId: string
  period: Period
  boundMs: number
  /** Epoch milliseconds. */
  at: number
}

/**
 * The statements that follow the count of used time; each has no effect if its mark is not reached or was already
 * notified.
 */
export function notifyOfBudget(store: Store, { organizationId, period, boundMs, at }: Spent): Write[] {
  const committed = () => notifyBroadcast(store)
  return marks.flatMap(({ type, percent }) => {
    const thresholdMs = Math.ceil((boundMs * percent) / 100)
    const mark = { organizationId, periodStart: period.start, percent, thresholdMs }
    const data = JSON.stringify({
      organizationId,
      period: { start: timestamp(period.start), end: timestamp(period.end) },
      percent,
      budgetMinutes: boundMs / minuteMs,
    })
    const { type: actorType, id: actorId } = system
    return [
      announceBudgetMark(store, { ...mark, type, actorType, actorId, data, at }),
      { ...noteBudgetMark(store, mark), committed },
    ]
  })
}
