/**
 * Removes the versions of deleted Definitions, variables, Connections and organization variables, and then these
 * themselves: one by one, since there may be thousands of versions, and large ones. Source: contract 9, "Background
 * work".
 */
import { markedResources } from '../../../storage/runtime/version-steps.ts'
import type { BackgroundStore } from '../../../storage/store.ts'
import { forEach, inBatches } from '../../platform/operating/batches.ts'

/** Removes up to `limit` versions, and resources without any; returns how many. Called periodically. */
export const removeMarked = (store: BackgroundStore, limit: number): Promise<number> =>
  inBatches(limit, async (some) => {
    for (const { list, removeVersion } of markedResources) {
      const found = await store.all(list(store, { limit: some }))
      if (found.length === 0) continue
      return forEach(found, ({ id, number }) => store.commit(removeVersion(store, id, number), null))
    }
    return 0
  })
