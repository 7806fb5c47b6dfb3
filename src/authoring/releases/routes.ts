/** Releases over HTTP. Source: requirement 1, "Delivery path"; contract 3. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { creating, keyErrorsWithConflict } from '../../platform/http/changes/creations.ts'
import type { Idempotency } from '../../platform/http/changes/idempotency.ts'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { pageQuery } from '../../platform/http/pagination.ts'
import { ProjectPath } from '../../platform/http/paths.ts'
import { dataOf, Id, IdempotencyHeader, pageOf } from '../../platform/http/schema.ts'
import { AgainstRelease, ReleaseDiff } from './differences/schema.ts'
import { type ReleaseParts, Releases } from './releases.ts'
import { NewRelease, Release } from './schema.ts'

const ReleasePath = Type.Object({ ...ProjectPath.properties, releaseId: Id('rel') })

export function releaseRoutes({
  guarded,
  idempotency,
  ...parts
}: ReleaseParts & { guarded: Guarded; idempotency: Idempotency }) {
  const create = creating(idempotency)
  const releases = new Releases(parts)
  const find = ({ caller, params }: Naming<typeof ReleasePath>) =>
    releases.get(caller, params.projectId, params.releaseId)
  return new Elysia({ name: 'releases', prefix: '/api/v1/projects/:projectId/releases', tags: ['Deployments'] })
    .use(guarded)
    .get('', ({ caller, params, query }) => releases.list(caller, params.projectId, query), {
      permission: 'projects:get',
      params: ProjectPath,
      query: pageQuery,
      response: { 200: pageOf(Release) },
      detail: doc('listReleases', 'List Releases', 'The Releases of the Project, newest first.'),
    })
    .post(
      '',
      (context) =>
        create(context, {
          status: 201,
          work: ({ caller, params, body }, record) => releases.create(caller, params.projectId, body, record),
          read: ({ caller, params }, id) => releases.get(caller, params.projectId, id),
        }),
      {
        permission: 'deployments:create',
        resource: 'release',
        params: ProjectPath,
        body: NewRelease,
        headers: IdempotencyHeader,
        response: { 201: dataOf(Release) },
        errors: [
          ...keyErrorsWithConflict,
          'unresolved_reference',
          'delegate_cycle',
          'deletion_in_progress',
          'limit_exceeded',
        ],
        detail: doc(
          'createRelease',
          'Create a Release',
          'Pins revisions of Agents and Definitions. Everything that they refer to must be pinned too: operations of ' +
            'tools, grants and workflow steps, delegates, and the Agents and entities of handlers. All missing references ' +
            'are listed, with paths such as `/body/agents/0/content/tools/1/operation`.',
        ),
      },
    )
    .get(
      '/:releaseId',
      async ({ caller, params }) => ({ data: await releases.get(caller, params.projectId, params.releaseId) }),
      {
        permission: 'projects:get',
        params: ReleasePath,
        find,
        response: { 200: dataOf(Release) },
        detail: doc('getRelease', 'Get a Release', 'The Release as it was created.'),
      },
    )
    .get(
      '/:releaseId/diff',
      async ({ caller, params, query }) => ({
        data: await releases.diff(caller, params.projectId, params.releaseId, query.against),
      }),
      {
        permission: 'projects:get',
        params: ReleasePath,
        find,
        query: AgainstRelease,
        response: { 200: dataOf(ReleaseDiff) },
        detail: doc(
          'diffRelease',
          'Compare two Releases',
          'The differences from `against`, by name: Agents and Definitions that were added, removed or changed, and for ' +
            'changed ones the paths that differ in their contents, grants and delegates. Values and grants that the ' +
            'credential may not read by themselves are left out.',
        ),
      },
    )
}
