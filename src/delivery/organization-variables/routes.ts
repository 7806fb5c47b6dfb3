/** The routes of organization variables. Source: contract 4. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { creating, keyErrorsWithConflict } from '../../platform/http/changes/creations.ts'
import type { Idempotency } from '../../platform/http/changes/idempotency.ts'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { pageQueryByName } from '../../platform/http/pagination.ts'
import { OrganizationPath } from '../../platform/http/paths.ts'
import { dataOf, IdempotencyHeader, pageOf } from '../../platform/http/schema.ts'
import {
  NewOrganizationVariable,
  OrganizationVariable,
  OrganizationVariableChanges,
  OrganizationVariablePath,
} from './schema.ts'
import { OrganizationVariables, type OrganizationVariablesParts } from './service.ts'

const reads = 'organization-variables:list'
const writes = 'organization-variables:manage'
const resource = 'organizationVariable'

export function organizationVariableRoutes(
  parts: OrganizationVariablesParts & { guarded: Guarded; idempotency: Idempotency },
) {
  const variables = new OrganizationVariables(parts)
  const find = ({ caller, params }: Naming<typeof OrganizationVariablePath>) => variables.get(caller, params.variableId)
  const create = creating(parts.idempotency)
  return new Elysia({
    name: 'organization-variables',
    prefix: '/api/v1/organizations/:organizationIdOrSlug/variables',
    tags: ['Variables'],
  })
    .use(parts.guarded)
    .get('', ({ caller, query }) => variables.list(caller, query), {
      permission: reads,
      params: OrganizationPath,
      query: pageQueryByName,
      response: { 200: pageOf(OrganizationVariable) },
      detail: doc(
        'listOrganizationVariables',
        "List an organization's variables",
        'Newest first, without their values.',
      ),
    })
    .post(
      '',
      (context) =>
        create(context, {
          status: 201,
          work: ({ caller, body }, record) => variables.create(caller, body, record),
          fingerprint: async ({ caller, body: { value, ...rest } }) => [
            rest,
            await parts.vault.digest(caller.organizationId, value),
          ],
        }),
      {
        permission: writes,
        resource,
        params: OrganizationPath,
        body: NewOrganizationVariable,
        headers: IdempotencyHeader,
        response: { 201: dataOf(OrganizationVariable) },
        errors: [...keyErrorsWithConflict, ['name_taken', 409], 'limit_exceeded', 'deletion_in_progress'],
        detail: doc(
          'createOrganizationVariable',
          'Create a variable of the organization',
          'The value becomes version 1. It is stored encrypted and appears in no answer. An organization has at most ' +
            '1,000 variables.',
        ),
      },
    )
    .get('/:variableId', async ({ caller, params }) => ({ data: await variables.get(caller, params.variableId) }), {
      permission: reads,
      params: OrganizationVariablePath,
      find,
      response: { 200: dataOf(OrganizationVariable) },
      detail: doc('getOrganizationVariable', 'Get a variable of the organization', 'Without its value.'),
    })
    .patch(
      '/:variableId',
      async ({ caller, params, body, record }) => ({
        data: await variables.change(caller, params.variableId, body, record),
      }),
      {
        permission: writes,
        resource,
        params: OrganizationVariablePath,
        find,
        body: OrganizationVariableChanges,
        response: { 200: dataOf(OrganizationVariable) },
        errors: ['limit_exceeded', 'deletion_in_progress'],
        detail: doc(
          'updateOrganizationVariable',
          'Change a variable of the organization',
          'A value becomes the next version; variables that take an earlier one keep it. While it is disabled, nothing ' +
            'can use its values. A variable has at most 10,000 versions.',
        ),
      },
    )
    .delete('/:variableId', ({ caller, params, record }) => variables.remove(caller, params.variableId, record), {
      permission: writes,
      resource,
      params: OrganizationVariablePath,
      find,
      response: { 204: Type.Void() },
      errors: ['variable_in_use', 'deletion_in_progress'],
      detail: doc(
        'deleteOrganizationVariable',
        'Delete a variable of the organization',
        "Deletes all of its versions. Refused while a version of an Environment's variable, also an earlier one, takes its " +
          'value: `details.dependents` has the first 20 of these variables.',
      ),
    })
}
