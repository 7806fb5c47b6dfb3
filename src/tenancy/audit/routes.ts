/** The audit log over HTTP. Source: contract 1, "Audit". */
import { Elysia } from 'elysia'
import { doc } from '../../platform/http/doc.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { pageQuery } from '../../platform/http/pagination.ts'
import { OrganizationPath } from '../../platform/http/paths.ts'
import { pageOf } from '../../platform/http/schema.ts'
import { AuditEvents, type AuditEventsParts } from './events.ts'
import { AuditEvent } from './schema.ts'

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
      query: pageQuery,
      response: { 200: pageOf(AuditEvent) },
      detail: doc(
        'listAuditEvents',
        'List the audit log',
        'Every change, attempts at one that were forbidden, found nothing or met a conflict, and reads that were forbidden, ' +
          'newest first: who, from where, what, how it ended. Such refusals are one line with a `count` for each credential, operation and ' +
          'minute; requests that are not authenticated, not valid, too many or not paid for leave none. Lines can be ' +
          'read and not be changed; they are kept for `TROUPE_AUDIT_RETENTION_DAYS`.',
      ),
    })
}
