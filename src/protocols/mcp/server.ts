/** The MCP server, by the official library: a new instance for each request, in the revision of the client. */
import { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import packageJson from '../../../package.json'
import type { KeyedContext } from '../../platform/http/changes/idempotency.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Admission } from '../../platform/http/guard/open-stream.ts'
import type { ProtocolAgents } from '../agents.ts'
import type { Turns } from '../turns/turns.ts'
import { callAgent } from './call.ts'
import type { OpenCalls } from './open-calls.ts'
import { agentOfTool, toolOf } from './tools.ts'

/** The caller of one request. */
export interface Asking {
  caller: Caller
  admission: Admission
  context: KeyedContext
  sessionId: string | null
  /** The run of a call has begun, or there is none. */
  begun(): void
}

interface AgentServerParts {
  turns: Turns
  agents: ProtocolAgents
  calls: OpenCalls
}

export function agentServer({ turns, agents, calls }: AgentServerParts) {
  const serverFor = ({ caller, admission, context, sessionId, begun }: Asking) => {
    const server = new Server(
      { name: 'troupe', title: 'Troupe', version: packageJson.version },
      { capabilities: { tools: {} } },
    )
    server.setRequestHandler('tools/list', async () => ({ tools: (await agents.list(caller)).map(toolOf) }))
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
      const agent = await agentOfTool(agents, caller, params.name)
      if (!agent) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`)
      const open = calls.open(caller, sessionId, mcpReq.id)
      try {
        const signal = AbortSignal.any([mcpReq.signal, context.request.signal, open.signal])
        const call = { turns, context, caller, admission, agent, signal, begun }
        return await callAgent(call, params.arguments ?? {}, mcpReq)
      } finally {
        open.close()
        begun()
      }
    })
    return server
  }
  return createMcpHandler(({ authInfo }) => serverFor(authInfo?.extra as unknown as Asking), {
    keepAliveMs: 5_000,
  })
}
