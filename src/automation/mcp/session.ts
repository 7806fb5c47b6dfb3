/**
 * One session with an MCP server over Streamable HTTP, in older or newer revisions of the protocol. A session serves
 * one task: nothing is shared between calls, so that neither tenants nor credentials can be mixed up.
 */
import type { Client } from '@modelcontextprotocol/client'
import packageJson from '../../../package.json'
import type { OutboundClient } from '../../platform/outbound/client.ts'
import { OutboundError, UnsendableRequest } from '../../platform/outbound/error.ts'
import { expired, within } from '../../platform/outbound/wait.ts'
import type { TraceContext } from '../../platform/tracing/trace-context.ts'
import type { UsableConnection } from '../operations/bound-connections.ts'
import { guardedFetch } from './guarded-fetch.ts'

interface SessionOptions {
  outbound: OutboundClient
  connection: UsableConnection
  /** The timeout of the whole session. */
  timeoutMs: number
  /** The span of its requests; null or omitted: traces are disabled. */
  trace?: TraceContext | null
  signal: AbortSignal
}

/** The server violated the protocol. The message is for the caller and contains no secret. */
export class McpFailure extends Error {
  override readonly name = 'McpFailure'
}

/** The longest time for informing a server that a call is canceled and that the session is over. */
const partingMs = 2_000
const messageCharactersMax = 500
const sessionOver = new Error('The session is over.')
/** The most pages of a list. */
const listMaxPages = 20
/** Troupe validates outputs against their schemas itself, in a worker process. */
const noValidation = {
  getValidator: () => (value: unknown) => ({ valid: true as const, data: value as never, errorMessage: undefined }),
}

/** Throws `OutboundError`, `UnsendableRequest`, `McpFailure`, the errors of the function, or the signal's reason. */
export async function inSession<Result>(
  { outbound, connection, timeoutMs, trace = null, signal: outer }: SessionOptions,
  work: (client: Client, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  // loaded at its first use: it is a tenth of the program, and most servers never need it
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const broken = new AbortController()
  const parting = new AbortController()
  const toldOfCancel = Promise.withResolvers<void>()
  const { signal, stop } = within(timeoutMs, AbortSignal.any([outer, broken.signal]))
  let failure: unknown
  const fetch = guardedFetch(
    outbound,
    connection,
    { signal, parting: parting.signal, timeoutMs, trace },
    {
      onToldOfCancel: toldOfCancel.resolve,
      onFailure: (error) => {
        failure ??= error
      },
      giveUp: (error) => broken.abort(error),
    },
  )
  const transport = new StreamableHTTPClientTransport(new URL(connection.settings.baseUrl), {
    fetch,
    reconnectionOptions: {
      maxRetries: 2,
      initialReconnectionDelay: 200,
      maxReconnectionDelay: 2_000,
      reconnectionDelayGrowFactor: 2,
    },
  })
  const client = new Client(
    { name: 'troupe', version: packageJson.version },
    {
      capabilities: {},
      versionNegotiation: { mode: 'auto' },
      listMaxPages,
      jsonSchemaValidator: noValidation as never,
    },
  )
  try {
    return await unlessOver(signal, async () => {
      await client.connect(transport, { timeout: timeoutMs, signal })
      return await work(client, signal)
    })
  } catch (error) {
    if (outer.aborted) throw outer.reason
    throw broken.signal.aborted ? broken.signal.reason : explained(error, failure, signal)
  } finally {
    const end = async () => {
      // the client itself cancels open requests
      if (signal.aborted) await Promise.race([toldOfCancel.promise, Bun.sleep(partingMs)])
      if (transport.sessionId !== undefined) {
        await Promise.race([transport.terminateSession().catch(() => undefined), Bun.sleep(partingMs)])
      }
      await client.close().catch(() => undefined)
      parting.abort(sessionOver)
      // closes everything that the server has left open
      broken.abort(sessionOver)
      stop()
    }
    // a caller that has canceled does not wait for its server
    if (signal.aborted) void end()
    else await end()
  }
}

/** Does not wait for a client that ignores its timeout. */
async function unlessOver<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  const over = Promise.withResolvers<never>()
  const end = () => over.reject(signal.reason)
  signal.addEventListener('abort', end, { once: true })
  try {
    return await Promise.race([work(), over.promise])
  } finally {
    signal.removeEventListener('abort', end)
  }
}

/** Replaces the client's message about a refused request, which does not name the status. */
function refusalOf(error: unknown): string | undefined {
  const { status, text } = (error as { data?: { status?: unknown; text?: unknown } }).data ?? {}
  if (typeof status !== 'number') return undefined
  const advice = status === 401 || status === 403 ? ': look at the credential of its Connection' : ''
  return `It answered ${status}${advice}.${typeof text === 'string' ? ` ${text}` : ''}`
}

/** Replaces the client's message about an answer outside the protocol, which is the report of its validator. */
function misfitOf(error: unknown): string | undefined {
  const { name, code, cause, message } = error as Error & { code?: unknown }
  if (name === 'ZodError') return 'An answer is not a JSON-RPC message.'
  if (code === 'INVALID_RESULT') return shortened(message)
  if (code !== 'ERA_NEGOTIATION_FAILED' || !(cause instanceof Error)) return undefined
  const why = cause.name === 'ZodError' ? 'its answer is not a JSON-RPC message' : cause.message
  return `The address does not speak MCP over Streamable HTTP: ${why}. The base URL of the Connection must be the complete address of the server, such as https://mcp.example.com/mcp.`
}

/** `Invalid result for tools/list: […]` with the first fault alone. */
function shortened(message: string): string {
  const [, what, report] = /^(.*?): (\[.*\])$/s.exec(message) ?? []
  try {
    const [fault] = JSON.parse(report ?? '') as [{ path: unknown[]; message: string }]
    return `${what}: ${fault.path.join('.')}: ${fault.message}`
  } catch {
    return message
  }
}

/** The guard's error takes precedence over the client's. */
function explained(error: unknown, failure: unknown, signal: AbortSignal): unknown {
  if (error === expired || signal.reason === expired) {
    return new OutboundError('timeout', 'The answer did not arrive in time.')
  }
  if (failure instanceof OutboundError || failure instanceof UnsendableRequest) return failure
  const { name, message } = error instanceof Error ? error : { name: '', message: '' }
  // errors of this server, and bugs, are rethrown
  if (!/^(?:Mcp|Sdk|Protocol|Zod|Unauthorized|Insufficient|Unsupported|.*Error$)/.test(name)) return error
  return new McpFailure(
    (refusalOf(error) ?? misfitOf(error) ?? message)
      .replace(/[\p{Cc}\s]+/gu, ' ')
      .slice(0, messageCharactersMax)
      .toWellFormed(),
  )
}
