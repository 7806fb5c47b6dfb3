/** Streams the server-sent events of a generator, no faster than they are read. */
import { type StreamContext, streamed } from '../platform/http/answers/streamed.ts'

/** A comment, which clients ignore, as a keep-alive. */
export const keepAlive = ': keep-alive\n\n'

export const message = (data: unknown, event?: string): string =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`

/**
 * `make` gets a signal that fires when the connection closes, and must report its own errors; an exception breaks the
 * connection. `release` is called once, at the end.
 */
export function answerStream(
  context: StreamContext,
  make: (signal: AbortSignal) => AsyncGenerator<string>,
  release: () => void,
): Response {
  const leaving = new AbortController()
  const texts = make(AbortSignal.any([context.request.signal, leaving.signal]))
  const encoder = new TextEncoder()
  const end = () => {
    leaving.abort()
    release()
  }
  return streamed(
    context,
    new ReadableStream<Uint8Array>({
      async pull(controller) {
        try {
          const { done, value } = await texts.next()
          if (value !== undefined) controller.enqueue(encoder.encode(value as string))
          if (!done) return
          controller.close()
          end()
        } catch (error) {
          end()
          controller.error(error)
        }
      },
      cancel: end,
    }),
  )
}
