/** Deleting an Agent over HTTP. Source: requirement 4.9; contract 3. */
import { Elysia } from 'elysia'
import { doc } from '../../platform/http/doc.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { AgentPath } from '../../platform/http/paths.ts'
import { dataOf } from '../../platform/http/schema.ts'
import { thenGone } from '../../tenancy/deletions/progress.ts'
import { type AgentDeletionParts, deleteAgent } from './deletion.ts'
import { Agent } from './schema.ts'

export function agentDeletionRoutes({ guarded, ...parts }: AgentDeletionParts & { guarded: Guarded }) {
  return new Elysia({ name: 'agent-deletions', prefix: '/api/v1/projects/:projectId/agents', tags: ['Agents'] })
    .use(guarded)
    .delete('/:agentId', ({ caller, params, record }) => deleteAgent(parts, caller, params, record), {
      permission: 'agents:delete',
      resource: 'agent',
      params: AgentPath,
      response: { 202: dataOf(Agent) },
      errors: ['deletion_in_progress', 'agent_in_use'],
      detail: doc(
        'deleteAgent',
        'Delete an Agent',
        'Refused while something live depends on it; `details.dependents` names the first 20. Its revisions and its ' +
          `runs go with it. ${thenGone}`,
      ),
    })
}
