/**
 * Conversion between instants and wall times of a time zone. A wall time is represented by the epoch milliseconds at which a
 * UTC clock shows it. Pure.
 */
import { RecentlyUsed } from '../../platform/cache.ts'
import { hourMs } from '../../platform/time/durations.ts'

/** The largest offset of any zone from UTC, in either direction. */
const offsetMaxMs = 15 * hourMs
const formatsMax = 1_000

const formats = new RecentlyUsed<Intl.DateTimeFormat>(formatsMax)

/** `Europe/Berlin`, `Etc/GMT+5`, `UTC`: a name, not a bare offset. */
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

/** Whether an IANA time zone of this name exists. */
export function isZone(zone: string): boolean {
  if (!name.test(zone)) return false
  try {
    formatOf(zone)
    return true
  } catch {
    return false
  }
}

/** The wall time at this instant. */
export function wallTime(zone: string, at: number): number {
  const shown: Record<string, number> = {}
  for (const { type, value } of formatOf(zone).formatToParts(at)) shown[type] = Number(value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown
  return Date.UTC(year, month - 1, day, hour, minute, second) + (((at % 1000) + 1000) % 1000)
}

const offsetAt = (zone: string, at: number): number => wallTime(zone, at) - at

/**
 * The instants at which the zone shows this wall time: one, or two if clocks go back, in order; for a skipped time the first
 * instant after the gap. Source: contract 6, Jobs.
 */
export function instantsOf(zone: string, wall: number): number[] {
  let [early, late] = [wall - offsetMaxMs, wall + offsetMaxMs]
  const offsets = [offsetAt(zone, early), offsetAt(zone, late)] as const
  const fitting = offsets.map((offset) => wall - offset).filter((at) => wallTime(zone, at) === wall)
  if (fitting.length > 0) return [...new Set(fitting)].sort((one, other) => one - other)
  // clocks go forward in between: search for the instant
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2)
    if (offsetAt(zone, middle) === offsets[0]) early = middle
    else late = middle
  }
  return [late]
}

/** How far clocks went back within the last day: wall times up to this far ahead were already shown. */
export const putBackMs = (zone: string, at: number): number =>
  Math.max(0, offsetAt(zone, at - 24 * hourMs) - offsetAt(zone, at))

/** The same including the next day: wall times up to this far behind are shown again. */
export const putBackAroundMs = (zone: string, at: number): number =>
  Math.max(putBackMs(zone, at), putBackMs(zone, at + 24 * hourMs))
