/** The routes of access grants. Source: contract 1, "Access grant". */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { pageQuery } from '../../platform/http/pagination.ts'
import { ProjectPath } from '../../platform/http/paths.ts'
import { dataOf, pageOf } from '../../platform/http/schema.ts'
import { AccessGrant, GrantCreation, GrantPath } from './schema.ts'
import { type AccessGrantParts, AccessGrants } from './service.ts'

const permission = 'projects:manage-access-grants'

export function accessGrantRoutes({ guarded, ...parts }: AccessGrantParts & { guarded: Guarded }) {
  const grants = new AccessGrants(parts)
  const find = ({ caller, params }: Naming<typeof GrantPath>) => grants.find(caller, params.projectId, params.grantId)
  return new Elysia({ name: 'access-grants', prefix: '/api/v1/projects/:projectId/access-grants', tags: ['Projects'] })
    .use(guarded)
    .get('', ({ caller, params, query }) => grants.list(caller, params.projectId, query), {
      permission,
      params: ProjectPath,
      query: pageQuery,
      response: { 200: pageOf(AccessGrant) },
      detail: doc('listAccessGrants', 'List access grants', 'Of the Project, newest first.'),
    })
    .post(
      '',
      async ({ caller, params, body, record }) => ({
        data: await grants.create(caller, params.projectId, body, record),
      }),
      {
        permission,
        resource: 'accessGrant',
        params: ProjectPath,
        body: GrantCreation,
        response: { 201: dataOf(AccessGrant) },
        errors: ['validation_failed', 'limit_exceeded'],
        detail: doc(
          'createAccessGrant',
          'Grant access',
          'Gives a member, or the members of a user group, permissions in this Project beyond those of their role. ' +
            'Applies from the next request.',
        ),
      },
    )
    .delete(
      '/:grantId',
      ({ caller, params, record }) => grants.remove(caller, params.projectId, params.grantId, record),
      {
        permission,
        resource: 'accessGrant',
        params: GrantPath,
        find,
        response: { 204: Type.Void() },
        detail: doc('deleteAccessGrant', 'Delete an access grant', 'Applies from the next request.'),
      },
    )
}
