/** Time calculations of a run's statechart. Source: contract 5, "Statechart". */
import { isMissed } from '../words.ts'
import type { RunContext, RunEvent, RunLimits } from './words.ts'

/** The delay after a lost attempt: exponential back-off with full jitter; a vendor's Retry-After overrides it. */
export function backOff(limits: RunLimits, context: RunContext, event: RunEvent): number {
  if (event.type === 'attemptLost' && event.retryAfterMs !== undefined) return event.retryAfterMs
  const lostBefore = context.maxRetries - context.retriesLeft
  return Math.round(event.chance * Math.min(limits.backOffMaxMs, limits.backOffMs * 2 ** lostBefore))
}

/** How long the first attempt has to wait: until then, a run does not wait for a runner. */
export const startDelayMs = ({ attempt, chain, delayMs = 0 }: RunContext): number =>
  attempt === 0 && chain === 1 ? delayMs : 0

/** The observed time of the attempt, which excludes clock changes. */
export const watchedMs = ({ lease }: RunContext, { watched }: RunEvent): number | undefined =>
  watched !== undefined && watched.fencingToken === lease?.fencingToken ? watched.heldMs : undefined

/** Whether the event is that deadline, by XState's name or the runtime's. */
export const isDeadline = ({ type }: { type: string }, name: string) =>
  type === name || type.startsWith(`xstate.after.${name}.`)

/** Whether the deadline is early by the attempt's observed time; without an observation it gets a grace period. */
export const isTimeLeft = (context: RunContext, event: RunEvent, leftMs: number): boolean => {
  const watched = watchedMs(context, event)
  return watched === undefined ? isMissed(event) : watched < leftMs
}

/** How long the attempt has held its machine; a late deadline, after a downtime, adds nothing. */
export function heldMs(limits: RunLimits, context: RunContext, event: RunEvent): number {
  const { activeMs, activeSince } = context
  if (activeSince === null) return 0
  const watched = watchedMs(context, event)
  // without clock changes both values agree except for the moments around the lease
  const passed = event.at > activeSince ? event.at - activeSince : Number.POSITIVE_INFINITY
  if (watched !== undefined) return Math.min(watched, passed, limits.activeLimitMs - activeMs)
  const until = event.type === 'attemptLost' ? Math.min(event.at, event.heldUntil ?? event.at) : event.at
  return Math.max(0, Math.min(until - activeSince, limits.activeLimitMs - activeMs))
}
