/** Streams that resume after a lost connection. */
import { ApiError, ConnectionError, TroupeError } from './errors.ts'
import { backOffMs, pause } from './pause.ts'
import { chunksOf, type StreamEvent } from './stream-event.ts'
import type { ApiRequest, Transport } from './transport.ts'

/** The server sends a keep-alive every five seconds. */
const silenceMsMax = 20_000
/** The failed attempts in a row before a stream, or the wait for a run, fails: about two minutes. */
export const failuresMax = 10
/** The first reconnect waits only briefly: usually a proxy has closed the old connection. */
const firstMsMax = 500

/** Whether a retry may help. */
const isPassing = (error: unknown) =>
  error instanceof ConnectionError || (error instanceof ApiError && (error.status === 429 || error.status >= 500))

const brokenOff = ({ path }: ApiRequest, cause?: unknown) =>
  new ConnectionError('connection_failed', `The stream ${path} broke off.`, { cause })

/** What the next connection of a stream continues from. */
interface Position {
  lastId: string | undefined
  /** The pause before it, as the server has asked. */
  retryMs: number
  /** The failed attempts in a row. */
  failures: number
}

/**
 * Every event of a stream, once, in order, until the server says that there are no more (204). Reconnects after the
 * last event when the connection breaks or falls silent. Throws the refusals of the server, also those with a longer
 * `Retry-After` than the client waits for, and a `ConnectionError` if it is unreachable for about two minutes.
 */
export async function* follow(transport: Transport, request: ApiRequest): AsyncGenerator<StreamEvent, void, undefined> {
  const { signal, maxRetries = failuresMax } = request.options
  const position: Position = { lastId: undefined, retryMs: 2_000, failures: 0 }
  for (;;) {
    let problem: TroupeError
    try {
      const end = yield* connect(transport, request, position)
      if (end === 'complete') return
      // the end of a stream looks like a broken connection: the next answer distinguishes them
      if (end === 'after events') continue
      problem = brokenOff(request)
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      if (error instanceof TroupeError && !isPassing(error)) throw error
      problem = error instanceof TroupeError ? error : brokenOff(request, error)
    }
    const askedMs = problem instanceof ApiError ? problem.retryAfterMs : undefined
    position.failures += 1
    if (position.failures > maxRetries || (askedMs ?? 0) > transport.settings.maxRetryAfterMs) throw problem
    const { failures, retryMs } = position
    await pause(askedMs ?? (failures > 1 ? backOffMs(failures) : Math.min(retryMs, firstMsMax)), signal)
  }
}

/** The events of one connection, which advance the position. Throws when it breaks, or falls silent. */
async function* connect(
  transport: Transport,
  request: ApiRequest,
  position: Position,
): AsyncGenerator<StreamEvent, 'complete' | 'after events' | 'quiet', undefined> {
  const { signal } = request.options
  const { lastId } = position
  let end: 'after events' | 'quiet' = 'quiet'
  const connection = new AbortController()
  const abort = () => connection.abort(signal?.reason)
  signal?.addEventListener('abort', abort, { once: true })
  if (signal?.aborted) abort()
  let silence = setTimeout(abort, silenceMsMax)
  try {
    const headers = { ...request.headers, ...(lastId !== undefined && { 'last-event-id': lastId }) }
    const answer = await transport.open({ ...request, headers }, connection.signal)
    if (answer.status === 204 || !answer.body) return 'complete'
    for await (const chunk of chunksOf(answer.body)) {
      clearTimeout(silence)
      // the opening bytes of a stream do not show that it lasts
      if (chunk.retryMs === undefined || chunk.events.length > 0) position.failures = 0
      position.retryMs = chunk.retryMs ?? position.retryMs
      for (const event of chunk.events) {
        // the final event after the credential was revoked: a retry gets the server's error
        if (event.id === undefined) continue
        position.lastId = event.id
        end = 'after events'
        yield event
      }
      silence = setTimeout(abort, silenceMsMax)
    }
    return end
  } finally {
    clearTimeout(silence)
    signal?.removeEventListener('abort', abort)
    connection.abort()
  }
}
