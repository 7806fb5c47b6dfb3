/**
 * Schedules of jobs: cron patterns of five fields in a time zone. Croner evaluates the pattern in UTC; this module maps the
 * resulting wall times where daylight saving begins or ends: a skipped time becomes the first instant after the gap; a
 * repeated one counts once if the pattern names hours, and twice if it is for every hour. Pure. Source: contract 6, Jobs.
 */
import { Cron } from 'croner'
import { minuteMs } from '../../platform/time/durations.ts'
import { instantsOf, isZone, putBackAroundMs, putBackMs, wallTime } from './zone.ts'

interface Schedule {
  /** Minute, hour, day of the month, month, day of the week. */
  cron: string
  /** An IANA time zone. */
  timezone: string
}

/** Standard cron: numbers, names of months and days, lists, ranges and steps. */
const plain = /^[\d*,/A-Za-z-]+$/
const names = /^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)$/i
const fieldRules = [
  { name: 'minute', values: '0 to 59' },
  { name: 'hour', values: '0 to 23' },
  { name: 'day of the month', values: '1 to 31' },
  { name: 'month', values: '1 to 12 or `JAN` to `DEC`' },
  { name: 'day of the week', values: '0 to 7 or `SUN` to `SAT`' },
] as const
/** The most wall times evaluated at once when searching backwards. */
const strideMax = 64
/**
 * A pattern that ever occurs does so within eight years. Croner looks for one that never does up to the year 3000, which takes
 * long: it is asked from here on.
 */
const lastYears = new Date(Date.UTC(2990, 0, 1))

/** The fields, separated by single spaces. */
export const normalCron = (cron: string): string => cron.trim().split(/\s+/).join(' ')

const patternOf = (cron: string): Cron => new Cron(cron, { mode: '5-part', timezone: 'UTC', paused: true })

/** The fault of a pattern; undefined if it is valid. */
export function cronFault(cron: string): string | undefined {
  const fields = normalCron(cron).split(' ')
  if (fields.length !== 5) return 'Must have five fields: minute, hour, day of the month, month, day of the week.'
  const words = fields.flatMap((field) => field.match(/[A-Za-z]+/g) ?? [])
  if (!fields.every((field) => plain.test(field)) || !words.every((word) => names.test(word))) {
    return 'Must consist of numbers, names of months and days, `*`, `,`, `-` and `/`.'
  }
  try {
    return patternOf(fields.join(' ')).nextRun(lastYears) ? undefined : 'Never occurs: there is no such day.'
  } catch (error) {
    return faultOfField(fields) ?? `Is not a valid cron pattern: ${(error as Error).message}`
  }
}

/** The first value that is not valid by itself. Croner would name months and days by its own numbers. */
function faultOfField(fields: readonly string[]): string | undefined {
  for (const [place, { name, values }] of fieldRules.entries()) {
    const field = fields[place] as string
    const wrong = field.split(',').find((value) => !isPattern(fieldRules.map((_, at) => (at === place ? value : '*'))))
    if (wrong === undefined) continue
    return `The ${name} \`${wrong || field}\` is not valid: it must be ${values}, or a list (\`1,2\`), a rising range (\`1-5\`), \`*\` or a step (\`*/2\`) of these.`
  }
  return undefined
}

function isPattern(fields: readonly string[]): boolean {
  try {
    return patternOf(fields.join(' ')) !== undefined
  } catch {
    return false
  }
}

/** The fault of a time zone; undefined if it exists. */
export const timezoneFault = (timezone: string): string | undefined =>
  isZone(timezone) ? undefined : 'Must be the name of an IANA time zone, such as `Europe/Berlin` or `UTC`.'

const isEveryHour = (cron: string): boolean => /^\*(?:\/1)?$/.test(normalCron(cron).split(' ')[1] as string)

/** The instants of a wall time under the pattern. */
const meant = ({ cron, timezone }: Schedule, wall: number): number[] => {
  const instants = instantsOf(timezone, wall)
  return isEveryHour(cron) ? instants : instants.slice(0, 1)
}

/** The first tick after an instant; null if there is none. Throws for an invalid schedule. */
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
    // a later wall time may be the repetition of an earlier one
    if (first !== null && (instants[0] as number) >= first) return first
    for (const at of instants) if (at > after && (first === null || at < first)) first = at
    if (first !== null && shownAgainMs === 0) return first
  }
}

/** Whether a planned tick is more than two periods ahead, so that a wrong clock must have planned it. */
export function isTooFarAhead(schedule: Schedule, planned: number, now: number): boolean {
  const next = nextTick(schedule, now)
  const second = next === null ? null : nextTick(schedule, next)
  return second !== null && planned > second
}

/** The last ticks from `from` to `until`, inclusive, oldest first; at most `max`. */
export function lastTicks(schedule: Schedule, from: number, until: number, max: number): number[] {
  const { cron, timezone } = schedule
  const pattern = patternOf(cron)
  /** Latest first. */
  let ticks: number[] = []
  let wall = wallTime(timezone, until) + putBackMs(timezone, until) + minuteMs
  // a rare pattern is not searched for decades before `from`
  for (let stride = 1; ; stride = Math.min(2 * stride, strideMax)) {
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
