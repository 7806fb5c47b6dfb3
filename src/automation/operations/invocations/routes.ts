/** The routes of operation invocations. Source: requirement 5.8; contract 6. */
import { Elysia } from 'elysia'
import { doc } from '../../../platform/http/doc.ts'
import type { Naming } from '../../../platform/http/guard/find.ts'
import type { Guarded } from '../../../platform/http/guard/guarded.ts'
import { EnvironmentPath } from '../../../platform/http/paths.ts'
import { dataOf, pageOf } from '../../../platform/http/schema.ts'
import { Invocation, InvocationPath, InvocationQuery, InvokeBody, InvokePath, ResolutionBody } from './schema.ts'
import type { InvocationService } from './service.ts'

export function invocationRoutes({ guarded, service }: { guarded: Guarded; service: InvocationService }) {
  const find = ({ caller, params }: Naming<typeof InvocationPath>) => service.get(caller, params)
  const findOperation = ({ caller, params }: Naming<typeof InvokePath>) => service.assertGranted(caller, params)
  return new Elysia({ name: 'operations/invocations', tags: ['Operations'] })
    .use(guarded)
    .post(
      '/agents/:agentId/operations/:operation/invoke',
      async ({ caller, params, body, record, set }) => {
        const { status, data } = await service.invoke(caller, params, body, record)
        set.status = status
        return { data }
      },
      {
        permission: 'agents:invoke-operation',
        resource: 'operationInvocation',
        params: InvokePath,
        find: findOperation,
        body: InvokeBody,
        response: { 200: dataOf(Invocation), 202: dataOf(Invocation) },
        errors: [
          'limit_exceeded',
          'schema_too_costly',
          'schema_not_supported',
          'too_large',
          'no_active_deployment',
          'agent_not_deployed',
          'project_paused',
          'invalid_transition',
          'deletion_in_progress',
          'concurrent_change',
          ['idempotency_key_reused', 422],
        ],
        detail: doc(
          'invokeOperation',
          'Invoke an operation',
          'Acts on behalf of an Agent of the active Deployment, which must have the operation in its ' +
            '`grantedOperations`. 200 once it has ended: `succeeded`, `failed` or `unknown`; 202 if it ' +
            'awaits an approval or takes longer than about 25 seconds. 404 if its target does not exist, a conflict if ' +
            'the state of the target refuses it, `too_large` if the rendered request is larger than 1 MiB, or its URL longer ' +
            'than 2,048 characters.',
        ),
      },
    )
    .get('/operation-invocations', ({ caller, params, query }) => service.list(caller, params, query), {
      permission: 'operation-invocations:list',
      params: EnvironmentPath,
      query: InvocationQuery,
      response: { 200: pageOf(Invocation) },
      detail: doc(
        'listOperationInvocations',
        'List operation invocations',
        'Newest first; those of requests, runs and workflows.',
      ),
    })
    .get(
      '/operation-invocations/:invocationId',
      async ({ caller, params }) => ({ data: await service.get(caller, params) }),
      {
        permission: 'operation-invocations:list',
        params: InvocationPath,
        find,
        response: { 200: dataOf(Invocation) },
        detail: doc('getOperationInvocation', 'Get an operation invocation'),
      },
    )
    .post(
      '/operation-invocations/:invocationId/resolve',
      async ({ caller, params, body, record }) => ({ data: await service.resolve(caller, params, body, record) }),
      {
        permission: 'agents:invoke-operation',
        resource: 'operationInvocation',
        params: InvocationPath,
        find,
        body: ResolutionBody,
        response: { 200: dataOf(Invocation) },
        errors: ['invalid_transition', 'deletion_in_progress', 'concurrent_change'],
        detail: doc(
          'resolveOperationInvocation',
          'Resolve an unknown outcome',
          'Records the outcome of a call whose outcome is `unknown`. Nothing is called, and the run that made the call is not ' +
            'notified, because it has already continued. A step of a workflow run is resolved with the run (`resolve-unknown`), ' +
            'unless that was canceled.',
        ),
      },
    )
}
