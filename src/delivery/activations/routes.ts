/** The routes of Activations. Source: requirement 1, "Delivery path"; contract 3. */
import { Elysia } from 'elysia'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { pageQuery } from '../../platform/http/pagination.ts'
import { EnvironmentPath } from '../../platform/http/paths.ts'
import { dataOf, pageOf } from '../../platform/http/schema.ts'
import { Activation, ActivationPath, NewActivation } from './schema.ts'
import { type ActivationParts, Activations } from './service.ts'

export function activationRoutes({ guarded, ...parts }: ActivationParts & { guarded: Guarded }) {
  const activations = new Activations(parts)
  const find = ({ caller, params }: Naming<typeof ActivationPath>) =>
    activations.get(caller, params, params.activationId)
  return new Elysia({
    name: 'activations',
    prefix: '/api/v1/projects/:projectId/environments/:environmentId/activations',
    tags: ['Deployments'],
  })
    .use(guarded)
    .get('', ({ caller, params, query }) => activations.list(caller, params, query), {
      permission: 'projects:get',
      params: EnvironmentPath,
      query: pageQuery,
      response: { 200: pageOf(Activation) },
      detail: doc('listActivations', 'List Activations', 'Newest first.'),
    })
    .post(
      '',
      async ({ caller, params, body, record }) => ({ data: await activations.activate(caller, params, body, record) }),
      {
        permission: 'activations:create',
        resource: 'activation',
        params: EnvironmentPath,
        body: NewActivation,
        response: { 201: dataOf(Activation) },
        errors: [
          'deployment_not_ready',
          'generation_mismatch',
          'environment_not_active',
          'deletion_in_progress',
          'concurrent_change',
        ],
        detail: doc(
          'createActivation',
          'Activate a Deployment',
          'The Deployment serves from now on, and the generation of the Environment increases by one. Of several requests for the same ' +
            'generation, one succeeds. To roll back, activate an earlier Deployment that is ready.',
        ),
      },
    )
    .get(
      '/:activationId',
      async ({ caller, params }) => ({ data: await activations.get(caller, params, params.activationId) }),
      {
        permission: 'projects:get',
        params: ActivationPath,
        find,
        response: { 200: dataOf(Activation) },
        detail: doc('getActivation', 'Get an Activation'),
      },
    )
}
