/**
 * When a job is to run: a cron pattern of five fields in a time zone. The pattern is read by croner as if all clocks showed
 * UTC; what such a wall time means where daylight saving begins or ends is settled here, by one rule for all patterns: a
 * time that does not exist is the first instant after the gap, one that is shown twice counts once. Pure.
 * Source: contract 6, Jobs.
 */
import { Cron } from 'croner'
import { instantOf, isZone, putBackMs, wallTime } from './zone.ts'

export interface Schedule {
  /** Minute, hour, day of the month, month, day of the week. */
  cron: string
  /** IANA. */
  timezone: string
}

const minuteMs = 60_000
/** Standard cron: numbers, names of months and days, lists, ranges and steps. */
const plain = /^[\d*,/A-Za-z-]+$/
const names = /^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)$/i
/** How many wall times are looked at in one go, on the way back. */
const stride = 64

/** The fields, with one space between them. */
export const normalCron = (cron: string): string => cron.trim().split(/\s+/).join(' ')

const patternOf = (cron: string): Cron => new Cron(cron, { mode: '5-part', timezone: 'UTC', paused: true })

/** What is wrong with a pattern; undefined when it is one. */
export function cronFault(cron: string): string | undefined {
  const fields = normalCron(cron).split(' ')
  if (fields.length !== 5) return 'Must have five fields: minute, hour, day of the month, month, day of the week.'
  const words = fields.flatMap((field) => field.match(/[A-Za-z]+/g) ?? [])
  if (!fields.every((field) => plain.test(field)) || !words.every((word) => names.test(word))) {
    return 'May have numbers, names of months and days, `*`, `,`, `-` and `/`.'
  }
  try {
    return patternOf(fields.join(' ')).nextRun(new Date(0)) ? undefined : 'Never comes: there is no such day.'
  } catch (error) {
    return `Is not a cron pattern: ${(error as Error).message.replace(/^CronPattern: /, '')}`
  }
}

/** What is wrong with a time zone; undefined when there is one of this name. */
export const timezoneFault = (timezone: string): string | undefined =>
  isZone(timezone) ? undefined : 'Must be the name of an IANA time zone, like `Europe/Berlin` or `UTC`.'

/** The first tick after an instant; null when there is none. Throws for what is no schedule. */
export function nextTick({ cron, timezone }: Schedule, after: number): number | null {
  const pattern = patternOf(cron)
  let wall = wallTime(timezone, after)
  for (;;) {
    const next = pattern.nextRun(new Date(wall))
    if (!next) return null
    wall = next.getTime()
    const at = instantOf(timezone, wall)
    if (at > after) return at
  }
}

/** The last ticks from `from` to `until`, both included, oldest first; at most `max`. */
export function lastTicks({ cron, timezone }: Schedule, from: number, until: number, max: number): number[] {
  const pattern = patternOf(cron)
  const ticks: number[] = []
  let wall = wallTime(timezone, until) + putBackMs(timezone, until) + minuteMs
  for (;;) {
    const walls = pattern.previousRuns(stride, new Date(wall)).map((date) => date.getTime())
    for (wall of walls) {
      const at = instantOf(timezone, wall)
      if (at < from) return ticks.reverse()
      if (at > until || at === ticks.at(-1)) continue
      ticks.push(at)
      if (ticks.length === max) return ticks.reverse()
    }
    if (walls.length < stride) return ticks.reverse()
  }
}
