/** The routes of variables. Source: requirement 4.11; contract 4. */
import { Elysia } from 'elysia'
import { creating, keyErrorsWithConflict } from '../../platform/http/changes/creations.ts'
import type { Idempotency } from '../../platform/http/changes/idempotency.ts'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { pageQueryByName } from '../../platform/http/pagination.ts'
import { EnvironmentPath } from '../../platform/http/paths.ts'
import { dataOf, IdempotencyHeader, pageOf } from '../../platform/http/schema.ts'
import { treeIn } from '../../tenancy/projects/tree.ts'
import { NewVariable, Variable, VariableChanges, VariablePath } from './schema.ts'
import { Variables, type VariablesParts } from './service.ts'

const resource = 'variable'

export function variableRoutes(parts: Omit<VariablesParts, 'tree'> & { guarded: Guarded; idempotency: Idempotency }) {
  const create = creating(parts.idempotency)
  const variables = new Variables({ ...parts, tree: treeIn(parts.store) })
  const find = ({ caller, params }: Naming<typeof VariablePath>) => variables.get(caller, params)
  return new Elysia({
    name: 'variables',
    prefix: '/api/v1/projects/:projectId/environments/:environmentId/variables',
    tags: ['Variables'],
  })
    .use(parts.guarded)
    .get('', ({ caller, params, query }) => variables.list(caller, params, query), {
      permission: 'env:variables:list',
      params: EnvironmentPath,
      query: pageQueryByName,
      response: { 200: pageOf(Variable) },
      detail: doc(
        'listVariables',
        "List an Environment's variables",
        'Newest first, without their values. A key that is bound to an Agent gets the variables that the Agent may use.',
      ),
    })
    .post(
      '',
      (context) =>
        create(context, {
          status: 200,
          work: ({ caller, params, body }, record) => variables.create(caller, params, body, record),
          fingerprint: async ({ caller, body: { value, ...rest } }) => [
            rest,
            value === undefined ? null : await parts.vault.digest(caller.organizationId, value),
          ],
        }),
      {
        permission: 'env:variables:create',
        resource,
        params: EnvironmentPath,
        body: NewVariable,
        headers: IdempotencyHeader,
        response: { 200: dataOf(Variable) },
        errors: [...keyErrorsWithConflict, ['name_taken', 409], 'limit_exceeded', 'deletion_in_progress'],
        detail: doc(
          'createVariable',
          'Create a variable',
          'With a value of its own, stored encrypted, or with a version of an organization variable. The name is unique ' +
            'among variables for all Agents, and among those of one Agent. An Environment has at most 1,000 variables. ' +
            'Deployments use the values at the time of their Configuration Revision.',
        ),
      },
    )
    .get('/:variableId', async ({ caller, params }) => ({ data: await variables.get(caller, params) }), {
      permission: 'env:variables:get',
      params: VariablePath,
      find,
      response: { 200: dataOf(Variable) },
      detail: doc('getVariable', 'Get a variable', 'Without its value.'),
    })
    .patch(
      '/:variableId',
      async ({ caller, params, body, record }) => ({ data: await variables.change(caller, params, body, record) }),
      {
        permission: 'env:variables:update',
        resource,
        params: VariablePath,
        find,
        body: VariableChanges,
        response: { 200: dataOf(Variable) },
        errors: [['name_taken', 409], 'limit_exceeded', 'deletion_in_progress'],
        detail: doc(
          'updateVariable',
          'Change a variable',
          'A value or a source becomes the next version, for future Configuration Revisions; pins of earlier ' +
            'versions do not change. While it is disabled, no version can be used. A variable has at most 10,000 versions.',
        ),
      },
    )
    .delete(
      '/:variableId',
      async ({ caller, params, record }) => ({ data: await variables.remove(caller, params, record) }),
      {
        permission: 'env:variables:delete',
        resource,
        params: VariablePath,
        find,
        response: { 200: dataOf(Variable) },
        errors: ['variable_in_use', 'deletion_in_progress'],
        detail: doc(
          'deleteVariable',
          'Delete a variable',
          'Deletes all of its versions and returns it. Refused while the active Deployment pins one of them.',
        ),
      },
    )
}
