/** Prepares the server's run statistics for drawing. Pure. */
import type { RunStatistics } from '../../../runs/statistics/statistics.ts'

export type Statistics = Awaited<ReturnType<RunStatistics['of']>>
/** What is counted: an Environment, a Project, or all. */
export interface Scope {
  projectId?: string
  environmentId?: string
}

type Outcome = keyof Statistics['totals']

/** In stacking order, from the bottom. */
export const outcomes: readonly { outcome: Outcome; title: string; token: string }[] = [
  { outcome: 'completed', title: 'Completed', token: '--good' },
  { outcome: 'failed', title: 'Failed', token: '--bad' },
  { outcome: 'canceled', title: 'Canceled', token: '--idle' },
  { outcome: 'expired', title: 'Expired', token: '--waiting' },
]

const hour = 3_600_000
const day = 24 * hour

/** Time ranges: length and bar width. */
export const ranges = [
  { value: '24h', title: '24 h', words: 'the last 24 hours', lengthMs: day, interval: 'hour', barMs: hour },
  { value: '7d', title: '7 d', words: 'the last 7 days', lengthMs: 7 * day, interval: 'hour', barMs: 6 * hour },
  { value: '30d', title: '30 d', words: 'the last 30 days', lengthMs: 30 * day, interval: 'day', barMs: day },
] as const
export type Range = (typeof ranges)[number]

export const rangeOf = (value: string | null): Range => ranges.find((range) => range.value === value) ?? ranges[0]

interface Bar {
  /** Epoch milliseconds. */
  from: number
  counts: Record<Outcome, number>
}

type Buckets = Statistics['buckets']

/** Sums of ended runs per bar; the buckets may be narrower. */
export function barsOf(buckets: Buckets, barMs: number): Bar[] {
  const bars: Bar[] = []
  for (const { from, completed, failed, canceled, expired } of buckets) {
    const counts = { completed, failed, canceled, expired }
    const start = Math.floor(Date.parse(from) / barMs) * barMs
    const last = bars.at(-1)
    if (last?.from !== start) bars.push({ from: start, counts })
    else for (const { outcome } of outcomes) last.counts[outcome] += counts[outcome]
  }
  return bars
}

interface CostBar {
  /** Epoch milliseconds. */
  from: number
  /** By currency. */
  amounts: Record<string, number>
}

/** Sums of costs per bar as numbers for drawing, not exact amounts. */
export function costBarsOf(buckets: Buckets, barMs: number): CostBar[] {
  const bars: CostBar[] = []
  for (const { from, costs = [] } of buckets) {
    const start = Math.floor(Date.parse(from) / barMs) * barMs
    if (bars.at(-1)?.from !== start) bars.push({ from: start, amounts: {} })
    const { amounts } = bars.at(-1) as CostBar
    for (const { amount, currency } of costs) amounts[currency] = (amounts[currency] ?? 0) + Number(amount)
  }
  return bars
}

export const endedIn = (totals: Statistics['totals']): number =>
  outcomes.reduce((sum, { outcome }) => sum + totals[outcome], 0)

/** Live runs: queued, running, waiting. */
export const livingIn = ({ queued, acquiring, starting, running, canceling, ...awaiting }: Statistics['current']) => ({
  queued,
  atWork: acquiring + starting + running + canceling,
  waiting: awaiting.awaitingToolResult + awaiting.awaitingDelegateResult,
})
