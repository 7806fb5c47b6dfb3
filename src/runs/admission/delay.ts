/** The time from which a new run may execute. Source: contract 14, "Delay". */
import { invalid } from '../../platform/http/answers/errors.ts'
import { dayMs } from '../../platform/time/durations.ts'

const daysMax = 30

/**
 * When the run may start, in epoch milliseconds; undefined: now, as for a time in the past. Throws 422 if it is more than
 * 30 days ahead.
 */
export function startTime(startAt: string | undefined, now: number): number | undefined {
  if (startAt === undefined) return undefined
  const at = Date.parse(startAt)
  if (at - now > daysMax * dayMs) {
    const latest = new Date(now + daysMax * dayMs).toISOString()
    const message = `Must be at most ${daysMax} days ahead, so not after ${latest}.`
    throw invalid([{ path: '/body/startAt', message }])
  }
  return at > now ? at : undefined
}
