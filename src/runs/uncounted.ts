/** Runs that were stored before there was counting: what is stored of them is counted once they have ended, some at a time. */
import { StaleWrite } from '../../storage/errors.ts'
import { countOldRun, listUncounted, type UncountedRun } from '../../storage/run-counts.ts'
import type { Store } from '../../storage/store.ts'
import type { Actors } from '../runtime/actors.ts'
import { inBatches } from '../runtime/removal.ts'
import { runAddress } from './actor.ts'

/** Counts up to `limit` runs; says how many. One that moves at this moment is left, with those beside it, for the next time. */
export const countOldRuns = (
  { store, actors }: { store: Store; actors: Pick<Actors, 'forget'> },
  limit: number,
): Promise<number> =>
  inBatches(limit, async (some) => {
    const found = await store.all<UncountedRun>(listUncounted(store, { limit: some }))
    if (found.length === 0) return 0
    try {
      await store.commit(found.flatMap((run) => countOldRun(store, run)))
    } catch (error) {
      if (error instanceof StaleWrite) return 0
      throw error
    }
    for (const { id } of found) actors.forget(runAddress(id))
    return found.length
  })
