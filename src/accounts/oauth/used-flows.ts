/** Flows that came back are remembered until they would be refused for their age. */
import { deleteEndedFlow, listEndedFlows } from '../../../storage/accounts/oauth-flows.ts'
import type { BackgroundStore } from '../../../storage/store.ts'
import { forEach, inBatches } from '../../platform/operating/batches.ts'

/** Forgets up to `limit` of them; says how many. */
export const pruneUsedFlows = (store: BackgroundStore, now: number, limit: number): Promise<number> =>
  inBatches(limit, async (some) =>
    forEach(await store.all(listEndedFlows(store, { now, limit: some })), ({ state_hash }) =>
      store.commit([deleteEndedFlow(store, { stateHash: state_hash, now })]),
    ),
  )
