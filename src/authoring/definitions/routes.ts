/** Definitions and their revisions over HTTP. Source: requirement 1, "Delivery path"; contract 3. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { creating, keyErrorsWithConflict } from '../../platform/http/changes/creations.ts'
import type { Idempotency } from '../../platform/http/changes/idempotency.ts'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { pageQuery, pageQueryByName } from '../../platform/http/pagination.ts'
import { ProjectPath } from '../../platform/http/paths.ts'
import { dataOf, Id, IdempotencyHeader, pageOf } from '../../platform/http/schema.ts'
import { Machine } from '../../runtime/statecharts/schema.ts'
import {
  SimulationAnswer,
  SimulationOfMachine,
  simulationBytesMax,
} from '../../runtime/statecharts/simulation/schema.ts'
import { type DefinitionParts, Definitions } from './definitions.ts'
import { NewRevision } from './revision-request.ts'
import { DefinitionRevisions } from './revisions.ts'
import { Definition, DefinitionChanges, DefinitionRevision, NewDefinition, RevisionPreview } from './schema.ts'

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
  return new Elysia({ name: 'definitions', prefix: '/api/v1/projects/:projectId/definitions', tags: ['Definitions'] })
    .use(guarded)
    .get('', ({ caller, params, query }) => definitions.list(caller, params.projectId, query), {
      permission: 'definitions:list',
      params: ProjectPath,
      query: pageQueryByName,
      response: { 200: pageOf(Definition) },
      detail: doc('listDefinitions', 'List Definitions', 'The Definitions of the Project, newest first.'),
    })
    .post(
      '',
      async ({ caller, params, body, record }) => ({
        data: await definitions.create(caller, params.projectId, body, record),
      }),
      {
        permission: 'definitions:create',
        resource: 'definition',
        params: ProjectPath,
        body: NewDefinition,
        response: { 201: dataOf(Definition) },
        errors: [['name_taken', 409], 'deletion_in_progress', 'limit_exceeded'],
        detail: doc(
          'createDefinition',
          'Create a Definition',
          'Its name and kind only; what it says is published as revisions.',
        ),
      },
    )
    .get('/:definitionId', async ({ caller, params }) => ({ data: await definitions.get(caller, params) }), {
      permission: 'definitions:get',
      params: DefinitionPath,
      find,
      response: { 200: dataOf(Definition) },
      detail: doc('getDefinition', 'Get a Definition', 'Its name, its kind and which revision is the latest.'),
    })
    .patch(
      '/:definitionId',
      async ({ caller, params, body, record }) => ({ data: await definitions.update(caller, params, body, record) }),
      {
        permission: 'definitions:update',
        resource: 'definition',
        params: DefinitionPath,
        find,
        body: DefinitionChanges,
        response: { 200: dataOf(Definition) },
        errors: [['name_taken', 409], 'definition_in_use', 'deletion_in_progress'],
        detail: doc(
          'updateDefinition',
          'Change a Definition',
          'Name and description; no revision changes. Once a Release pins it, it keeps its name, which others refer to.',
        ),
      },
    )
    .delete('/:definitionId', ({ caller, params, record }) => definitions.delete(caller, params, record), {
      permission: 'definitions:delete',
      resource: 'definition',
      params: DefinitionPath,
      find,
      response: { 204: Type.Void() },
      errors: ['definition_in_use', 'deletion_in_progress'],
      detail: doc(
        'deleteDefinition',
        'Delete a Definition',
        'With its revisions; the name is free again. Not while the Release of an active Deployment pins it; a ' +
          'Deployment that is ready has all that it needs and can still be activated.',
      ),
    })
    .get('/:definitionId/revisions', ({ caller, params, query }) => revisions.list(caller, params, query), {
      permission: 'definitions:get',
      params: DefinitionPath,
      find,
      query: pageQuery,
      response: { 200: pageOf(DefinitionRevision) },
      detail: doc('listDefinitionRevisions', 'List revisions', 'The revisions of the Definition, newest first.'),
    })
    .post(
      '/:definitionId/revisions',
      (context) =>
        create(context, {
          status: 201,
          work: ({ caller, params, body }, record) => revisions.publish(caller, params, body, record),
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
        detail: doc(
          'createDefinitionRevision',
          'Publish a revision',
          'The next number, never changed afterwards; its id is the pin that a Release takes. The source is checked by ' +
            "the Definition's kind, and what is not valid is listed completely, up to a hundred problems. A JSON Schema " +
            'may have 32,768 characters, all of a source together 131,072, and refers to its own parts only. Patterns ' +
            'are matched in linear time (RE2, without look-around and back references), and what would make the work of ' +
            'a check grow faster than the value is refused: `docs/schemas.md` lists it.',
        ),
      },
    )
    .post(
      '/:definitionId/revisions/preview',
      async ({ caller, params, body }) => ({ data: await revisions.preview(caller, params, body) }),
      {
        permission: 'definitions:update',
        resource: null,
        params: DefinitionPath,
        find,
        body: NewRevision,
        response: { 200: dataOf(RevisionPreview) },
        detail: doc(
          'previewDefinitionRevision',
          'Preview a revision',
          'Checks the source as publishing it would, and writes nothing. Of an entity the answer has the statechart, and ' +
            'the entities in states that the source does not have.',
        ),
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
        detail: doc('getDefinitionRevision', 'Get a revision', 'As it was published.'),
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
        detail: doc(
          'getDefinitionRevisionMachine',
          'The statechart of a revision',
          'What entities of this revision are run by; 404 for a Definition of another kind.',
        ),
      },
    )
    .post(
      '/:definitionId/revisions/:revisionId/simulate',
      async ({ caller, params, body }) => ({ data: await revisions.simulate(caller, params, params.revisionId, body) }),
      {
        permission: 'definitions:get',
        resource: null,
        params: RevisionPath,
        find: findRevision,
        body: SimulationOfMachine,
        bodyLimit: simulationBytesMax,
        response: { 200: SimulationAnswer },
        detail: doc(
          'simulateDefinitionRevision',
          'What a new entity would do',
          'As `simulateMachine`, by the statechart of this revision; 404 for a Definition of another kind.',
        ),
      },
    )
}
