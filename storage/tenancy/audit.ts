/**
 * The audit log. Events are immutable until they are pruned, except for the count of a refusal. Source: contract 1,
 * "Audit".
 */
import { rowsOf } from '../rows.ts'
import { query, together, write } from '../statement.ts'

const auditEvents = rowsOf('audit_events', 'organization_id', 'id')

export const insertAuditEvent = together('rows', auditEvents.insert())

/** Sets the number of times that the event's refusal has occurred. */
export const countAuditEvent = write((db, values: { organizationId: string; id: string; count: number }) =>
  db
    .updateTable('audit_events')
    .set({ count: values.count })
    .where('organization_id', '=', values.organizationId)
    .where('id', '=', values.id),
)

/** Newest first, ids below `before`, down to and including `from`. */
export const listAuditEventsBetween = query(
  (db, values: { organizationId: string; before: string; from: string; limit: number }) =>
    db
      .selectFrom('audit_events')
      .selectAll()
      .where('organization_id', '=', values.organizationId)
      .where('id', '<', values.before)
      .where('id', '>=', values.from)
      .orderBy('id', 'desc')
      .limit(values.limit),
)

/** The oldest event of the next organization after `after`. */
export const oldestAuditEventAfter = query((db, values: { after: string }) =>
  db
    .selectFrom('audit_events')
    .select(['organization_id', 'id', 'at'])
    .where('organization_id', '>', values.after)
    .orderBy('organization_id')
    .orderBy('id')
    .limit(1),
)

/** The organization's events with ids below `before`, oldest first. */
export const listOldestAuditEvents = query((db, values: { organizationId: string; before: string; limit: number }) =>
  db
    .selectFrom('audit_events')
    .select('id')
    .where('organization_id', '=', values.organizationId)
    .where('id', '<', values.before)
    .orderBy('id')
    .limit(values.limit),
)

export const deleteAuditEventsUpTo = write((db, values: { organizationId: string; id: string }) =>
  db.deleteFrom('audit_events').where('organization_id', '=', values.organizationId).where('id', '<=', values.id),
)
