/** Removes actors whose time is over, with their journals, a bounded number in each unit of work. */
import { StaleWrite } from '../../storage/errors.ts'
import { removeActor } from '../../storage/removal-piece.ts'
import type { Store, Write } from '../../storage/store.ts'
import type { Actors } from './actors.ts'

export interface Expired {
  kind: string
  /** Those whose time is over, the oldest first. */
  list(limit: number): Promise<readonly { id: string }[]>
  /** The row and what hangs from it. */
  remove(id: string): Write[]
}

/** In one transaction. */
const removedAtOnce = 100

/** Removes up to `limit`; says how many. One that moves at this moment is left, with those beside it, for the next time. */
export const removeExpired = (
  { store, actors }: { store: Store; actors: Actors },
  { kind, list, remove }: Expired,
  limit: number,
): Promise<number> =>
  inBatches(limit, async (some) => {
    const expired = await list(some)
    if (expired.length === 0) return 0
    try {
      await store.commit(expired.flatMap(({ id }) => [...remove(id), ...removeActor(store, { kind, id })]))
    } catch (error) {
      if (error instanceof StaleWrite) return 0
      throw error
    }
    for (const { id } of expired) actors.forget({ kind, id })
    return expired.length
  })

/** Has up to `limit` removed, some at a time, until there is nothing left to remove; says how many. */
export async function inBatches(limit: number, remove: (limit: number) => Promise<number>): Promise<number> {
  let removed = 0
  while (removed < limit) {
    const count = await remove(Math.min(removedAtOnce, limit - removed))
    if (count === 0) break
    removed += count
  }
  return removed
}
