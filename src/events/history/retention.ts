/**
 * The retention of events. Readers go by the age of an event, whether or not it has been removed yet; expired events
 * are always the beginning of the history. Source: requirement 4.12; contract 7, "Retention".
 */
import { deleteEventsBefore, findEventFrom, findOldestEventBehind } from '../../../storage/events/events.ts'
import type { BackgroundStore, Store } from '../../../storage/store.ts'
import { Rounds } from '../../platform/operating/batches.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { dayMs } from '../../platform/time/durations.ts'

/** Per unit of work. */
const removedAtOnceMax = 100

export class EventRetention {
  /** The last Environment processed: the next batch continues after it. */
  #after = ''
  readonly #rounds = new Rounds()

  constructor(private readonly parts: { store: Store; clock: Pick<Clock, 'now'>; days: number }) {}

  /** The time of the earliest event that is kept, epoch milliseconds. */
  get keptSince(): number {
    return this.parts.clock.now() - this.parts.days * dayMs
  }

  /** The number of the oldest event that is kept; one more than the head's if there is none. */
  oldest(environmentId: string, head: number, keptSince: number): Promise<number> {
    return this.#oldest(this.parts.store, environmentId, head, keptSince)
  }

  async #oldest(
    store: Pick<BackgroundStore, 'db' | 'first'>,
    environmentId: string,
    head: number,
    keptSince: number,
  ): Promise<number> {
    const first = await store.first(findEventFrom(store, { environmentId, sequence: 1 }))
    if (!first || first.at >= keptSince) return first?.sequence ?? head + 1
    // events are ordered by time: binary search for the boundary
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
   * Removes up to `limit` expired events, Environment by Environment along the primary key; returns how many. Called
   * periodically.
   */
  async prune(limit: number): Promise<number> {
    const { background: store } = this.parts.store
    const { keptSince } = this
    let removed = 0
    while (removed < limit) {
      const oldest = await store.first(findOldestEventBehind(store, { after: this.#after }))
      if (!oldest) {
        this.#after = ''
        this.#rounds.end()
        break
      }
      const { environment_id: environmentId, sequence, at } = oldest
      if (at < keptSince) {
        this.#rounds.note(at + this.parts.days * dayMs)
        removed += await this.#pruneOne(environmentId, sequence, keptSince, limit - removed)
      }
      if (removed < limit) this.#after = environmentId
    }
    return removed
  }

  /** When the oldest event expired that the sweep has met lately. */
  async overdueSince(): Promise<number | undefined> {
    return this.#rounds.overdueSince
  }

  async #pruneOne(environmentId: string, oldest: number, keptSince: number, limit: number): Promise<number> {
    const { background: store } = this.parts.store
    const border = await this.#oldest(store, environmentId, oldest + limit - 1, keptSince)
    for (let from = oldest; from < border; ) {
      from = Math.min(border, from + removedAtOnceMax)
      await store.commit([deleteEventsBefore(store, { environmentId, sequence: from })], null)
    }
    return border - oldest
  }
}
