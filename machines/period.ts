/** Billing periods: a number of months each, counted from an anchor day, in UTC. Pure. Source: contract 8. */

/** From `start` (inclusive) to `end` (exclusive); epoch milliseconds. */
export interface Period {
  start: number
  end: number
}

export const intervals = ['month', 'year'] as const
export type Interval = (typeof intervals)[number]

const monthsOf: Record<Interval, number> = { month: 1, year: 12 }

/** The same day `months` later, or the last day of a shorter month. */
function addMonths(at: number, months: number): number {
  const date = new Date(at)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + months)
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  return date.setUTCDate(Math.min(day, last))
}

/** The period that contains `at`, counted from the anchor. */
export function periodAt(anchor: number, interval: Interval, at: number): Period {
  const months = monthsOf[interval]
  const [first, now] = [new Date(anchor), new Date(at)]
  const passed = (now.getUTCFullYear() - first.getUTCFullYear()) * 12 + now.getUTCMonth() - first.getUTCMonth()
  // an estimate by months alone; the day of the month may make it one too high
  let count = Math.floor(passed / months)
  if (addMonths(anchor, count * months) > at) count -= 1
  return { start: addMonths(anchor, count * months), end: addMonths(anchor, (count + 1) * months) }
}

/** The calendar month in UTC. */
export const calendarMonth = (at: number): Period => {
  const now = new Date(at)
  return periodAt(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1), 'month', at)
}
