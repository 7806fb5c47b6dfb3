/** Counts the bytes of ended runs stored before counting was introduced, a few at a time. */
import { countOldRun, listUncounted, type UncountedRun } from '../../../storage/runs/run-counts.ts'
import { forEach, inBatches } from '../../platform/operating/batches.ts'
import type { RemovalParts } from '../../runtime/removal.ts'
import { runAddress } from '../record.ts'

/** Each count reads all data of a run. */
const countedAtOnce = 10

/** Counts up to `limit` runs; returns their number. A run that is changing is left for the next call. */
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
