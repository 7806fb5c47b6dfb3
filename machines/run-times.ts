/** The times of an attempt, as a run's statechart reckons with them. Source: contract 5, "Statechart". */
import type { RunContext, RunEvent, RunLimits } from './run-words.ts'

/** What one more lost attempt costs in waiting: full jitter over a doubling back-off; a vendor's Retry-After wins. */
export function backOff(limits: RunLimits, context: RunContext, event: RunEvent): number {
  if (event.type === 'attemptLost' && event.retryAfterMs !== undefined) return event.retryAfterMs
  const lostBefore = context.maxRetries - context.retriesLeft
  return Math.round(event.chance * Math.min(limits.backOffMaxMs, limits.backOffMs * 2 ** lostBefore))
}

/** What somebody has seen of the attempt: a step of the clock is no time that was held. */
export const watchedMs = ({ lease }: RunContext, { watched }: RunEvent): number | undefined =>
  watched !== undefined && watched.fencingToken === lease?.fencingToken ? watched.heldMs : undefined

/** A deadline that comes so late was missed by a server that was away, and says nothing of the runner. */
const missedMs = 10_000
export const isMissed = ({ lateMs }: RunEvent) => lateMs !== undefined && lateMs > missedMs

/** Whether the event is that deadline, by XState's name for it or by the runtime's. */
export const isDeadline = ({ type }: { type: string }, name: string) =>
  type === name || type.startsWith(`xstate.after.${name}.`)

/** Whether a deadline came too early for what was seen of the attempt; unseen, it has a moment to show itself. */
export const isTimeLeft = (context: RunContext, event: RunEvent, leftMs: number): boolean => {
  const watched = watchedMs(context, event)
  return watched === undefined ? isMissed(event) : watched < leftMs
}

/** For how long the attempt has held its machine; a deadline that comes late, after a downtime, makes it no longer. */
export function heldMs(limits: RunLimits, context: RunContext, event: RunEvent): number {
  const { activeMs, activeSince } = context
  if (activeSince === null) return 0
  const watched = watchedMs(context, event)
  // where no clock was set, both say the same but for the moments around the lease
  const passed = event.at > activeSince ? event.at - activeSince : Number.POSITIVE_INFINITY
  if (watched !== undefined) return Math.min(watched, passed, limits.activeLimitMs - activeMs)
  const until = event.type === 'attemptLost' ? Math.min(event.at, event.heldUntil ?? event.at) : event.at
  return Math.max(0, Math.min(until - activeSince, limits.activeLimitMs - activeMs))
}
