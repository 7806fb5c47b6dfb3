/** Deleting organizations, Projects and Agents over HTTP. Source: requirement 4.5, 4.9; contract 2, 3. */
import { Elysia } from 'elysia'
import { Agent } from '../../authoring/agents/schema.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { AgentPath, OrganizationPath, ProjectPath } from '../../platform/http/paths.ts'
import { dataOf, IdempotencyHeader } from '../../platform/http/schema.ts'
import { Organization } from '../organizations/schema.ts'
import { Project } from '../projects/schema.ts'
import { type DeletionParts, Deletions } from './requests.ts'

const then =
  'What it holds can be read until it is gone, and not be changed; `deletion` says how far that is. Then its ids answer 404.'

export function deletionRoutes({ guarded, ...parts }: DeletionParts & { guarded: Guarded }) {
  const deletions = new Deletions(parts)
  return new Elysia({ name: 'deletions', prefix: '/api/v1' })
    .use(guarded)
    .delete(
      '/organizations/:organizationIdOrSlug',
      ({ caller, request, set, requestId, keep }) => deletions.organization({ request, set, requestId, keep }, caller),
      {
        permission: 'organizations:delete',
        resource: 'organization',
        whileDeleting: true,
        params: OrganizationPath,
        headers: IdempotencyHeader,
        response: { 202: dataOf(Organization) },
        errors: [
          'invalid_idempotency_key',
          ['idempotency_key_reused', 422],
          'idempotency_in_progress',
          'personal_organization',
          'billing_active',
          'deletion_in_progress',
        ],
        detail: {
          operationId: 'deleteOrganization',
          summary: 'Delete an organization',
          description:
            'Takes a team whose paid contract has ended. Its runs are told to end; when they have, everything that the ' +
            `organization owns is removed, its API keys and its audit log too. ${then}`,
          tags: ['Organizations'],
        },
      },
    )
    .delete('/projects/:projectId', ({ caller, params, keep }) => deletions.project(caller, params.projectId, keep), {
      permission: 'projects:delete',
      resource: 'project',
      params: ProjectPath,
      response: { 202: dataOf(Project) },
      errors: ['deletion_in_progress'],
      detail: {
        operationId: 'deleteProject',
        summary: 'Delete a Project',
        description: `Its runs are told to end; when they have, it is removed with everything in it. ${then}`,
        tags: ['Projects'],
      },
    })
    .delete(
      '/projects/:projectId/agents/:agentId',
      ({ caller, params, keep }) => deletions.agent(caller, params.projectId, params.agentId, keep),
      {
        permission: 'agents:delete',
        resource: 'agent',
        params: AgentPath,
        response: { 202: dataOf(Agent) },
        errors: ['deletion_in_progress', 'agent_in_use'],
        detail: {
          operationId: 'deleteAgent',
          summary: 'Delete an Agent',
          description:
            'Refused while something live depends on it; `details.dependents` names the first 20. Its revisions and its ' +
            `runs go with it. ${then}`,
          tags: ['Agents'],
        },
      },
    )
}
