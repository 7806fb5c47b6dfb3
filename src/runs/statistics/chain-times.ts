/** When the current chain of a run's attempts was opened, by its start or a continue, and when it began to work. Pure. */
import type { RunContext } from '../../../machines/run.ts'
import type { RunChange } from '../actor.ts'

export interface ChainTimes {
  openedAt: number
  /** null while it has not begun. */
  begunAt: number | null
}

/** The times after a move. `chain` is the number of the chain before it. */
export function timesAfter(
  times: ChainTimes,
  { event: { at }, to, context }: Pick<RunChange['moves'][number], 'event' | 'to' | 'context'>,
  chain: number,
): ChainTimes {
  if ((context as unknown as RunContext).chain > chain) return { openedAt: at, begunAt: null }
  return to === 'running' && times.begunAt === null ? { ...times, begunAt: at } : times
}
