/** Background work in batches; items that were changed concurrently are skipped. */
import { StaleWrite } from '../../../storage/errors.ts'

/** Items that are read at once. */
const foundAtOnce = 100

/**
 * Processes all items in parallel and returns how many succeeded. Skips items that changed since they were read
 * (`StaleWrite`). Throws the first other error when all are done.
 */
export async function forEach<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<number> {
  let done = 0
  for (const outcome of await Promise.allSettled(items.map(work))) {
    if (outcome.status === 'fulfilled') done += 1
    else if (!(outcome.reason instanceof StaleWrite)) throw outcome.reason
  }
  return done
}

/** Removes up to `limit` items in batches until none are left; returns how many. */
export async function inBatches(limit: number, remove: (limit: number) => Promise<number>): Promise<number> {
  let removed = 0
  while (removed < limit) {
    const count = await remove(Math.min(foundAtOnce, limit - removed))
    if (count === 0) break
    removed += count
  }
  return removed
}

/** What a sweep finds that goes from place to place, and cannot look at all of them at once. */
export class Rounds {
  #current: number | undefined
  #last: number | undefined

  /** An item was found that expired at this time and had not been removed, epoch milliseconds. */
  note(expiredAt: number): void {
    this.#current = Math.min(expiredAt, this.#current ?? expiredAt)
  }

  /** Every place has been visited. */
  end(): void {
    this.#last = this.#current
    this.#current = undefined
  }

  /** When the oldest of them expired, in this round and the last one. */
  get overdueSince(): number | undefined {
    return this.#last === undefined ? this.#current : Math.min(this.#last, this.#current ?? this.#last)
  }
}
