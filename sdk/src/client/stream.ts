/** Streams that go on where they were after a lost connection. */
import { ApiError, ConnectionError, TroupeError } from './errors.ts'
import { backOffMs, pause } from './pause.ts'
import { chunksOf, type StreamEvent } from './stream-event.ts'
import type { ApiRequest, Transport } from './transport.ts'

/** The server gives a sign of life every five seconds. */
const silenceMsMax = 20_000
/** Attempts without a word of the server, one after the other, before the stream fails: about two minutes. */
const failuresMax = 10
/** The first new connection does not wait for long: most often the old one was cut by what is between. */
const firstMsMax = 500

/** Whether asking again may help. */
const isPassing = (error: unknown) =>
  error instanceof ConnectionError || (error instanceof ApiError && (error.status === 429 || error.status >= 500))

const brokenOff = ({ path }: ApiRequest, cause?: unknown) =>
  new ConnectionError('connection_failed', `The stream ${path} broke off.`, { cause })

const retryAfterMs = (error: unknown) => (error instanceof ApiError ? error.retryAfterMs : undefined)

/**
 * Every event of a stream, once, in order, until the server says that there are no more (204). A connection that breaks off
 * or falls silent is made anew, from the last event on. Throws what the server refuses, and a `ConnectionError` when it
 * stays away for about two minutes.
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
      const answer = await transport.open({ ...request, accept: 'text/event-stream', headers }, connection.signal)
      if (answer.status === 204 || !answer.body) return
      for await (const chunk of chunksOf(answer.body)) {
        clearTimeout(silence)
        // what every stream opens with is no sign that this one lasts
        if (chunk.retryMs === undefined || chunk.events.length > 0) failures = 0
        retryMs = chunk.retryMs ?? retryMs
        for (const event of chunk.events) {
          // the last word to a credential that was revoked: asked again, the server says why
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
    // the end of a stream looks like that of a connection: the next answer tells them apart
    if (problem === undefined && !isQuiet) continue
    problem ??= brokenOff(request)
    if (++failures > maxRetries) throw problem
    await pause(retryAfterMs(problem) ?? (failures > 1 ? backOffMs(failures) : Math.min(retryMs, firstMsMax)), signal)
  }
}
