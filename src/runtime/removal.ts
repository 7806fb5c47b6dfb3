/** Removes what has had its time: in the background, each thing in a unit of work of its own. */
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
  /** Those whose time is over, the oldest first. */
  list(limit: number): Promise<readonly { id: string }[]>
  /** The row and what hangs from it, but for what the runtime has stored. */
  remove(id: string): Write[]
}

/** Removes up to `limit` actors with their journals; says how many. One that moves at this moment is left for the next time. */
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

/** Removes an actor that comes to no life again: of a long journal the beginning goes first, bit by bit. */
export async function removeForGood({ store, actors }: RemovalParts, actor: Address, writes: Write[]): Promise<void> {
  while (await hasLongJournal(store, actor)) await store.commit([shortenJournal(store, actor)])
  await store.commit(writes)
  actors.forget(actor)
}
