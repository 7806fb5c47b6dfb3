/** Removes what has had its time: in the background, each thing in a unit of work of its own. */
import { StaleWrite } from '../../storage/errors.ts'
import { hasLongJournal, removeActor, shortenJournal } from '../../storage/runtime/removal-piece.ts'
import type { BackgroundStore, Write } from '../../storage/store.ts'
import type { Actors } from './actors.ts'
import type { Address } from './kind.ts'

export interface RemovalParts {
  store: BackgroundStore
  actors: Pick<Actors, 'forget'>
}

export interface Expired {
  kind: string
  /** Those whose time is over, the oldest first. */
  list(limit: number): Promise<readonly { id: string }[]>
  /** The row and what hangs from it, but for what the runtime has stored. */
  remove(id: string): Write[]
}

/** Looked for in one go. */
const foundAtOnce = 100

/** Removes up to `limit` actors with their journals; says how many. One that moves at this moment is left for the next time. */
export const removeExpired = (
  { store, actors }: RemovalParts,
  { kind, list, remove }: Expired,
  limit: number,
): Promise<number> =>
  inBatches(limit, async (some) =>
    forEach(await list(some), async ({ id }) => {
      await store.commit([...remove(id), ...removeActor(store, { kind, id })])
      actors.forget({ kind, id })
    }),
  )

/** Removes an actor that comes to no life again: of a long journal the beginning goes first, bit by bit. */
export async function removeForGood({ store, actors }: RemovalParts, actor: Address, writes: Write[]): Promise<void> {
  while (await hasLongJournal(store, actor)) await store.commit([shortenJournal(store, actor)])
  await store.commit(writes)
  actors.forget(actor)
}

/**
 * Does it for all of them side by side; says for how many. One that has changed since it was found (`StaleWrite`) is left
 * out. Throws what else has gone wrong first, when all are through.
 */
export async function forEach<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<number> {
  let done = 0
  for (const outcome of await Promise.allSettled(items.map(work))) {
    if (outcome.status === 'fulfilled') done += 1
    else if (!(outcome.reason instanceof StaleWrite)) throw outcome.reason
  }
  return done
}

/** Has up to `limit` removed, some at a time, until there is nothing left to remove; says how many. */
export async function inBatches(limit: number, remove: (limit: number) => Promise<number>): Promise<number> {
  let removed = 0
  while (removed < limit) {
    const count = await remove(Math.min(foundAtOnce, limit - removed))
    if (count === 0) break
    removed += count
  }
  return removed
}
