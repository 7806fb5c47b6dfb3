/**
 * The builtin tool `time`: converts an instant to another time zone, adds a duration, and measures the time between two
 * instants.
 */
import type { Clock } from '../../../platform/time/clock.ts'
import { ToolError, type ToolExecutor } from './executor.ts'

/** The used part of Temporal, for which TypeScript has no types yet. */
interface ZonedTime {
  readonly epochMilliseconds: number
  readonly dayOfWeek: number
  readonly weekOfYear: number
  add(duration: string): ZonedTime
  until(other: ZonedTime, options: { largestUnit: 'year' }): { toString(): string }
  toString(options: { timeZoneName: 'never' }): string
}
declare const Temporal: {
  Instant: { from(text: string): { toZonedDateTimeISO(timeZone: string): ZonedTime } }
  PlainDateTime: { from(text: string): { toZonedDateTime(timeZone: string): ZonedTime } }
}

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const moment = (what: string) => ({
  type: 'string',
  minLength: 1,
  maxLength: 64,
  description: `${what} RFC 3339, such as 2026-03-28T09:00:00Z; without an offset it is local to the time zone.`,
})

export const timeTool = (clock: Clock): ToolExecutor => ({
  idempotent: true,
  description:
    'Computes with moments by the calendar: converts one into a time zone, adds a duration to it, and says how long it is ' +
    'until another. Knows time zones and daylight saving.',
  inputSchema: {
    type: 'object',
    properties: {
      at: moment('The moment; left out: now.'),
      timezone: { type: 'string', maxLength: 100, description: 'IANA name, such as Europe/Berlin; left out: UTC.' },
      add: {
        type: 'string',
        maxLength: 64,
        description: 'An ISO 8601 duration that is added first, such as P1M, -P3D or PT90M.',
      },
      until: moment('Another moment, to which the time is measured.'),
    },
    additionalProperties: false,
  },
  execute({ at, timezone = 'UTC', add, until }) {
    const zone = String(timezone)
    assertZone(zone)
    const begin = momentOf(at === undefined ? new Date(clock.now()).toISOString() : String(at), zone)
    const there = add === undefined ? begin : later(begin, String(add))
    return { ...shown(there), timezone: zone, ...(until === undefined ? {} : distance(there, String(until), zone)) }
  },
})

function assertZone(timeZone: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone })
  } catch {
    throw new ToolError(`Unknown time zone: ${JSON.stringify(timeZone)}.`)
  }
}

function momentOf(text: string, zone: string): ZonedTime {
  try {
    return /(?:z|[+-]\d\d(?::?\d\d)?)$/i.test(text.split(/[t ]/i)[1] ?? '')
      ? Temporal.Instant.from(text).toZonedDateTimeISO(zone)
      : Temporal.PlainDateTime.from(text).toZonedDateTime(zone)
  } catch {
    throw new ToolError(`Not a moment: ${JSON.stringify(text)}. Write it as 2026-03-28T09:00:00Z.`)
  }
}

function later(moment: ZonedTime, duration: string): ZonedTime {
  try {
    return moment.add(duration)
  } catch {
    throw new ToolError(
      `Not a duration that can be added: ${JSON.stringify(duration)}. Write it as P1M, -P3D or PT90M.`,
    )
  }
}

const shown = (moment: ZonedTime) => ({
  instant: new Date(moment.epochMilliseconds).toISOString(),
  local: moment.toString({ timeZoneName: 'never' }),
  weekday: weekdays[moment.dayOfWeek - 1],
  week: moment.weekOfYear,
})

function distance(from: ZonedTime, text: string, zone: string) {
  const to = momentOf(text, zone)
  return {
    until: {
      ...shown(to),
      duration: from.until(to, { largestUnit: 'year' }).toString(),
      seconds: (to.epochMilliseconds - from.epochMilliseconds) / 1000,
    },
  }
}
