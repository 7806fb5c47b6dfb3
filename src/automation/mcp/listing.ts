/**
 * The tools of the server behind a Connection, and their conversion to operations. Source: contract 11, "MCP servers as
 * tools".
 */
import type { Implementation, Tool } from '@modelcontextprotocol/client'
import type { Operation, OperationsSource } from '../../authoring/definitions/source.ts'
import { ApiError } from '../../platform/http/answers/errors.ts'
import type { OutboundClient } from '../../platform/outbound/client.ts'
import { OutboundError, UnsendableRequest } from '../../platform/outbound/error.ts'
import { nextTurn } from '../../platform/time/next-turn.ts'
import { Names } from '../imports/names.ts'
import { assertPublishable, RoomOfDefinition } from '../imports/publishable.ts'
import { Left, Skip, type Skipped } from '../imports/skip.ts'
import { fromMessagesOf, fromResultsOf, type UsableConnection } from '../operations/bound-connections.ts'
import { OperationFailure } from '../operations/failure.ts'
import { inSession, McpFailure } from './session.ts'
import { digestOf, schemasOf, toolsOf } from './tools.ts'

export interface ListedTools {
  serverInfo: Pick<Implementation, 'name' | 'version'>
  items: Tool[]
}

const listingMs = 15_000
const descriptionCharactersMax = 2_000

/**
 * Without the secret of the Connection, wherever the server repeats it. Throws `mcp_server_failed` (422) with the error
 * and `at`, which names the Connection, or the signal's reason.
 */
export async function listTools(
  outbound: OutboundClient,
  connection: UsableConnection,
  at: string,
  signal: AbortSignal,
): Promise<ListedTools> {
  try {
    return await inSession({ outbound, connection, timeoutMs: listingMs, signal }, async (client, aborted) => {
      const items = await toolsOf(client, aborted)
      const { name = 'unnamed', version = '' } = client.getServerVersion() ?? {}
      const listed: ListedTools = { serverInfo: { name, version }, items }
      return fromResultsOf(connection).parse(JSON.stringify(listed)) as ListedTools
    })
  } catch (error) {
    const isTheirs = [McpFailure, OutboundError, UnsendableRequest, OperationFailure].some(
      (kind) => error instanceof kind,
    )
    if (!isTheirs) throw error
    const message = `The MCP server could not be asked: ${fromMessagesOf(connection).hide((error as Error).message)}`
    throw new ApiError(422, 'mcp_server_failed', message, { at })
  }
}

/** Operations of the requested tools, as the server lists them now. */
export async function operationsOf(
  { items }: ListedTools,
  {
    tools: wanted,
    connection,
    organizationId,
  }: { tools?: string[] | undefined; connection: string; organizationId: string },
): Promise<{ source: OperationsSource; skipped: Skipped[] }> {
  const missing = new Set(wanted)
  const names = new Names()
  const room = new RoomOfDefinition()
  const left = new Left()
  const operations: Operation[] = []
  for (const tool of items) {
    const name = names.of(tool.name)
    if (wanted && !missing.has(tool.name)) continue
    missing.delete(tool.name)
    await nextTurn()
    await left.unless(tool.name, async () => {
      const operation = operationOf(tool, name, connection)
      await assertPublishable(operation, organizationId)
      room.take(operation)
      operations.push(operation)
    })
  }
  for (const name of missing) left.add(name, 'The server has no such tool.')
  return { source: { operations }, skipped: left.list() }
}

/** Throws `Skip` for a tool whose every call would be refused. */
function operationOf(tool: Tool, name: string, connection: string): Operation {
  if (tool.execution?.taskSupport === 'required')
    throw new Skip('It must be called as a task of MCP; such calls are not made.')
  const { readOnlyHint = false, idempotentHint = false, title } = tool.annotations ?? {}
  const description = tool.description?.trim() || tool.title || title || tool.name
  return {
    name,
    description: description.slice(0, descriptionCharactersMax).toWellFormed(),
    ...schemasOf(tool),
    effect: readOnlyHint ? 'read' : 'write',
    idempotent: readOnlyHint || idempotentHint,
    approval: 'never',
    handler: { type: 'mcp', connection, tool: tool.name, digest: digestOf(tool) },
  }
}
