/** The audit log: added to, read, and in the end pruned; never changed. Source: contract 1, "Audit". */
import { query, write } from './statement.ts'
import type { AuditEventRow } from './tables.ts'

export const insertAuditEvent = write((db, row: AuditEventRow) => db.insertInto('audit_events').values(row))

/** Newest first, from before an id. */
export const listAuditEvents = query((db, values: { organizationId: string; before: string; limit: number }) =>
  db
    .selectFrom('audit_events')
    .selectAll()
    .where('organization_id', '=', values.organizationId)
    .where('id', '<', values.before)
    .orderBy('id', 'desc')
    .limit(values.limit),
)
