/** Sends one HTTP/1.1 request and returns the body of the answer as a stream. Source: design 6; trust 2.2. */
import type { Socket } from 'node:net'
import {
  classified,
  headersOf,
  invalid,
  type Message,
  onInterimFlood,
  redirected,
  redirects,
  send,
} from './exchange.ts'

export interface StreamedAnswer {
  status: number
  /** Lower-case names; repeated headers are joined with a comma. */
  headers: Record<string, string>
  /** Fails with OutboundError if the connection closes early or the body is too long, or with the signal's reason. */
  body: ReadableStream<Uint8Array>
}

interface StreamOptions {
  /** A longer body is an error. */
  bodyBytesMax: number
  /** Ends the exchange, even while the body is arriving. */
  signal: AbortSignal
  /** Called once, after the end of the body. */
  done(): void
}

/** Throws as `exchange` does; redirects are failures. */
export function exchangeStreamed(socket: Socket, message: Message, options: StreamOptions): Promise<StreamedAnswer> {
  const { signal, bodyBytesMax, done } = options
  return new Promise((resolve, reject) => {
    let body: ReadableStreamDefaultController<Uint8Array> | undefined
    let isOver = false
    const end = (finish: () => void) => {
      if (isOver) return
      isOver = true
      signal.removeEventListener('abort', stop)
      finish()
      done()
    }
    const fail = (error: unknown) => end(() => (body ? body.error(error) : reject(error)))
    const stop = () => fail(signal.reason)
    if (signal.aborted) return fail(signal.reason)
    signal.addEventListener('abort', stop, { once: true })

    const sent = send(socket, message)
    sent.on('error', (error) => fail(classified(error, null)))
    sent.on('close', () => body === undefined && fail(classified(undefined, null)))
    sent.on('upgrade', () => fail(invalid('The answer switches protocols.')))
    onInterimFlood(sent, fail)
    sent.on('response', (response) => {
      const status = response.statusCode ?? 0
      if (status < 200 || status > 599) return fail(invalid('The status of the answer is not valid.'))
      if (redirects.has(status)) return fail(redirected(status))
      let bytes = 0
      const stream = new ReadableStream<Uint8Array>({
        start: (controller) => {
          body = controller
        },
        cancel: () => end(() => undefined),
      })
      response.on('data', (chunk: Uint8Array) => {
        bytes += chunk.length
        if (bytes > bodyBytesMax) fail(invalid('The answer is too long.', undefined, status))
        else if (!isOver) body?.enqueue(new Uint8Array(chunk))
      })
      response.on('error', (error) => fail(classified(error, status)))
      response.on('end', () => (response.complete ? end(() => body?.close()) : fail(classified(undefined, status))))
      response.on('close', () => fail(classified(undefined, status)))
      resolve({ status, headers: headersOf(response), body: stream })
    })
    sent.end(message.body)
  })
}
