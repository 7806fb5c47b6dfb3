/** Flows that came back are remembered until they would be refused for their age. */
import { deleteEndedFlow, listEndedFlows } from '../../storage/oauth-flows.ts'
import type { Store } from '../../storage/store.ts'

/** Forgets up to `limit` of them; says how many. */
export async function pruneUsedFlows(store: Store, now: number, limit: number): Promise<number> {
  const ended = await store.all(listEndedFlows(store, { now, limit }))
  if (ended.length > 0) {
    await store.commit(ended.map(({ state_hash }) => deleteEndedFlow(store, { stateHash: state_hash, now })))
  }
  return ended.length
}
