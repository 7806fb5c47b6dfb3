/**
 * What a change of a run adds to the tallies of its hour: each end, how long the run was in the queue before, and how long
 * at work. Statements of the change itself, so that every end is counted once.
 */
import type { RunContext } from '../../../machines/run.ts'
import { countEnding, runOutcomes } from '../../../storage/run-tallies.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { RunOutcome, RunRow } from '../../../storage/tables.ts'
import type { RunChange } from '../actor.ts'
import { type ChainTimes, timesAfter } from './chain-times.ts'

const outcomes: ReadonlySet<string> = new Set(runOutcomes)

/** The statements, and the chain's times after the change. */
export function tallyEndings(
  { before, moves }: RunChange,
  place: RunRow,
  store: Store,
  known: ChainTimes,
): { writes: Write[]; times: ChainTimes } {
  const writes: Write[] = []
  let times = known
  let chain = before?.context.chain ?? 0
  for (const move of moves) {
    const { event, from, to, context } = move
    times = timesAfter(times, move, chain)
    chain = (context as unknown as RunContext).chain
    if (from === to || !outcomes.has(to)) continue
    const { openedAt, begunAt } = times
    writes.push(
      countEnding(store, {
        place,
        outcome: to as RunOutcome,
        at: event.at,
        queueMs: begunAt === null ? null : begunAt - openedAt,
        workMs: begunAt === null ? null : event.at - begunAt,
      }),
    )
  }
  return { writes, times }
}
