/** Which stretch of time figures are of, and how it is divided. Pure. */
import { invalid } from '../../platform/http/answers/errors.ts'
import { instantOf } from '../../platform/http/timestamp.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

export const intervals = ['hour', 'day'] as const
export type Interval = (typeof intervals)[number]
export const lengthOf: Readonly<Record<Interval, number>> = { hour: hourMs, day: dayMs }

/** So many intervals long may a window be; as many days, and one for a part of a day, figures are kept for. */
export const intervalsMax = 400
export const keptMs = (intervalsMax + 1) * dayMs

/** Longer ones are divided into days unless hours are asked for. */
const inHoursMs = 7 * dayMs

export interface WindowRequest {
  from?: string
  to?: string
  interval?: Interval
}

/** From the beginning of an interval to the end of one, in epoch milliseconds. */
export interface Window {
  from: number
  to: number
  interval: Interval
}

const refused = (name: keyof WindowRequest, message: string) => invalid([{ path: `/query/${name}`, message }])

function instant(name: 'from' | 'to', text: string): number {
  const at = instantOf(text)
  if (at === undefined) throw refused(name, 'Must be a date-time of RFC 3339.')
  return at
}

/** The whole intervals that hold what is asked for; the last 24 hours unless something else is. Throws `validation_failed`. */
export function windowOf(asked: WindowRequest, now: number): Window {
  const to = asked.to === undefined ? now : instant('to', asked.to)
  const from = asked.from === undefined ? to - dayMs : instant('from', asked.from)
  if (to > now + dayMs) throw refused('to', 'Must be at most a day ahead.')
  if (from < 0) throw refused('from', 'Must not be before 1970.')
  if (from >= to) throw refused('from', 'Must be before the end.')
  if (to - from > intervalsMax * dayMs) throw refused('from', `Must be at most ${intervalsMax} days before the end.`)
  const interval = asked.interval ?? (to - from <= inHoursMs ? 'hour' : 'day')
  const length = lengthOf[interval]
  if (to - from > intervalsMax * length) {
    throw refused('interval', `There would be more than ${intervalsMax}: take days, or a shorter time.`)
  }
  // unless another end was asked for, what ends at this very moment is part of it
  const end = asked.to === undefined ? to + 1 : to
  return { from: Math.floor(from / length) * length, to: Math.ceil(end / length) * length, interval }
}
