/** Instants and durations for display. */
import { useSyncExternalStore } from 'react'

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * day],
  ['month', 30 * day],
  ['day', day],
  ['hour', hour],
  ['minute', minute],
]

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
/** `in 1 year`: the next year may begin tomorrow. */
const counted = new Intl.RelativeTimeFormat('en')
const absolute = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' })
const zoned = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'long', hourCycle: 'h23' })

/** `5 minutes ago`, `in 2 hours`, `now` */
export function relativeTime(at: number, now: number): string {
  const distance = at - now
  const [unit, size] = units.find(([, size]) => Math.abs(distance) >= size) ?? ['second', second]
  if (unit === 'second' && Math.abs(distance) < 10 * second) return 'now'
  const format = unit === 'year' || unit === 'month' ? counted : relative
  return format.format(Math.trunc(distance / size), unit)
}

/** `Nov 26, 2026, 14:30:05 GMT+1`: in the zone of the user, which it names. */
export const absoluteText = (at: number): string => zoned.format(at)

/** `340 ms`, `12.5 s`, `3 min 20 s`, `2 h 5 min`, `6 d 23 h` */
export function durationText(milliseconds: number): string {
  if (milliseconds < second) return `${Math.round(milliseconds)} ms`
  if (milliseconds < minute) return `${(milliseconds / second).toFixed(1)} s`
  if (milliseconds < hour)
    return `${Math.floor(milliseconds / minute)} min ${Math.floor((milliseconds % minute) / second)} s`
  if (milliseconds < 2 * day)
    return `${Math.floor(milliseconds / hour)} h ${Math.floor((milliseconds % hour) / minute)} min`
  return `${Math.floor(milliseconds / day)} d ${Math.floor((milliseconds % day) / hour)} h`
}

const watchers = new Set<() => void>()
let ticking: ReturnType<typeof setInterval> | undefined
let now = Date.now()

/** One timer updates all times on the page. */
function watchClock(changed: () => void): () => void {
  watchers.add(changed)
  ticking ??= setInterval(() => {
    now = Date.now()
    for (const tell of watchers) tell()
  }, 10 * second)
  return () => {
    watchers.delete(changed)
    if (watchers.size > 0) return
    clearInterval(ticking)
    ticking = undefined
  }
}

let isRead = false
function readClock(): number {
  // React reads it twice in a row, and takes two results for a change without an end
  if (watchers.size === 0 && !isRead) {
    now = Date.now()
    isRead = true
    queueMicrotask(() => {
      isRead = false
    })
  }
  return now
}

/** The current time, updated every ten seconds. */
export const useNow = (): number => useSyncExternalStore(watchClock, readClock)

/** Relative time, with the absolute time and its zone as tooltip; a dash for none. */
export function Time({ at }: { at: string | null | undefined }) {
  const present = useNow()
  if (!at) return <span className="faint none">–</span>
  const instant = Date.parse(at)
  return (
    <time dateTime={at} title={absoluteText(instant)}>
      {relativeTime(instant, Math.max(present, Date.now()))}
    </time>
  )
}

/** Absolute time, with its zone as tooltip. */
export const AbsoluteTime = ({ at }: { at: string }) => (
  <time dateTime={at} title={absoluteText(Date.parse(at))}>
    {absolute.format(Date.parse(at))}
  </time>
)

/** Elapsed time; counts on while `to` is null. */
export function Duration({ from, to }: { from: string | null; to: string | null }) {
  const present = useNow()
  if (!from) return <span className="faint none">–</span>
  return <span className="number">{durationText(Math.max(0, (to ? Date.parse(to) : present) - Date.parse(from)))}</span>
}
