/**
 * Adds the ends of runs to the hourly tallies, with their queue and work times. The statements are part of the change,
 * so that every end is counted once.
 */
import { isRunEnd } from '../../../machines/run/states.ts'
import { countEnding } from '../../../storage/runs/run-tallies.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { RunRow } from '../../../storage/tables.ts'
import type { ChainTimes, RunChange } from '../record.ts'

/** `times` are the chain times after each move. */
export function tallyEndings({ moves }: RunChange, place: RunRow, store: Store, times: readonly ChainTimes[]): Write[] {
  return moves.flatMap(({ event, from, to }, index) => {
    if (from === to || !isRunEnd(to)) return []
    const { openedAt, begunAt } = times[index] as ChainTimes
    const ending = {
      place,
      outcome: to,
      at: event.at,
      queueMs: begunAt === null ? null : Math.max(0, begunAt - openedAt),
      workMs: begunAt === null ? null : event.at - begunAt,
    }
    return [countEnding(store, ending)]
  })
}
