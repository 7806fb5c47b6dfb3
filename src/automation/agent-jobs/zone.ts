/**
 * Time zones: what a clock on the wall shows, and when it shows it. A wall time is written as the epoch milliseconds at
 * which a clock in UTC would show the same. Pure.
 */
import { RecentlyUsed } from '../../platform/cache.ts'

const hourMs = 3_600_000
/** No clock on earth is further from UTC than this, in either direction. */
const offsetMaxMs = 15 * hourMs
const formatsMax = 1_000

const formats = new RecentlyUsed<Intl.DateTimeFormat>(formatsMax)

/** `Europe/Berlin`, `Etc/GMT+5`, `UTC`: a name, which a bare offset is not. */
const name = /^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  formats.set(zone, format)
  return format
}

/** Whether there is an IANA time zone of this name. */
export function isZone(zone: string): boolean {
  if (!name.test(zone)) return false
  try {
    formatOf(zone)
    return true
  } catch {
    return false
  }
}

/** What a clock on the wall shows at this instant. */
export function wallTime(zone: string, at: number): number {
  const shown: Record<string, number> = {}
  for (const { type, value } of formatOf(zone).formatToParts(at)) shown[type] = Number(value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown
  return Date.UTC(year, month - 1, day, hour, minute, second) + (((at % 1000) + 1000) % 1000)
}

const offsetAt = (zone: string, at: number): number => wallTime(zone, at) - at

/**
 * When a clock on the wall shows this time: once, or twice where it is put back meanwhile, the first time first; where it
 * never does, the first instant after the gap. Source: contract 6, Jobs.
 */
export function instantsOf(zone: string, wall: number): number[] {
  let [early, late] = [wall - offsetMaxMs, wall + offsetMaxMs]
  const offsets = [offsetAt(zone, early), offsetAt(zone, late)] as const
  const fitting = offsets.map((offset) => wall - offset).filter((at) => wallTime(zone, at) === wall)
  if (fitting.length > 0) return [...new Set(fitting)].sort((one, other) => one - other)
  // the clock is put forward in between: look for the instant
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2)
    if (offsetAt(zone, middle) === offsets[0]) early = middle
    else late = middle
  }
  return [late]
}

/** By how much the clock was put back within the last day: wall times up to so far ahead have been shown already. */
export const putBackMs = (zone: string, at: number): number =>
  Math.max(0, offsetAt(zone, at - 24 * hourMs) - offsetAt(zone, at))

/** The same with the day to come: wall times from so far behind are shown again. */
export const putBackAroundMs = (zone: string, at: number): number =>
  Math.max(putBackMs(zone, at), putBackMs(zone, at + 24 * hourMs))
