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
import { searchIn } from '../../platform/http/searched-page.ts'
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
      query: Type.Object({ ...pageQueryByName.properties, search: searchIn('name or kind') }),
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
          'Creates its name and kind only; publish revisions for its source.',
        ),
      },
    )
    .get('/:definitionId', async ({ caller, params }) => ({ data: await definitions.get(caller, params) }), {
      permission: 'definitions:get',
      params: DefinitionPath,
      find,
      response: { 200: dataOf(Definition) },
      detail: doc('getDefinition', 'Get a Definition', 'With its name, its kind and its latest revision.'),
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
          'Changes its name or description, not its revisions. A Definition that a Release pins keeps its name.',
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
        'Deletes its revisions too; the name becomes available again. Refused while the Release of an active Deployment ' +
          'pins it. Other Deployments of Releases that pin it can no longer be activated (409 `deployment_not_ready`).',
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
          'Creates the next revision, which is immutable; Releases pin it by its id. The source is validated for the ' +
            "Definition's kind; all problems are listed, up to 100. A JSON Schema may have 32,768 characters, all schemas " +
            'of a source together 131,072, and may refer only to its own parts. Patterns are matched in linear time (RE2, ' +
            'without look-around and back references). Schemas whose check could grow faster than the value are rejected: ' +
            'see `docs/schemas.md`.',
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
          'Validates the source as publishing would, without writing anything. For an entity, the answer includes the ' +
            'statechart, and counts existing entities in states that the source no longer has.',
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
        detail: doc('getDefinitionRevision', 'Get a revision', 'The revision as it was published.'),
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
          'Get the statechart of a revision',
          'The statechart of entities of this revision; 404 for a Definition of another kind.',
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
          'Simulate a new entity',
          'Like `simulateMachine`, with the statechart of this revision; 404 for a Definition of another kind.',
        ),
      },
    )
}
