/**
 * Budget notifications in an organization's Environments: once per period when most of the budget is used, and once
 * when all of it is. Committed with the usage that reaches the mark. Source: contract 6, "Decided since"; contract 8.
 */
import type { Period } from '../../../machines/period.ts'
import { announceBudgetMark, noteBudgetMark } from '../../../storage/billing/usage.ts'
import type { Store, Write } from '../../../storage/store.ts'
import { notifyBroadcast } from '../../events/history/broadcasts.ts'
import type { EventKind } from '../../events/kinds/kinds.ts'
import { RecentlyUsed } from '../../platform/cache.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import { minuteMs } from '../../platform/time/durations.ts'
import { system } from '../../runtime/kind.ts'

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

/** Texts of events by organization, period and budget; cached, because each run that uses time needs them. */
const texts = new RecentlyUsed<readonly string[]>(1_000)

/** The data of each mark's event, as JSON. */
function textsOf({ organizationId, period, boundMs }: Spent): readonly string[] {
  const key = `${organizationId} ${period.start} ${period.end} ${boundMs}`
  const known = texts.get(key)
  if (known) return known
  const shownPeriod = { start: timestamp(period.start), end: timestamp(period.end) }
  const budgetMinutes = boundMs / minuteMs
  const made = marks.map(({ percent }) =>
    JSON.stringify({ organizationId, period: shownPeriod, percent, budgetMinutes }),
  )
  texts.set(key, made)
  return made
}

/**
 * The statements that follow the count of used time; each has no effect if its mark is not reached or was already
 * notified.
 */
export function notifyOfBudget(store: Store, spent: Spent): Write[] {
  const { organizationId, period, boundMs, at } = spent
  const committed = () => notifyBroadcast(store)
  const { type: actorType, id: actorId } = system
  const all = textsOf(spent)
  return marks.flatMap(({ type, percent }, index) => {
    const thresholdMs = Math.ceil((boundMs * percent) / 100)
    const mark = { organizationId, periodStart: period.start, percent, thresholdMs }
    const data = all[index] as string
    return [
      announceBudgetMark(store, { ...mark, type, actorType, actorId, data, at }),
      { ...noteBudgetMark(store, mark), committed },
    ]
  })
}
