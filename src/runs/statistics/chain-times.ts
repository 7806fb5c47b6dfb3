/**
 * When the current chain of a run's attempts was opened, by a start or a continue, or by the time of a start, and when its first attempt began.
 * Pure.
 */
import { startDelayMs } from '../../../machines/run/times.ts'
import type { ChainTimes, RunChange } from '../record.ts'

/** The chain times after each move, by index. */
export function timesAlong({ before, moves }: Pick<RunChange, 'before' | 'moves'>, known: ChainTimes): ChainTimes[] {
  let times = known
  let chain = before?.context.chain ?? 0
  let delay = before?.context.delayMs
  return moves.map(({ event: { at }, to, context: given }) => {
    const { chain: next, delayMs } = given
    if (next > chain) times = { openedAt: at + startDelayMs(given), begunAt: null }
    else if (delayMs !== delay) times = { ...times, openedAt: at }
    else if (to === 'running' && times.begunAt === null) times = { ...times, begunAt: at }
    chain = next
    delay = delayMs
    return times
  })
}
