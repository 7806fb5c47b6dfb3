/** The MCP server at `/mcp`: Agents as tools. Source: contract 12; `docs/protocols.md`. */
import type { McpHttpHandler } from '@modelcontextprotocol/server'
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Hints } from '../../platform/bus/hints.ts'
import type { ErrorShape } from '../../platform/http/answers/answering.ts'
import type { KeyedContext } from '../../platform/http/changes/idempotency.ts'
import { doc } from '../../platform/http/doc.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import type { Runs } from '../../runs/service.ts'
import { ProtocolAgents, type ProtocolAgentsParts } from '../agents.ts'
import { Turns } from '../turns/turns.ts'
import { onceBegun } from './once-begun.ts'
import { OpenCalls } from './open-calls.ts'
import type { Asking } from './server.ts'

interface McpServerParts extends ProtocolAgentsParts {
  guarded: Guarded
  runs: Runs
  hints: Hints
}

const requestFailed = -32_600
const parseError = -32_700
const Message = Type.Object({ method: Type.Optional(Type.String()) }, { additionalProperties: true })

/** JSON-RPC, without the id of a request that was not read. */
export const mcpErrors: ErrorShape = {
  prefix: '/mcp',
  show: ({ status, code: name, message, details }, requestId) => {
    const code = name === 'malformed_request' ? parseError : requestFailed
    return {
      status,
      body: { jsonrpc: '2.0', id: null, error: { code, message, data: { code: name, requestId, ...details } } },
    }
  },
}

export function mcpServerRoutes({ guarded, runs, hints, ...parts }: McpServerParts) {
  const turns = new Turns(runs)
  const agents = new ProtocolAgents(parts)
  const calls = new OpenCalls(hints)

  // loaded with the first request: the library takes a while
  let loading: Promise<McpHttpHandler> | undefined
  const load = async () => (await import('./server.ts')).agentServer({ turns, agents, calls })

  return new Elysia({ name: 'mcp-server', prefix: '/mcp' }).use(guarded).post(
    '',
    async ({ caller, admission, body, request, server, set, requestId, record }) => {
      const { method, params } = body as { method?: string; params?: { requestId?: unknown } }
      // the audit line of a call is written with its run, and other requests change nothing, so no line is written with
      // the answer
      record({})
      server?.timeout(request, 0)
      const sessionId = request.headers.get('mcp-session-id')
      if (method === 'notifications/cancelled') calls.cancel(caller, sessionId, params?.requestId)
      // the session by which clients of older revisions name requests that they cancel
      if (method === 'initialize') set.headers['mcp-session-id'] = crypto.randomUUID()
      const context: KeyedContext = { request, set, requestId, record }
      const begun = Promise.withResolvers<void>()
      const asking: Asking = { caller, admission, context, sessionId, begun: begun.resolve }
      const authInfo = {
        token: '',
        clientId: caller.credentialId,
        scopes: [],
        extra: asking as unknown as Record<string, unknown>,
      }
      loading ??= load()
      const handler = await loading
      const answer = await handler.fetch(request, { authInfo, parsedBody: body })
      return method === 'tools/call' ? onceBegun(answer, begun.promise) : answer
    },
    {
      permission: 'agent-runs:create',
      streaming: true,
      resource: 'agentRun',
      body: Message,
      detail: doc('callMcp', 'Agents as tools of MCP', undefined, { hide: true }),
    },
  )
}
