/** Prunes the audit log: lines end with their retention, and in no other way. Source: contract 1, "Audit". */
import { deleteAuditEventsUpTo, listOldestAuditEvents, oldestAuditEventAfter } from '../../storage/audit.ts'
import { firstIdAt } from '../../storage/ids.ts'
import type { Store } from '../../storage/store.ts'
import type { Clock } from '../runtime/clock.ts'
import { nextTurn } from '../runtime/next-turn.ts'

const dayMs = 86_400_000

/** After so many organizations without a line to remove, others get their turn. */
const organizationsPerTurn = 200

export class AuditRetention {
  constructor(private readonly parts: { store: Store; clock: Pick<Clock, 'now'>; days: number }) {}

  /**
   * Removes up to `limit` lines that are older than the retention, organization by organization along the primary key;
   * says how many. To be called now and then.
   */
  async prune(limit: number): Promise<number> {
    const { store, clock, days } = this.parts
    const before = firstIdAt('aud', clock.now() - days * dayMs)
    let removed = 0
    let after = ''
    for (let looks = 1; removed < limit; looks += 1) {
      const oldest = await store.first(oldestAuditEventAfter(store, { after }))
      if (!oldest) break
      after = oldest.organization_id
      if (oldest.id < before) removed += await this.#pruneOne(after, before, limit - removed)
      if (looks % organizationsPerTurn === 0) await nextTurn()
    }
    return removed
  }

  async #pruneOne(organizationId: string, before: string, limit: number): Promise<number> {
    const { store } = this.parts
    const expired = await store.all(listOldestAuditEvents(store, { organizationId, before, limit }))
    const last = expired.at(-1)
    // new lines sort after all of these
    if (last) await store.commit([deleteAuditEventsUpTo(store, { organizationId, id: last.id })])
    return expired.length
  }
}
