/**
 * When a job is to run: a cron pattern of five fields in a time zone. The pattern is read by croner as if all clocks showed
 * UTC; what such a wall time means where daylight saving begins or ends is settled here: a time that does not exist is the
 * first instant after the gap; one that is shown twice counts once where the pattern names hours, and twice where it is for
 * every hour, which goes on through the repeated one. Pure.
 * Source: contract 6, Jobs.
 */
import { Cron } from 'croner'
import { instantsOf, isZone, putBackAroundMs, putBackMs, wallTime } from './zone.ts'

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

const isEveryHour = (cron: string): boolean => /^\*(?:\/1)?$/.test(normalCron(cron).split(' ')[1] as string)

/** When the pattern means a wall time. */
const meant = ({ cron, timezone }: Schedule, wall: number): number[] => {
  const instants = instantsOf(timezone, wall)
  return isEveryHour(cron) ? instants : instants.slice(0, 1)
}

/** The first tick after an instant; null when there is none. Throws for what is no schedule. */
export function nextTick(schedule: Schedule, after: number): number | null {
  const { cron, timezone } = schedule
  const pattern = patternOf(cron)
  const shownAgainMs = isEveryHour(cron) ? putBackAroundMs(timezone, after) : 0
  let wall = wallTime(timezone, after) - shownAgainMs - (shownAgainMs > 0 ? minuteMs : 0)
  let first: number | null = null
  for (;;) {
    const next = pattern.nextRun(new Date(wall))
    if (!next) return first
    wall = next.getTime()
    const instants = meant(schedule, wall)
    // a wall time that is shown later may be the second showing of one that is looked at before
    if (first !== null && (instants[0] as number) >= first) return first
    for (const at of instants) if (at > after && (first === null || at < first)) first = at
    if (first !== null && shownAgainMs === 0) return first
  }
}

/** Whether a tick that was planned is more than two periods ahead: a clock that was wrong has planned it. */
export function isTooFarAhead(schedule: Schedule, planned: number, now: number): boolean {
  const next = nextTick(schedule, now)
  const second = next === null ? null : nextTick(schedule, next)
  return second !== null && planned > second
}

/** The last ticks from `from` to `until`, both included, oldest first; at most `max`. */
export function lastTicks(schedule: Schedule, from: number, until: number, max: number): number[] {
  const { cron, timezone } = schedule
  const pattern = patternOf(cron)
  /** The latest first. */
  let ticks: number[] = []
  let wall = wallTime(timezone, until) + putBackMs(timezone, until) + minuteMs
  for (;;) {
    const walls = pattern.previousRuns(stride, new Date(wall)).map((date) => date.getTime())
    for (wall of walls) {
      const instants = meant(schedule, wall)
      const latest = instants.at(-1) as number
      if (latest < from || (ticks.length === max && latest < (ticks.at(-1) as number))) return ticks.reverse()
      const found = instants.filter((at) => at >= from && at <= until && !ticks.includes(at))
      if (found.length > 0) ticks = [...ticks, ...found].sort((one, other) => other - one).slice(0, max)
    }
    if (walls.length < stride) return ticks.reverse()
  }
}
