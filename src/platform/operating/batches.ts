/** Background work on many things, some at a time: a thing that somebody else has changed meanwhile is left out. */
import { StaleWrite } from '../../../storage/errors.ts'

/** Looked for in one go. */
const foundAtOnce = 100

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
