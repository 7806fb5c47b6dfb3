/** Reads the audit log. Source: contract 1, "Audit". */

import type { Store } from '../../../storage/store.ts'
import type { AuditEventRow } from '../../../storage/tables.ts'
import { listAuditEvents } from '../../../storage/tenancy/audit.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { belowId, type PageRequest, readPage } from '../../platform/http/pagination.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import type { AuditLog } from './log.ts'
import type { AuditEvent } from './schema.ts'

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

  /** Newest first. Throws `invalid_cursor` (422). */
  list({ organizationId }: Caller, request: PageRequest) {
    const { store, cursors, audit } = this.parts
    return readPage(
      { cursors, scope: { list: 'audit-events', organizationId } },
      request,
      (after, limit) => store.all(listAuditEvents(store, { organizationId, before: belowId(after), limit })),
      ({ id }) => [id],
      // counts of the current minute are not stored yet
      (row) => present({ ...row, count: audit.countOf(row.id) ?? row.count }),
    )
  }
}
