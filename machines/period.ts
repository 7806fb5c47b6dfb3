/** Periods of a contract: so many months each, counted from one day, in UTC. Pure. Source: contract 8. */

/** From `start` on, until before `end`; epoch milliseconds. */
export interface Period {
  start: number
  end: number
}

export const intervals = ['month', 'year'] as const
export type Interval = (typeof intervals)[number]

const monthsOf: Record<Interval, number> = { month: 1, year: 12 }

/** The same day so many months later, or the last one of a month that is shorter. */
function addMonths(at: number, months: number): number {
  const date = new Date(at)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + months)
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  return date.setUTCDate(Math.min(day, last))
}

/** The period that holds `at`, of those that follow each other from the anchor. */
export function periodAt(anchor: number, interval: Interval, at: number): Period {
  const months = monthsOf[interval]
  const [first, now] = [new Date(anchor), new Date(at)]
  const passed = (now.getUTCFullYear() - first.getUTCFullYear()) * 12 + now.getUTCMonth() - first.getUTCMonth()
  // counted by months alone; the day within the month may say that it is the one before
  let count = Math.floor(passed / months)
  if (addMonths(anchor, count * months) > at) count -= 1
  return { start: addMonths(anchor, count * months), end: addMonths(anchor, (count + 1) * months) }
}

/** The calendar month in UTC. */
export const calendarMonth = (at: number): Period => {
  const now = new Date(at)
  return periodAt(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1), 'month', at)
}
