/** Runs that were stored before there was counting: what is stored of them is counted once they have ended, some at a time. */
import { countOldRun, listUncounted, type UncountedRun } from '../../../storage/runs/run-counts.ts'
import { forEach, inBatches } from '../../platform/operating/batches.ts'
import type { RemovalParts } from '../../runtime/removal.ts'
import { runAddress } from '../record.ts'

/** Each of them reads all that is stored of a run. */
const countedAtOnce = 10

/** Counts up to `limit` runs; says how many. One that moves at this moment is left for the next time. */
export const countOldRuns = ({ store, actors }: RemovalParts, limit: number): Promise<number> =>
  inBatches(limit, async (some) =>
    forEach<UncountedRun>(
      await store.all(listUncounted(store, { limit: Math.min(some, countedAtOnce) })),
      async (run) => {
        await store.commit(countOldRun(store, run))
        actors.forget(runAddress(run.id))
      },
    ),
  )
