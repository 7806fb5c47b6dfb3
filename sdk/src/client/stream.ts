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

const retryAfterMs = (error: unknown) => (error instanceof ApiError ? error.retryAfterMs : undefined)

/**
 * Every event of a stream, once, in order, until the server says that there are no more (204). Reconnects after the
 * last event when the connection breaks or falls silent. Throws the refusals of the server, also those with a longer
 * `Retry-After` than the client waits for, and a `ConnectionError` if it is unreachable for about two minutes.
 */
export async function* follow(transport: Transport, request: ApiRequest): AsyncGenerator<StreamEvent, void, undefined> {
  const { signal, maxRetries = failuresMax } = request.options
  let lastId: string | undefined
  let retryMs = 2_000
  for (let failures = 0; ; ) {
    let problem: unknown
    let isQuiet = true
    const connection = new AbortController()
    const abort = () => connection.abort(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    if (signal?.aborted) abort()
    let silence = setTimeout(abort, silenceMsMax)
    try {
      const headers = { ...request.headers, ...(lastId !== undefined && { 'last-event-id': lastId }) }
      const answer = await transport.open({ ...request, headers }, connection.signal)
      if (answer.status === 204 || !answer.body) return
      for await (const chunk of chunksOf(answer.body)) {
        clearTimeout(silence)
        // the opening bytes of a stream do not show that it lasts
        if (chunk.retryMs === undefined || chunk.events.length > 0) failures = 0
        retryMs = chunk.retryMs ?? retryMs
        for (const event of chunk.events) {
          // the final event after the credential was revoked: a retry gets the server's error
          if (event.id === undefined) continue
          lastId = event.id
          isQuiet = false
          yield event
        }
        silence = setTimeout(abort, silenceMsMax)
      }
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      if (error instanceof TroupeError && !isPassing(error)) throw error
      problem = error instanceof TroupeError ? error : brokenOff(request, error)
    } finally {
      clearTimeout(silence)
      signal?.removeEventListener('abort', abort)
      connection.abort()
    }
    // the end of a stream looks like a broken connection: the next answer distinguishes them
    if (problem === undefined && !isQuiet) continue
    problem ??= brokenOff(request)
    const askedMs = retryAfterMs(problem)
    if (++failures > maxRetries || (askedMs ?? 0) > transport.settings.maxRetryAfterMs) throw problem
    await pause(askedMs ?? (failures > 1 ? backOffMs(failures) : Math.min(retryMs, firstMsMax)), signal)
  }
}
