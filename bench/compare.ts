/**
 * Two sides are measured alternately, so that both run under the same conditions; the result is the median of the
 * rounds.
 */
import { type Load, type LoadOptions, load, median, type Operation } from './load.ts'

/** How thoroughly to measure. */
export interface Plan {
  rounds: number
  roundMs: number
  /** Smaller numbers of everything: checks that the benchmark runs, not how fast. */
  quick: boolean
}

interface Side {
  port: LoadOptions['port']
  operation: Operation
}

interface Comparison {
  ours: Load
  baseline: Load
  /** Our rate as a share of the baseline's, by round. */
  ratio: number
}

const warmUpMs = 500

/** Loads the baseline and our server alternately, with this many clients. */
export async function compare(plan: Plan, clients: number, ours: Side, baseline: Side): Promise<Comparison> {
  const measure = ({ port, operation }: Side, durationMs: number) => {
    const options: LoadOptions = { port, clients, durationMs }
    return load(options, operation)
  }
  for (const side of [baseline, ours]) await measure(side, warmUpMs)
  const rounds: { ours: Load; baseline: Load }[] = []
  for (let round = 0; round < plan.rounds; round += 1) {
    const before = await measure(baseline, plan.roundMs)
    rounds.push({ baseline: before, ours: await measure(ours, plan.roundMs) })
  }
  return {
    ours: medians(rounds.map((round) => round.ours)),
    baseline: medians(rounds.map((round) => round.baseline)),
    ratio: median(rounds.map((round) => round.ours.perSecond / round.baseline.perSecond)),
  }
}

/** The median of each figure. */
export const medians = (loads: readonly Load[]): Load => ({
  count: median(loads.map(({ count }) => count)),
  perSecond: median(loads.map(({ perSecond }) => perSecond)),
  p50Ms: median(loads.map(({ p50Ms }) => p50Ms)),
  p99Ms: median(loads.map(({ p99Ms }) => p99Ms)),
  generator: median(loads.map(({ generator }) => generator)),
})
