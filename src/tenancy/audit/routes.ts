/** The routes of the audit log. Source: contract 1, "Audit". */
import { Elysia } from 'elysia'
import { doc } from '../../platform/http/doc.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { OrganizationPath } from '../../platform/http/paths.ts'
import { pageOf } from '../../platform/http/schema.ts'
import { AuditEvents, type AuditEventsParts } from './events.ts'
import { exportFormats } from './formats.ts'
import { AuditEvent, AuditExportQuery, AuditQuery } from './schema.ts'

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
    .get(
      '/export',
      async ({ caller, query, admission, request, server, set }) => {
        const file = await events.export(caller, query, admission)
        // a slow reader takes its time
        server?.timeout(request, 0)
        set.headers['content-type'] = exportFormats[query.format].mediaType
        set.headers['content-disposition'] = `attachment; filename="audit-log.${query.format}"`
        set.headers['cache-control'] = 'no-store'
        return new Response(file)
      },
      {
        permission: 'organizations:manage-members',
        streaming: true,
        params: OrganizationPath,
        query: AuditExportQuery,
        errors: ['limit_exceeded', 'too_many_streams'],
        detail: doc(
          'exportAuditEvents',
          'Export the audit log',
          'All lines that match the filters, newest first, as a file. It counts as an open stream; when the credential can no ' +
            'longer read the log, the answer breaks off.',
          {
            responses: {
              200: {
                description: 'The lines.',
                content: {
                  'text/csv': { schema: { type: 'string' } },
                  'application/jsonl': { schema: { type: 'string' } },
                },
              },
            },
          },
        ),
      },
    )
}
