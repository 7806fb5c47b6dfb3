/** Prunes the audit log: lines are removed after their retention and for no other reason. Source: contract 1, "Audit". */

import { firstIdAt } from '../../../storage/ids.ts'
import type { BackgroundStore } from '../../../storage/store.ts'
import { deleteAuditEventsUpTo, listOldestAuditEvents, oldestAuditEventAfter } from '../../../storage/tenancy/audit.ts'
import { inBatches, Rounds } from '../../platform/operating/batches.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { dayMs } from '../../platform/time/durations.ts'

export class AuditRetention {
  /** The last organization processed: the next batch continues after it. */
  #after = ''
  readonly #rounds = new Rounds()

  constructor(private readonly parts: { store: BackgroundStore; clock: Pick<Clock, 'now'>; days: number }) {}

  /**
   * Removes up to `limit` lines that are older than the retention, organization by organization along the primary key; returns
   * how many. Called periodically.
   */
  async prune(limit: number): Promise<number> {
    const { store, clock, days } = this.parts
    const before = firstIdAt('aud', clock.now() - days * dayMs)
    let removed = 0
    while (removed < limit) {
      const oldest = await store.first(oldestAuditEventAfter(store, { after: this.#after }))
      if (!oldest) {
        this.#after = ''
        this.#rounds.end()
        break
      }
      const { organization_id: organizationId, id, at } = oldest
      if (id < before) {
        this.#rounds.note(at + days * dayMs)
        removed += await this.#pruneOne(organizationId, before, limit - removed)
      }
      if (removed < limit) this.#after = organizationId
    }
    return removed
  }

  /** When the oldest line expired that the sweep has met lately. */
  async overdueSince(): Promise<number | undefined> {
    return this.#rounds.overdueSince
  }

  async #pruneOne(organizationId: string, before: string, limit: number): Promise<number> {
    const { store } = this.parts
    return inBatches(limit, async (some) => {
      const expired = await store.all(listOldestAuditEvents(store, { organizationId, before, limit: some }))
      const last = expired.at(-1)
      // new lines sort after all of these
      if (last) await store.commit([deleteAuditEventsUpTo(store, { organizationId, id: last.id })], null)
      return expired.length
    })
  }
}
