/** The route of the audit log. Source: contract 1, "Audit". */
import { Elysia } from 'elysia'
import { doc } from '../../platform/http/doc.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { OrganizationPath } from '../../platform/http/paths.ts'
import { pageOf } from '../../platform/http/schema.ts'
import { AuditEvents, type AuditEventsParts } from './events.ts'
import { AuditEvent, AuditQuery } from './schema.ts'

export function auditRoutes(parts: AuditEventsParts & { guarded: Guarded }) {
  const events = new AuditEvents(parts)
  return new Elysia({
    name: 'audit-events',
    prefix: '/api/v1/organizations/:organizationIdOrSlug/audit-events',
    tags: ['Organizations'],
  })
    .use(parts.guarded)
    .get('', ({ caller, query }) => events.list(caller, query), {
      permission: 'organizations:manage-members',
      params: OrganizationPath,
      query: AuditQuery,
      response: { 200: pageOf(AuditEvent) },
      detail: doc(
        'listAuditEvents',
        'List the audit log',
        'All changes, changes refused as forbidden, not found or conflicting, and forbidden reads, ' +
          'newest first, with actor, address, target and outcome. Refusals are aggregated to one line with a `count` for each credential, operation and ' +
          'minute; unauthenticated, invalid, rate-limited and unpaid requests have no line. Lines are immutable ' +
          'and are kept for `TROUPE_AUDIT_RETENTION_DAYS`. A page looks at no more than 5,000 lines: with filters it may hold ' +
          'fewer items than `limit`, or none, although there are more.',
      ),
    })
}
