/** Figures about runs, made in the browser from what the list of runs says. Pure. */
import type { PresentedRun } from '../../../runs/present.ts'

export type Outcome = 'completed' | 'failed' | 'stopped' | 'waiting' | 'atWork'

/** From the ground up, as bars are stacked. */
export const outcomes: readonly { outcome: Outcome; title: string; token: string }[] = [
  { outcome: 'completed', title: 'Completed', token: '--good' },
  { outcome: 'failed', title: 'Failed', token: '--bad' },
  { outcome: 'stopped', title: 'Canceled or expired', token: '--idle' },
  { outcome: 'waiting', title: 'Waiting for somebody', token: '--waiting' },
  { outcome: 'atWork', title: 'Queued or at work', token: '--busy' },
]

export function outcomeOf({ state, awaiting, endedAt }: PresentedRun): Outcome {
  if (state === 'completed' || state === 'failed') return state
  if (endedAt !== null) return 'stopped'
  return awaiting ? 'waiting' : 'atWork'
}

export interface Bucket {
  /** Epoch milliseconds. */
  from: number
  to: number
  counts: Record<Outcome, number>
}

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const widths = [minute, 5 * minute, 15 * minute, hour, 3 * hour, 6 * hour, 12 * hour, day, 7 * day]
const bucketsMax = 30

const none = (): Record<Outcome, number> => ({ completed: 0, failed: 0, stopped: 0, waiting: 0, atWork: 0 })

/** Runs by when they were created, in at most thirty stretches of a round length, up to `now`. */
export function bucketsOf(runs: readonly PresentedRun[], now: number): Bucket[] {
  if (runs.length === 0) return []
  const instants = runs.map(({ createdAt }) => Date.parse(createdAt))
  const oldest = Math.min(...instants)
  // a burst of runs in one minute is seen as one bar among others
  const span = Math.max(now - oldest, 15 * minute)
  const width = widths.find((each) => span / each < bucketsMax - 1) ?? Math.ceil(span / (bucketsMax - 1) / day) * day
  const first = Math.floor((now - span) / width) * width
  const buckets: Bucket[] = []
  for (let from = first; from <= now; from += width) buckets.push({ from, to: from + width, counts: none() })
  for (const [place, run] of runs.entries()) {
    const bucket = buckets[Math.floor(((instants[place] as number) - first) / width)]
    if (bucket) bucket.counts[outcomeOf(run)] += 1
  }
  return buckets
}

export function countsOf(runs: readonly PresentedRun[]): Record<Outcome, number> {
  const counts = none()
  for (const run of runs) counts[outcomeOf(run)] += 1
  return counts
}

export interface Percentiles {
  count: number
  p50: number
  p90: number
  p99: number
}

/** By nearest rank; undefined of nothing. */
export function percentilesOf(values: readonly number[]): Percentiles | undefined {
  if (values.length === 0) return undefined
  const sorted = [...values].sort((one, other) => one - other)
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] as number
  return { count: sorted.length, p50: at(0.5), p90: at(0.9), p99: at(0.99) }
}

const between = (from: string | null, to: string | null): number[] =>
  from === null || to === null ? [] : [Math.max(0, Date.parse(to) - Date.parse(from))]

/** From admission to the first attempt at work, in milliseconds. */
export const queueTimesOf = (runs: readonly PresentedRun[]): number[] =>
  runs.flatMap(({ createdAt, startedAt }) => between(createdAt, startedAt))

/** From there to the end, of runs that have ended; what they waited for somebody is part of it. */
export const workTimesOf = (runs: readonly PresentedRun[]): number[] =>
  runs.flatMap(({ startedAt, endedAt }) => between(startedAt, endedAt))
