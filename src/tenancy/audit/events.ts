/** Reads the audit log. Source: contract 1, "Audit". */

import { firstIdAt } from '../../../storage/ids.ts'
import type { Store } from '../../../storage/store.ts'
import type { AuditEventRow } from '../../../storage/tables.ts'
import { listAuditEventsBetween } from '../../../storage/tenancy/audit.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { belowId } from '../../platform/http/pagination.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import type { AuditLog } from './log.ts'
import type { AuditEvent, AuditQuery } from './schema.ts'

const present = (row: AuditEventRow): AuditEvent => ({
  id: row.id,
  at: timestamp(row.at),
  actor: { type: row.actor_type, id: row.actor_id },
  ip: row.ip,
  operation: row.operation,
  resource: { type: row.resource_type, id: row.resource_id },
  outcome: row.outcome,
  requestId: row.request_id,
  requestIdFrom: row.request_id_from,
  changed: JSON.parse(row.changed) as string[],
  count: row.count,
})

export interface AuditEventsParts {
  store: Store
  cursors: Cursors
  audit: Pick<AuditLog, 'countOf'>
}

export class AuditEvents {
  constructor(private readonly parts: AuditEventsParts) {}

  /** Newest first. A page ends after so many lines looked at, whatever it holds. Throws `invalid_cursor` (422). */
  async list({ organizationId }: Caller, { limit, cursor, ...filters }: AuditQuery) {
    const { store, cursors, audit } = this.parts
    const scope = { list: 'audit-events', organizationId, filters }
    const after = cursor === undefined ? undefined : cursors.open(scope, cursor)
    const latest = filters.until === undefined ? '~' : firstIdAt('aud', Date.parse(filters.until))
    const from = filters.since === undefined ? '' : firstIdAt('aud', Date.parse(filters.since))
    let before = [belowId(after), latest].reduce((one, other) => (one < other ? one : other))
    const items: AuditEvent[] = []
    let looked = 0
    for (;;) {
      const rows = await store.all(listAuditEventsBetween(store, { organizationId, before, from, limit: looksAtOnce }))
      for (const row of rows) {
        const isWanted = fits(row, filters)
        // there is one more than the page holds
        if (isWanted && items.length === limit) return pageOf(items, limit, cursors.seal(scope, [before]))
        before = row.id
        // counts of the current minute are not stored yet
        if (isWanted) items.push(present({ ...row, count: audit.countOf(row.id) ?? row.count }))
      }
      looked += rows.length
      if (rows.length < looksAtOnce) return pageOf(items, limit)
      if (looked >= looksMax) return pageOf(items, limit, cursors.seal(scope, [before]))
    }
  }
}

const looksAtOnce = 500
/** The most lines that one page reads. */
const looksMax = 5_000

const pageOf = (items: AuditEvent[], limit: number, nextCursor?: string) => ({
  data: { items },
  pagination: { limit, hasMore: nextCursor !== undefined, ...(nextCursor !== undefined && { nextCursor }) },
})

type Filters = Omit<AuditQuery, 'limit' | 'cursor'>

const isOfRun = ({ resource_type }: AuditEventRow): boolean => resource_type === 'agentRun'

function fits(row: AuditEventRow, { kind, actorId, operation, resourceType, resourceId, outcome }: Filters): boolean {
  return (
    (kind === undefined || (kind === 'runs') === isOfRun(row)) &&
    (actorId === undefined || row.actor_id === actorId) &&
    (operation === undefined || row.operation === operation) &&
    (resourceType === undefined || row.resource_type === resourceType) &&
    (resourceId === undefined || row.resource_id === resourceId) &&
    (outcome === undefined || row.outcome === outcome)
  )
}
