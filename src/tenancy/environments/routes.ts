/** The routes of Environments. Source: requirement 4.14, "Related operations"; contract 2. */
import { Elysia } from 'elysia'
import { doc } from '../../platform/http/doc.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { pageQuery } from '../../platform/http/pagination.ts'
import { EnvironmentPath, ProjectPath } from '../../platform/http/paths.ts'
import { dataOf, pageOf } from '../../platform/http/schema.ts'
import { Transition } from '../../runtime/transition.ts'
import { Environment, EnvironmentChanges } from './schema.ts'
import { type EnvironmentParts, Environments } from './service.ts'

export function environmentRoutes({ guarded, ...parts }: EnvironmentParts & { guarded: Guarded }) {
  const environments = new Environments(parts)
  return new Elysia({
    name: 'environments',
    prefix: '/api/v1/projects/:projectId/environments',
    tags: ['Environments'],
  })
    .use(guarded)
    .get('', ({ caller, params, query }) => environments.list(caller, params.projectId, query), {
      permission: 'projects:get',
      params: ProjectPath,
      query: pageQuery,
      response: { 200: pageOf(Environment) },
      detail: doc(
        'listEnvironments',
        'List Environments',
        'Development, Preview, Production. A key that is bound to one of them gets only that one.',
      ),
    })
    .get('/:environmentId', async ({ caller, params }) => ({ data: await environments.get(caller, params) }), {
      permission: 'projects:get',
      params: EnvironmentPath,
      response: { 200: dataOf(Environment) },
      detail: doc('getEnvironment', 'Get an Environment'),
    })
    .patch(
      '/:environmentId',
      async ({ caller, params, body, record }) => ({ data: await environments.change(caller, params, body, record) }),
      {
        permission: 'projects:update',
        resource: 'environment',
        params: EnvironmentPath,
        body: EnvironmentChanges,
        response: { 200: dataOf(Environment) },
        errors: ['lifecycle_mismatch', 'invalid_transition', 'deletion_in_progress', 'concurrent_change'],
        detail: doc(
          'updateEnvironment',
          "Move an Environment's lifecycle",
          'From `provisioning` to `active`, once; Configuration Revisions and Deployments require it. Send the lifecycle ' +
            'that you have read as `expectedLifecycle`, in case another client was first.',
        ),
      },
    )
    .get(
      '/:environmentId/transitions',
      ({ caller, params, query }) => environments.transitions(caller, params, query),
      {
        permission: 'projects:get',
        params: EnvironmentPath,
        query: pageQuery,
        response: { 200: pageOf(Transition) },
        detail: doc('listEnvironmentTransitions', 'List transitions', 'The lifecycle journal, ascending.'),
      },
    )
}
