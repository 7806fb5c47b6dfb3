/** The routes of Configuration Revisions. Source: requirement 1, "Delivery path"; contract 3. */
import { Elysia } from 'elysia'
import { creating, keyErrorsWithConflict } from '../../platform/http/changes/creations.ts'
import type { Idempotency } from '../../platform/http/changes/idempotency.ts'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { pageQuery } from '../../platform/http/pagination.ts'
import { EnvironmentPath } from '../../platform/http/paths.ts'
import { dataOf, IdempotencyHeader, pageOf } from '../../platform/http/schema.ts'
import { ConfigurationRevision, ConfigurationRevisionPath, NewConfigurationRevision } from './schema.ts'
import { type ConfigurationRevisionParts, ConfigurationRevisions } from './service.ts'

export function configurationRevisionRoutes({
  guarded,
  idempotency,
  ...parts
}: ConfigurationRevisionParts & {
  guarded: Guarded
  idempotency: Idempotency
}) {
  const create = creating(idempotency)
  const revisions = new ConfigurationRevisions(parts)
  const find = ({ caller, params }: Naming<typeof ConfigurationRevisionPath>) =>
    revisions.get(caller, params, params.configurationRevisionId)
  return new Elysia({
    name: 'configuration-revisions',
    prefix: '/api/v1/projects/:projectId/environments/:environmentId/configuration-revisions',
    tags: ['Deployments'],
  })
    .use(guarded)
    .get('', ({ caller, params, query }) => revisions.list(caller, params, query), {
      permission: 'projects:get',
      params: EnvironmentPath,
      query: pageQuery,
      response: { 200: pageOf(ConfigurationRevision) },
      detail: doc(
        'listConfigurationRevisions',
        'List Configuration Revisions',
        'Newest first; the oldest is number 0, which is empty.',
      ),
    })
    .post(
      '',
      (context) =>
        create(context, {
          status: 201,
          work: ({ caller, params, body }, record) => revisions.take(caller, params, body, record),
        }),
      {
        permission: 'deployments:create',
        resource: 'configurationRevision',
        params: EnvironmentPath,
        body: NewConfigurationRevision,
        headers: IdempotencyHeader,
        response: { 201: dataOf(ConfigurationRevision) },
        errors: [
          ...keyErrorsWithConflict,
          'configuration_head_mismatch',
          'environment_not_active',
          'deletion_in_progress',
          'limit_exceeded',
        ],
        detail: doc(
          'createConfigurationRevision',
          'Create a Configuration Revision',
          'Pins every variable, Connection and provider setting of the Environment at its current version and ' +
            'becomes the head. It is immutable. Of several requests with the same expected head, one succeeds; ' +
            'through.',
        ),
      },
    )
    .get(
      '/:configurationRevisionId',
      async ({ caller, params }) => ({ data: await revisions.get(caller, params, params.configurationRevisionId) }),
      {
        permission: 'projects:get',
        params: ConfigurationRevisionPath,
        find,
        response: { 200: dataOf(ConfigurationRevision) },
        detail: doc('getConfigurationRevision', 'Get a Configuration Revision'),
      },
    )
}
