/** The routes of Deployments. Source: requirement 1, "Delivery path"; contract 3. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { creating, keyErrorsWithConflict } from '../../platform/http/changes/creations.ts'
import type { Idempotency } from '../../platform/http/changes/idempotency.ts'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { pageQuery } from '../../platform/http/pagination.ts'
import { EnvironmentPath } from '../../platform/http/paths.ts'
import { dataOf, Id, IdempotencyHeader, pageOf } from '../../platform/http/schema.ts'
import { Transition } from '../../runtime/transition.ts'
import { AgainstDeployment, DeploymentDiff } from './differences/schema.ts'
import { Deployment, NewDeployment } from './schema.ts'
import { type DeploymentParts, Deployments } from './service.ts'

/** `{P}/deployments/:deploymentId` */
const DeploymentPath = Type.Object({ ...EnvironmentPath.properties, deploymentId: Id('dep') })

export function deploymentRoutes({
  guarded,
  idempotency,
  ...parts
}: DeploymentParts & { guarded: Guarded; idempotency: Idempotency }) {
  const create = creating(idempotency)
  const deployments = new Deployments(parts)
  const find = ({ caller, params }: Naming<typeof DeploymentPath>) =>
    deployments.get(caller, params, params.deploymentId)
  return new Elysia({
    name: 'deployments',
    prefix: '/api/v1/projects/:projectId/environments/:environmentId/deployments',
    tags: ['Deployments'],
  })
    .use(guarded)
    .get('', ({ caller, params, query }) => deployments.list(caller, params, query), {
      permission: 'projects:get',
      params: EnvironmentPath,
      query: pageQuery,
      response: { 200: pageOf(Deployment) },
      detail: doc('listDeployments', 'List Deployments', 'Newest first.'),
    })
    .post(
      '',
      (context) =>
        create(context, {
          status: 202,
          work: ({ caller, params, body }, record) => deployments.submit(caller, params, body, record),
        }),
      {
        permission: 'deployments:create',
        resource: 'deployment',
        params: EnvironmentPath,
        body: NewDeployment,
        headers: IdempotencyHeader,
        response: { 202: dataOf(Deployment) },
        errors: [
          ...keyErrorsWithConflict,
          'environment_not_active',
          'project_paused',
          'deletion_in_progress',
          'concurrent_change',
          'limit_exceeded',
        ],
        detail: doc(
          'createDeployment',
          'Submit a Deployment',
          'Validates it, tests its secrets and builds its bundle; then it is `ready` and can be ' +
            'activated. If it is `failed`, `stateReason.issues` lists all problems.',
        ),
      },
    )
    .get(
      '/:deploymentId',
      async ({ caller, params }) => ({ data: await deployments.get(caller, params, params.deploymentId) }),
      {
        permission: 'projects:get',
        params: DeploymentPath,
        find,
        response: { 200: dataOf(Deployment) },
        detail: doc('getDeployment', 'Get a Deployment'),
      },
    )
    .get(
      '/:deploymentId/diff',
      async ({ caller, params, query }) => ({
        data: await deployments.diff(caller, params, params.deploymentId, query.against),
      }),
      {
        permission: 'projects:get',
        params: DeploymentPath,
        find,
        query: AgainstDeployment,
        response: { 200: dataOf(DeploymentDiff) },
        detail: doc(
          'diffDeployment',
          'Compare two Deployments',
          'The differences from `against`, by name: what its Release and its configuration have added, ' +
            'removed or changed. Versions show that a value or a secret has changed; neither is shown. Contents that ' +
            'the credential may not read by themselves are left out.',
        ),
      },
    )
    .post(
      '/:deploymentId/cancel',
      async ({ caller, params, record }) => ({
        data: await deployments.cancel(caller, params, params.deploymentId, record),
      }),
      {
        permission: 'deployments:create',
        resource: 'deployment',
        params: DeploymentPath,
        find,
        response: { 200: dataOf(Deployment) },
        errors: ['invalid_transition', 'deletion_in_progress', 'concurrent_change'],
        detail: doc(
          'cancelDeployment',
          'Cancel a Deployment',
          'Possible before it is ready; canceling again changes nothing.',
        ),
      },
    )
    .get(
      '/:deploymentId/transitions',
      ({ caller, params, query }) => deployments.transitions(caller, params, params.deploymentId, query),
      {
        permission: 'projects:get',
        params: DeploymentPath,
        find,
        query: pageQuery,
        response: { 200: pageOf(Transition) },
        detail: doc('listDeploymentTransitions', 'List transitions of a Deployment', 'Its journal, ascending.'),
      },
    )
}
