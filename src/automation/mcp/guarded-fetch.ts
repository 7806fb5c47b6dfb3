/**
 * The `fetch` of the MCP client: every request passes the outbound guard, goes only to the Connection's address, with
 * its credentials, and within bounds for the whole session. Source: contract 11, "MCP servers as tools"; trust 3.2.
 */
import type { FetchLike } from '@modelcontextprotocol/client'
import type { HttpSettings } from '../../delivery/connections/settings-schema.ts'
import type { OutboundClient } from '../../platform/outbound/client.ts'
import { OutboundError, UnsendableRequest } from '../../platform/outbound/error.ts'
import { nextTurn } from '../../platform/time/next-turn.ts'
import { type TraceContext, tracePairs } from '../../platform/tracing/trace-context.ts'
import { credentialHeader } from '../operations/http-request.ts'
import { LinePieces } from './line-pieces.ts'
import { MessageBounds, type MessageCount } from './message-bounds.ts'

interface SessionBounds {
  /** Aborted when the session times out, or its call is canceled. */
  signal: AbortSignal
  /** Aborted when the time to inform the server of that is over. */
  parting: AbortSignal
  timeoutMs: number
  /** The span of the requests; null without a trace. */
  trace: TraceContext | null
}

/** The most bytes of all answers of a session together. */
const sessionBytesMax = 8 * 1024 * 1024
/** The most requests of a session: a server may answer a call with requests of its own. */
const requestsMax = 100
const withoutBody = new Set([204, 205, 304])

/** Callbacks to the session, for errors that the client would reword or wait for. */
interface SessionFaults {
  /** A request has failed. */
  onFailure(error: unknown): void
  /** The session cannot continue. */
  giveUp(error: OutboundError): void
  /** The server was informed that a request is canceled, or could not be. */
  onToldOfCancel(): void
}

const cancelMethod = 'notifications/cancelled'

const tellsOfCancel = (body: unknown): boolean =>
  typeof body === 'string' &&
  body.includes(cancelMethod) &&
  (JSON.parse(body) as { method?: unknown }).method === cancelMethod

export function guardedFetch(
  outbound: OutboundClient,
  { settings, secret }: { settings: HttpSettings; secret: string | null },
  { signal, parting, timeoutMs, trace }: SessionBounds,
  { onFailure, giveUp, onToldOfCancel }: SessionFaults,
): FetchLike {
  const address = new URL(settings.baseUrl).href
  const credential = credentialHeader(settings, secret)
  let requests = 0
  let bytesLeft = sessionBytesMax
  const count: MessageCount = { messages: 0 }
  return async (url, init = {}) => {
    if (new URL(url).href !== address)
      throw new UnsendableRequest('An MCP session stays at the address of its Connection.')
    const method = init.method ?? 'GET'
    const headers = Object.fromEntries(new Headers(init.headers))
    // an unsolicited stream would stay open as long as the session; a stream that resumes is needed
    if (method === 'GET' && headers['last-event-id'] === undefined) return new Response(null, { status: 405 })
    if (++requests > requestsMax) throw new UnsendableRequest(`The session has more than ${requestsMax} requests.`)
    const isCancel = tellsOfCancel(init.body)
    const end = isCancel || method === 'DELETE' ? parting : signal
    try {
      const {
        status,
        headers: answered,
        body,
      } = await outbound.open({
        url: address,
        method,
        headers: {
          ...(trace && tracePairs(trace)),
          ...settings.headers,
          ...headers,
          ...(credential ? { [credential[0]]: credential[1] } : {}),
        },
        ...(typeof init.body === 'string' ? { body: init.body } : {}),
        timeoutMs,
        // the bound of the session comes first
        bodyBytesMax: 2 * sessionBytesMax,
        signal: init.signal ? AbortSignal.any([end, init.signal]) : end,
      })
      const isEventStream = answered['content-type']?.includes('event-stream') ?? false
      const bounds = new MessageBounds(isEventStream, count)
      const lines = new LinePieces()
      const counted = body.pipeThrough(
        new TransformStream<Uint8Array, Uint8Array>({
          async transform(chunk, controller) {
            bytesLeft -= chunk.length
            const fault = bytesLeft < 0 ? 'The answers are too long.' : bounds.read(chunk)
            if (fault !== undefined) return giveUp(new OutboundError('invalid_response', fault, status))
            if (!isEventStream) return controller.enqueue(chunk)
            for (const piece of lines.add(chunk)) {
              controller.enqueue(piece)
              await nextTurn()
            }
          },
          flush: (controller) => controller.enqueue(lines.rest()),
        }),
      )
      if (!withoutBody.has(status)) return new Response(counted, { status, headers: answered })
      await counted.cancel()
      return new Response(null, { status, headers: answered })
    } catch (error) {
      onFailure(error)
      throw error
    } finally {
      if (isCancel) onToldOfCancel()
    }
  }
}
