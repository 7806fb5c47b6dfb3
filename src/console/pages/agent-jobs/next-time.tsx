/** A future instant in its own time zone, with the time until then. */
import { durationText, useNow } from '../../ui/time.tsx'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** `in 12 s`, `in 36 hours`, `in 5 days`; whole days only from three days on. */
export function untilText(milliseconds: number): string {
  if (milliseconds <= 0) return 'now'
  if (milliseconds < minuteMs) return `in ${Math.ceil(milliseconds / 1000)} s`
  if (milliseconds < 2 * hourMs) return `in ${durationText(milliseconds)}`
  if (milliseconds < 3 * dayMs) return `in ${Math.round(milliseconds / hourMs)} hours`
  return `in ${Math.round(milliseconds / dayMs)} days`
}

/** `Mon, Nov 23, 07:30`; with the year unless it is the current one. */
export const clockText = (at: number, timeZone: string, now: number): string =>
  new Intl.DateTimeFormat('en', {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    ...(new Date(at).getFullYear() !== new Date(now).getFullYear() && { year: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(at)

export function NextTime({ at, timezone }: { at: string | null; timezone: string }) {
  const now = useNow()
  if (at === null) return <span className="faint none">–</span>
  const instant = Date.parse(at)
  return (
    <span className="next-time">
      <time dateTime={at}>{untilText(instant - now)}</time>
      <span className="faint">{clockText(instant, timezone, now)}</span>
    </span>
  )
}
