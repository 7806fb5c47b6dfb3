/** The routes of an Agent's tools. */
import { Elysia } from 'elysia'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { AgentInEnvironmentPath } from '../../platform/http/paths.ts'
import { dataOf } from '../../platform/http/schema.ts'
import { DeployedTools, ToolCall, ToolCallBody, ToolPath } from './schema.ts'
import { type ToolParts, Tools } from './service.ts'

const notDeployed = ['no_active_deployment', 'agent_not_deployed', 'project_paused'] as const

export function toolRoutes({ guarded, ...parts }: ToolParts & { guarded: Guarded }) {
  const tools = new Tools(parts)
  const find = ({ caller, params }: Naming<typeof ToolPath>) => tools.assertThere(caller, params)
  return new Elysia({
    name: 'agents/tools',
    prefix: '/api/v1/projects/:projectId/environments/:environmentId/agents/:agentId/tools',
    tags: ['Operations'],
  })
    .use(guarded)
    .get('', async ({ caller, params }) => ({ data: { items: await tools.list(caller, params) } }), {
      permission: 'agents:get',
      params: AgentInEnvironmentPath,
      response: { 200: dataOf(DeployedTools) },
      errors: [...notDeployed],
      detail: doc(
        'listDeployedTools',
        'List the tools of an Agent',
        'Those of the Agent in the active Deployment, each with the description and the schema that its model gets.',
      ),
    })
    .post(
      '/:tool/call',
      async ({ caller, params, body, request }) => ({
        data: await tools.call(caller, params, body.input, request.signal),
      }),
      {
        permission: 'agents:invoke-operation',
        resource: null,
        params: ToolPath,
        find,
        body: ToolCallBody,
        response: { 200: dataOf(ToolCall) },
        errors: ['schema_too_costly', 'schema_not_supported', ...notDeployed],
        detail: doc(
          'callTool',
          'Call a tool alone',
          'Calls a builtin tool of the Agent in the active Deployment as its model would, without a run. For an interactive ' +
            'tool it only checks the input, because the starter of a run answers its calls. A tool that calls an operation ' +
            'is refused: use `invokeOperation`.',
        ),
      },
    )
}
