/**
 * How long events are kept. Readers go by the age of an event, whether or not it has been removed yet; what is older is
 * always a beginning of the history. Source: requirement 4.12; contract 7, "Retention".
 */
import { deleteEventsBefore, findEventFrom, findOldestEventBehind } from '../../storage/events.ts'
import type { Store } from '../../storage/store.ts'
import type { Clock } from '../runtime/clock.ts'
import { nextTurn } from '../runtime/next-turn.ts'

const dayMs = 86_400_000

/** In one unit of work: a transaction holds up everybody else's. */
const removedAtOnceMax = 100
/** After so many Environments without an event to remove, others get their turn. */
const environmentsPerTurn = 200

export class EventRetention {
  /** The last Environment that was looked at: the next batch goes on behind it. */
  #after = ''

  constructor(private readonly parts: { store: Store; clock: Pick<Clock, 'now'>; days: number }) {}

  /** The earliest moment of an event that is kept, epoch milliseconds. */
  get keptSince(): number {
    return this.parts.clock.now() - this.parts.days * dayMs
  }

  /** The number of the oldest event that is kept; one more than the head's when there is none. */
  async oldest(environmentId: string, head: number, keptSince: number): Promise<number> {
    const { store } = this.parts
    const first = await store.first(findEventFrom(store, { environmentId, sequence: 1 }))
    if (!first || first.at >= keptSince) return first?.sequence ?? head + 1
    // later events were never recorded earlier: the border is found by halving
    let expired = first.sequence
    let kept = head + 1
    while (kept - expired > 1) {
      const sequence = Math.floor((expired + kept) / 2)
      const found = await store.first(findEventFrom(store, { environmentId, sequence }))
      if (found && found.sequence < kept && found.at < keptSince) expired = found.sequence
      else kept = sequence
    }
    return kept
  }

  /**
   * Removes up to `limit` events that are not kept any more, Environment by Environment along the primary key; says how
   * many. To be called now and then.
   */
  async prune(limit: number): Promise<number> {
    const { store } = this.parts
    const { keptSince } = this
    let removed = 0
    for (let looks = 1; removed < limit; looks += 1) {
      const oldest = await store.first(findOldestEventBehind(store, { after: this.#after }))
      if (!oldest) {
        this.#after = ''
        break
      }
      const { environment_id: environmentId, sequence, at } = oldest
      if (at < keptSince) removed += await this.#pruneOne(environmentId, sequence, keptSince, limit - removed)
      if (removed < limit) this.#after = environmentId
      if (looks % environmentsPerTurn === 0) await nextTurn()
    }
    return removed
  }

  async #pruneOne(environmentId: string, oldest: number, keptSince: number, limit: number): Promise<number> {
    const { store } = this.parts
    const border = await this.oldest(environmentId, oldest + limit - 1, keptSince)
    for (let from = oldest; from < border; ) {
      from = Math.min(border, from + removedAtOnceMax)
      await store.commit([deleteEventsBefore(store, { environmentId, sequence: from })])
    }
    return border - oldest
  }
}
