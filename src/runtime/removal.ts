/** Removes expired actors in the background, each in its own unit of work. */
import { hasLongJournal, removeActor, shortenJournal } from '../../storage/runtime/deletion-step.ts'
import type { BackgroundStore, Write } from '../../storage/store.ts'
import { forEach, inBatches } from '../platform/operating/batches.ts'
import type { Actors } from './actors.ts'
import type { Address } from './kind.ts'

export interface RemovalParts {
  store: BackgroundStore
  actors: Pick<Actors, 'forget'>
}

export interface Expired {
  address(id: string): Address
  /** Expired actors, the oldest first. */
  list(limit: number): Promise<readonly { id: string }[]>
  /** Removes the row and its dependents, except the runtime's own rows. */
  remove(id: string): Write[]
}

/**
 * Removes up to `limit` actors with their journals; returns their number. An actor that is changing is left for the
 * next call.
 */
export const removeExpired = (
  { store, actors }: RemovalParts,
  { address, list, remove }: Expired,
  limit: number,
): Promise<number> =>
  inBatches(limit, async (some) =>
    forEach(await list(some), async ({ id }) => {
      await store.commit([...remove(id), ...removeActor(store, address(id))])
      actors.forget(address(id))
    }),
  )

/** Removes an actor permanently; a long journal is first removed piece by piece. */
export async function removeForGood({ store, actors }: RemovalParts, actor: Address, writes: Write[]): Promise<void> {
  while (await hasLongJournal(store, actor)) await store.commit([shortenJournal(store, actor)])
  await store.commit(writes)
  actors.forget(actor)
}
