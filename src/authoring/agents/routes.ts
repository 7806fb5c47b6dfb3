/** Agents and their revisions over HTTP. Source: requirement 4.9; contract 3. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { creating, keyErrorsWithConflict } from '../../platform/http/changes/creations.ts'
import type { Idempotency } from '../../platform/http/changes/idempotency.ts'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { pageQuery, pageQueryBySlug } from '../../platform/http/pagination.ts'
import { AgentPath, ProjectPath } from '../../platform/http/paths.ts'
import { dataOf, Id, IdempotencyHeader, pageOf } from '../../platform/http/schema.ts'
import { searchIn } from '../../platform/http/searched-page.ts'
import { type AgentParts, Agents } from './agents.ts'
import { NewRevision } from './revision-request.ts'
import { AgentRevisions } from './revisions.ts'
import { Agent, AgentChanges, AgentRevision, AgentRevisionPreview, NewAgent } from './schema.ts'

const RevisionPath = Type.Object({
  ...AgentPath.properties,
  revisionId: { ...Id('agr'), parameter: 'AgentRevisionId' },
})

export function agentRoutes({
  guarded,
  idempotency,
  ...parts
}: AgentParts & { guarded: Guarded; idempotency: Idempotency }) {
  const create = creating(idempotency)
  const agents = new Agents(parts)
  const revisions = new AgentRevisions(parts)
  const find = ({ caller, params }: Naming<typeof RevisionPath>) =>
    revisions.get(caller, params.agentId, params.revisionId)
  return new Elysia({ name: 'agents', prefix: '/api/v1/projects/:projectId/agents', tags: ['Agents'] })
    .use(guarded)
    .get('', ({ caller, params, query }) => agents.list(caller, params.projectId, query), {
      permission: 'agents:list',
      params: ProjectPath,
      query: Type.Object({ ...pageQueryBySlug.properties, search: searchIn('name or slug') }),
      response: { 200: pageOf(Agent) },
      detail: doc(
        'listAgents',
        'List Agents',
        'The Agents of the Project, newest first. A key that is bound to an Agent sees only that one.',
      ),
    })
    .post(
      '',
      async ({ caller, params, body, record }) => ({
        data: await agents.create(caller, params.projectId, body, record),
      }),
      {
        permission: 'agents:push',
        resource: 'agent',
        params: ProjectPath,
        body: NewAgent,
        response: { 201: dataOf(Agent) },
        errors: [['slug_taken', 409], 'deletion_in_progress', 'limit_exceeded'],
        detail: doc('createAgent', 'Create an Agent', 'Creates its identity only; publish revisions for its content.'),
      },
    )
    .get('/:agentId', async ({ caller, params }) => ({ data: await agents.get(caller, params) }), {
      permission: 'agents:get',
      params: AgentPath,
      response: { 200: dataOf(Agent) },
      errors: ['deletion_in_progress'],
      detail: doc('getAgent', 'Get an Agent', 'With its identity, its status and its latest revision.'),
    })
    .patch(
      '/:agentId',
      async ({ caller, params, body, record }) => ({ data: await agents.update(caller, params, body, record) }),
      {
        permission: 'agents:push',
        resource: 'agent',
        params: AgentPath,
        body: AgentChanges,
        response: { 200: dataOf(Agent) },
        detail: doc(
          'updateAgent',
          'Change an Agent',
          'Changes its name or description, not its revisions. An Agent that is being deleted is not found.',
        ),
      },
    )
    .get('/:agentId/revisions', ({ caller, params, query }) => revisions.list(caller, params, query), {
      permission: 'agents:revisions:list',
      params: AgentPath,
      query: pageQuery,
      response: { 200: pageOf(AgentRevision) },
      detail: doc(
        'listAgentRevisions',
        'List revisions',
        'The revisions of the Agent, newest first. A cursor is valid only for this Project and this Agent.',
      ),
    })
    .post(
      '/:agentId/revisions',
      (context) =>
        create(context, {
          status: 201,
          work: ({ caller, params, body }, record) => revisions.publish(caller, params, body, record),
          read: ({ caller, params }, id) => revisions.get(caller, params.agentId, id),
        }),
      {
        permission: 'agents:revisions:create',
        resource: 'agentRevision',
        params: AgentPath,
        body: NewRevision,
        headers: IdempotencyHeader,
        response: { 201: dataOf(AgentRevision) },
        errors: [...keyErrorsWithConflict, 'deletion_in_progress', 'limit_exceeded'],
        detail: doc(
          'createAgentRevision',
          'Publish a revision',
          'Creates the next revision, which is immutable; Releases pin it by its id. All problems of the content are listed, ' +
            'up to 100. A JSON Schema may have 32,768 characters, all schemas of a content together 131,072, and may refer ' +
            'only to its own parts. Patterns are matched in linear time (RE2, without look-around and back references). ' +
            'Schemas whose check could grow faster than the value are rejected: see `docs/schemas.md`.',
        ),
      },
    )
    .post(
      '/:agentId/revisions/preview',
      async ({ caller, params, body }) => ({ data: await revisions.preview(caller, params, body) }),
      {
        permission: 'agents:revisions:create',
        resource: null,
        params: AgentPath,
        body: NewRevision,
        response: { 200: dataOf(AgentRevisionPreview) },
        detail: doc(
          'previewAgentRevision',
          'Preview a revision',
          'Validates the revision as publishing would, without writing anything.',
        ),
      },
    )
    .get(
      '/:agentId/revisions/:revisionId',
      async ({ caller, params }) => ({ data: await revisions.get(caller, params.agentId, params.revisionId) }),
      {
        permission: 'agents:revisions:get',
        params: RevisionPath,
        find,
        response: { 200: dataOf(AgentRevision) },
        detail: doc('getAgentRevision', 'Get a revision', 'The revision as it was published.'),
      },
    )
}
