/** The tools of MCP servers. Source: contract 11, "MCP servers as tools". */
import { Elysia } from 'elysia'
import { ConnectionPath } from '../../delivery/connections/schema.ts'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { dataOf } from '../../platform/http/schema.ts'
import { McpToolList, presentTools } from './schema.ts'
import { McpTools, type McpToolsParts } from './service.ts'

export function mcpRoutes({ guarded, ...parts }: McpToolsParts & { guarded: Guarded }) {
  const tools = new McpTools(parts)
  const find = ({ caller, params }: Naming<typeof ConnectionPath>) => tools.assertThere(caller, params)
  return new Elysia({
    name: 'mcp',
    prefix: '/api/v1/projects/:projectId/environments/:environmentId/connections',
    tags: ['Connections'],
  })
    .use(guarded)
    .post(
      '/:connectionId/mcp-tools',
      async ({ caller, params, request }) => ({
        data: presentTools(await tools.list(caller, params, '/params/connectionId', request.signal)),
      }),
      {
        permission: 'connections:get',
        resource: null,
        params: ConnectionPath,
        find,
        response: { 200: dataOf(McpToolList) },
        errors: ['connection_unusable', 'mcp_server_failed'],
        detail: doc(
          'listMcpTools',
          'List the tools of an MCP server',
          'Asks the Streamable HTTP server at the base URL of the Connection, with its credential, for at most 15 seconds. ' +
            'The path of the base URL is that of the server, often `/mcp`.',
        ),
      },
    )
}
