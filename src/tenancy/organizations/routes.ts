/** The routes of organizations. Source: requirement 4.5; contract 2. */
import { Elysia } from 'elysia'
import { doc } from '../../platform/http/doc.ts'
import type { Identity } from '../../platform/http/guard/caller.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { pageQueryBySlug } from '../../platform/http/pagination.ts'
import { OrganizationPath } from '../../platform/http/paths.ts'
import { dataOf, IdempotencyHeader, pageOf } from '../../platform/http/schema.ts'
import { Invitations, type InvitationsParts } from '../invitations/invitations.ts'
import { memberRoutes } from '../members/routes.ts'
import { Members } from '../members/service.ts'
import { MemberSessions } from '../members/sessions.ts'
import { ownPermissions } from './own-permissions.ts'
import { Organization, OrganizationBody, OrganizationPatch, OwnPermissions, OwnPermissionsQuery } from './schema.ts'
import { Organizations, type OrganizationsParts } from './service.ts'

interface OrganizationRoutesParts extends OrganizationsParts, InvitationsParts {
  guarded: Guarded
}

export function organizationRoutes(parts: OrganizationRoutesParts) {
  const { guarded } = parts
  const organizations = new Organizations(parts)
  const members = new Members({ ...parts, invitations: new Invitations(parts) })
  return new Elysia({ name: 'organizations', prefix: '/api/v1/organizations', tags: ['Organizations'] })
    .use(guarded)
    .get('', ({ identity, query }) => organizations.list(identity, query), {
      signedIn: true,
      query: pageQueryBySlug,
      response: { 200: pageOf(Organization) },
      errors: ['permission_denied'],
      detail: doc(
        'listOrganizations',
        'List organizations',
        'The organizations of the user, newest first; with an API key, the organization of the key.',
      ),
    })
    .post(
      '',
      ({ identity, body, request, set, requestId, record }) =>
        organizations.create({ request, set, requestId, record }, identity, body),
      {
        signedIn: true,
        resource: 'organization',
        find: ({ identity }: { identity: Identity }) => organizations.assertMayCreate(identity),
        headers: IdempotencyHeader,
        body: OrganizationBody,
        response: { 200: dataOf(Organization) },
        errors: [
          'invalid_idempotency_key',
          ['idempotency_key_reused', 422],
          ['slug_taken', 400],
          'permission_denied',
          'limit_exceeded',
        ],
        detail: doc(
          'createOrganization',
          'Create an organization',
          'Creates a team owned by the user of the credential. Owners of the first organization can create others; with ' +
            '`TROUPE_CREATE_ORGANIZATIONS=anyone` every user can. Requires a session, or an API key that is not bound to a part ' +
            'of an organization; the key still belongs to its own organization.',
        ),
      },
    )
    .get('/:organizationIdOrSlug', async ({ caller }) => ({ data: await organizations.get(caller) }), {
      permission: 'organizations:get',
      params: OrganizationPath,
      response: { 200: dataOf(Organization) },
      detail: doc('getOrganization', 'Get an organization', 'By id or slug.'),
    })
    .get(
      '/:organizationIdOrSlug/permissions',
      async ({ caller, query }) => ({ data: await ownPermissions(parts.store, caller, query) }),
      {
        permission: 'organizations:get',
        params: OrganizationPath,
        query: OwnPermissionsQuery,
        response: { 200: dataOf(OwnPermissions) },
        errors: ['not_found'],
        detail: doc(
          'getOwnPermissions',
          'Get your permissions',
          'What the caller may do: by the role in the organization, and with `projectId` also by access grants in that ' +
            'Project. An API key is limited to its operations.',
        ),
      },
    )
    .patch('/:organizationIdOrSlug', ({ caller, body, record }) => organizations.update(caller, body, record), {
      permission: 'organizations:update',
      resource: 'organization',
      params: OrganizationPath,
      body: OrganizationPatch,
      response: { 200: dataOf(Organization) },
      errors: [['slug_taken', 409], 'deletion_in_progress'],
      detail: doc(
        'updateOrganization',
        'Change an organization',
        'Omitted fields do not change. The old slug is available to others at once.',
      ),
    })
    .use(memberRoutes({ guarded, members, memberSessions: new MemberSessions(parts) }))
}
