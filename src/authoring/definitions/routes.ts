/** Definitions and their revisions over HTTP. Source: requirement 1, "Delivery path"; contract 3. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { creating, keyErrorsWithConflict } from '../../platform/http/changes/creations.ts'
import type { Idempotency } from '../../platform/http/changes/idempotency.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { pageQuery, pageQueryByName } from '../../platform/http/pagination.ts'
import { ProjectPath } from '../../platform/http/paths.ts'
import { dataOf, Id, IdempotencyHeader, pageOf } from '../../platform/http/schema.ts'
import { Machine } from '../../runtime/statecharts/schema.ts'
import { type DefinitionParts, Definitions } from './definitions.ts'
import { NewRevision } from './revision-request.ts'
import { DefinitionRevisions } from './revisions.ts'
import { Definition, DefinitionChanges, DefinitionRevision, NewDefinition } from './schema.ts'

const tags = ['Definitions']
const DefinitionPath = Type.Object({ ...ProjectPath.properties, definitionId: Id('def') })
const RevisionPath = Type.Object({
  ...DefinitionPath.properties,
  revisionId: { ...Id('dfr'), parameter: 'DefinitionRevisionId' },
})

export function definitionRoutes({
  guarded,
  idempotency,
  ...parts
}: DefinitionParts & { guarded: Guarded; idempotency: Idempotency }) {
  const create = creating(idempotency)
  const definitions = new Definitions(parts)
  const revisions = new DefinitionRevisions(parts)
  const find = ({ caller, params }: Naming<typeof DefinitionPath>) => definitions.get(caller, params)
  const findRevision = ({ caller, params }: Naming<typeof RevisionPath>) =>
    revisions.get(caller, params, params.revisionId)
  return new Elysia({ name: 'definitions', prefix: '/api/v1/projects/:projectId/definitions' })
    .use(guarded)
    .get('', ({ caller, params, query }) => definitions.list(caller, params.projectId, query), {
      permission: 'definitions:list',
      params: ProjectPath,
      query: pageQueryByName,
      response: { 200: pageOf(Definition) },
      detail: {
        operationId: 'listDefinitions',
        summary: 'List Definitions',
        description: 'The Definitions of the Project, newest first.',
        tags,
      },
    })
    .post(
      '',
      async ({ caller, params, body, keep }) => ({
        data: await definitions.create(caller, params.projectId, body, keep),
      }),
      {
        permission: 'definitions:create',
        resource: 'definition',
        params: ProjectPath,
        body: NewDefinition,
        response: { 201: dataOf(Definition) },
        errors: [['name_taken', 409], 'deletion_in_progress', 'limit_exceeded'],
        detail: {
          operationId: 'createDefinition',
          summary: 'Create a Definition',
          description: 'Its name and kind only; what it says is published as revisions.',
          tags,
        },
      },
    )
    .get('/:definitionId', async ({ caller, params }) => ({ data: await definitions.get(caller, params) }), {
      permission: 'definitions:get',
      params: DefinitionPath,
      find,
      response: { 200: dataOf(Definition) },
      detail: {
        operationId: 'getDefinition',
        summary: 'Get a Definition',
        description: 'Its name, its kind and which revision is the latest.',
        tags,
      },
    })
    .patch(
      '/:definitionId',
      async ({ caller, params, body, keep }) => ({ data: await definitions.update(caller, params, body, keep) }),
      {
        permission: 'definitions:update',
        resource: 'definition',
        params: DefinitionPath,
        find,
        body: DefinitionChanges,
        response: { 200: dataOf(Definition) },
        errors: [['name_taken', 409], 'definition_in_use', 'deletion_in_progress'],
        detail: {
          operationId: 'updateDefinition',
          summary: 'Change a Definition',
          description:
            'Name and description; no revision changes. Once a Release pins it, it keeps its name, which others refer to.',
          tags,
        },
      },
    )
    .delete('/:definitionId', ({ caller, params, keep }) => definitions.delete(caller, params, keep), {
      permission: 'definitions:delete',
      resource: 'definition',
      params: DefinitionPath,
      find,
      response: { 204: Type.Void() },
      errors: ['definition_in_use', 'deletion_in_progress'],
      detail: {
        operationId: 'deleteDefinition',
        summary: 'Delete a Definition',
        description:
          'With its revisions; the name is free again. Not while the Release of an active Deployment pins it; a ' +
          'Deployment that is ready has all that it needs and can still be activated.',
        tags,
      },
    })
    .get('/:definitionId/revisions', ({ caller, params, query }) => revisions.list(caller, params, query), {
      permission: 'definitions:get',
      params: DefinitionPath,
      find,
      query: pageQuery,
      response: { 200: pageOf(DefinitionRevision) },
      detail: {
        operationId: 'listDefinitionRevisions',
        summary: 'List revisions',
        description: 'The revisions of the Definition, newest first.',
        tags,
      },
    })
    .post(
      '/:definitionId/revisions',
      (context) =>
        create(context, {
          operation: 'POST /api/v1/projects/{projectId}/definitions/{definitionId}/revisions',
          status: 201,
          work: ({ caller, params, body }, keep) => revisions.publish(caller, params, body, keep),
          read: ({ caller, params }, id) => revisions.get(caller, params, id),
        }),
      {
        permission: 'definitions:update',
        resource: 'definitionRevision',
        params: DefinitionPath,
        find,
        body: NewRevision,
        headers: IdempotencyHeader,
        response: { 201: dataOf(DefinitionRevision) },
        errors: [...keyErrorsWithConflict, 'deletion_in_progress', 'limit_exceeded'],
        detail: {
          operationId: 'createDefinitionRevision',
          summary: 'Publish a revision',
          description:
            'The next number, never changed afterwards; its id is the pin that a Release takes. The source is checked by ' +
            "the Definition's kind, and what is not valid is listed completely, up to a hundred problems. A JSON Schema " +
            'may have 32,768 characters, all of a source together 131,072, and refers to its own parts only. Patterns ' +
            'are matched in linear time (RE2, without look-around and back references), and what would make the work of ' +
            'a check grow faster than the value is refused: `docs/schemas.md` lists it.',
          tags,
        },
      },
    )
    .get(
      '/:definitionId/revisions/:revisionId',
      async ({ caller, params }) => ({ data: await revisions.get(caller, params, params.revisionId) }),
      {
        permission: 'definitions:get',
        params: RevisionPath,
        find: findRevision,
        response: { 200: dataOf(DefinitionRevision) },
        detail: {
          operationId: 'getDefinitionRevision',
          summary: 'Get a revision',
          description: 'As it was published.',
          tags,
        },
      },
    )
    .get(
      '/:definitionId/revisions/:revisionId/machine',
      async ({ caller, params }) => ({ data: await revisions.machine(caller, params, params.revisionId) }),
      {
        permission: 'definitions:get',
        params: RevisionPath,
        find: findRevision,
        response: { 200: Machine },
        detail: {
          operationId: 'getDefinitionRevisionMachine',
          summary: 'The statechart of a revision',
          description: 'What entities of this revision are run by; 404 for a Definition of another kind.',
          tags,
        },
      },
    )
}
