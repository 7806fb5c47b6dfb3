/**
 * Removes deleted Definitions: revision by revision, since there may be thousands of them, and large ones. Source:
 * contract 9, "Background work".
 */
import { listDeletedDefinitions } from '../../../storage/authoring/definitions.ts'
import { definitionRevisions } from '../../../storage/runtime/version-steps.ts'
import type { BackgroundStore } from '../../../storage/store.ts'
import { forEach, inBatches } from '../../platform/operating/batches.ts'

/** Removes up to `limit` revisions, and Definitions without any; returns how many. Called periodically. */
export const removeDeletedDefinitions = (store: BackgroundStore, limit: number): Promise<number> =>
  inBatches(limit, async (some) =>
    forEach(await store.all(listDeletedDefinitions(store, { limit: some })), ({ id, number }) =>
      store.commit(definitionRevisions.removeVersion(store, id, number), null),
    ),
  )
