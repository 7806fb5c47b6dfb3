/** The time window of statistics and its intervals. Pure. */
import { invalid } from '../../platform/http/answers/errors.ts'
import { instantOf } from '../../platform/http/timestamp.ts'
import { dayMs, hourMs } from '../../platform/time/durations.ts'

export const intervals = ['hour', 'day'] as const
type Interval = (typeof intervals)[number]
export const lengthOf: Readonly<Record<Interval, number>> = { hour: hourMs, day: dayMs }

/** The maximum number of intervals in a window, and the days for which tallies are kept, plus one for a partial day. */
const intervalsMax = 400
export const keptMs = (intervalsMax + 1) * dayMs

/** Longer windows default to days. */
const inHoursMs = 7 * dayMs

export interface WindowRequest {
  from?: string
  to?: string
  interval?: Interval
}

/** From the start of an interval to the end of one, in epoch milliseconds. */
export interface Window {
  from: number
  to: number
  interval: Interval
}

const refused = (name: keyof WindowRequest, message: string) => invalid([{ path: `/query/${name}`, message }])

function instant(name: 'from' | 'to', text: string): number {
  const at = instantOf(text)
  if (at === undefined) throw refused(name, 'Must be an RFC 3339 date-time.')
  return at
}

/** The whole intervals that contain the requested time; default: the last 24 hours. Throws `validation_failed`. */
export function windowOf(request: WindowRequest, now: number): Window {
  const to = request.to === undefined ? now : instant('to', request.to)
  const from = request.from === undefined ? to - dayMs : instant('from', request.from)
  if (to > now + dayMs) throw refused('to', 'Must be at most one day in the future.')
  if (from < 0) throw refused('from', 'Must not be before 1970.')
  if (from >= to) throw refused('from', 'Must be before the end.')
  if (to - from > intervalsMax * dayMs) throw refused('from', `Must be at most ${intervalsMax} days before the end.`)
  const interval = request.interval ?? (to - from <= inHoursMs ? 'hour' : 'day')
  const length = lengthOf[interval]
  if (to - from > intervalsMax * length) {
    throw refused('interval', `The window has more than ${intervalsMax} intervals: use days or a shorter window.`)
  }
  // unless another end was requested, include what ends at this millisecond
  const end = request.to === undefined ? to + 1 : to
  return { from: Math.floor(from / length) * length, to: Math.ceil(end / length) * length, interval }
}
