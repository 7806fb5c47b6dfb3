/**
 * Operations that are tools of an MCP server behind a Connection. Each call has its own session and first checks that
 * the tool is still the pinned one. Source: contract 11, "MCP servers as tools".
 */
import type { Client } from '@modelcontextprotocol/client'
import type { Handler, Operation } from '../../authoring/definitions/source.ts'
import type { DeployedBundle } from '../../delivery/deployments/bundles.ts'
import type { OutboundClient } from '../../platform/outbound/client.ts'
import { type TraceContext, tracePairs } from '../../platform/tracing/trace-context.ts'
import {
  type BoundConnectionParts,
  BoundConnections,
  fromMessagesOf,
  fromResultsOf,
} from '../operations/bound-connections.ts'
import { isIdempotent, OperationFailure, toolError } from '../operations/failure.ts'
import { explained, timeoutMsDefault } from '../operations/http-calls.ts'
import { outputOf } from './result.ts'
import { inSession, McpFailure } from './session.ts'
import { digestOf, toolsOf } from './tools.ts'

type McpHandler = Extract<Handler, { type: 'mcp' }>

interface McpCallParts extends BoundConnectionParts {
  outbound: OutboundClient
}

interface McpCall {
  bundle: DeployedBundle
  agentId: string
  /** `<definition>.<operation>` */
  name: string
  operation: Operation
  handler: McpHandler
  input: unknown
  /** The span of the call; null without a trace. */
  trace: TraceContext | null
  signal: AbortSignal
  /** Called just before the call of a tool that writes and must not be called again; if it rejects, nothing is called. */
  onSending?: (() => Promise<void>) | undefined
}

export class McpCalls {
  readonly #connections: BoundConnections

  constructor(private readonly parts: McpCallParts) {
    this.#connections = new BoundConnections(parts)
  }

  /** The output of the tool. Throws `OperationFailure`, or the signal's reason. */
  async make({
    bundle,
    agentId,
    name,
    operation,
    handler,
    input,
    trace,
    signal,
    onSending,
  }: McpCall): Promise<unknown> {
    const connection = await this.#connections.usable(bundle, agentId, handler.connection)
    const { outbound } = this.parts
    const timeoutMs = operation.timeoutMs ?? timeoutMsDefault
    const fromMessages = fromMessagesOf(connection)
    // before that, nothing can have taken effect
    let isCalled = false
    /** Why the call may not be sent, which the session would reword. */
    let obstacle: unknown
    try {
      const result = await inSession({ outbound, connection, timeoutMs, trace, signal }, async (client, aborted) => {
        await assertUnchanged(client, name, operation, handler, aborted)
        if (!isIdempotent(operation) && onSending) {
          await onSending().catch((error) => {
            obstacle = error
            throw error
          })
        }
        aborted.throwIfAborted()
        isCalled = true
        return client.callTool(
          {
            name: handler.tool,
            arguments: input as Record<string, unknown>,
            // for servers that do not see the header
            ...(trace && { _meta: { ...tracePairs(trace) } }),
          },
          { signal: aborted, timeout: timeoutMs, onprogress: () => undefined },
        )
      })
      return outputOf(result, {
        operation: name,
        isStructured: operation.outputSchema !== undefined,
        fromResults: fromResultsOf(connection),
        fromMessages,
      })
    } catch (error) {
      if (obstacle !== undefined) throw obstacle
      const known = isCalled ? operation : { ...operation, effect: 'read' as const }
      if (!(error instanceof McpFailure)) throw explained(error, name, known)
      const isUncertain = !isIdempotent(known)
      const message = fromMessages.hide(error.message)
      throw toolError(`${name}: the MCP server failed: ${message}`, { isUncertain, cause: error })
    }
  }
}

/** Throws `OperationFailure` (`tool_changed`) unless the server's tool equals the pinned one. */
async function assertUnchanged(
  client: Client,
  name: string,
  operation: Operation,
  { tool, digest }: McpHandler,
  signal: AbortSignal,
): Promise<void> {
  const found = (await toolsOf(client, signal)).find((each) => each.name === tool)
  if (found && digestOf(found) === (digest ?? digestOf(operation))) return
  const what = found ? 'has other schemas than the revision pins' : 'is not there any more'
  throw new OperationFailure(
    'tool_changed',
    `${name}: the tool ${tool} of the MCP server ${what}. Nothing was called: look at it, and publish a new revision.`,
  )
}
