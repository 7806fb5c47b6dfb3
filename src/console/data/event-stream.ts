/**
 * A server-sent event stream that reconnects after the last received event, with exponential back-off. It uses `fetch`, because
 * `EventSource` cannot send the organization header. Source: contract 5, "Stream"; contract 9.
 */
import { createParser } from 'eventsource-parser'
import { type ApiFailure, failureIn } from '../api/failure.ts'
import type { Fetch } from '../api/transport.ts'
import { backOffMs, pause } from './pause.ts'

export interface StreamEvent {
  id: string | undefined
  type: string
  /** Parsed JSON. */
  data: unknown
}

/** `resuming`: reconnecting. `ended`: complete. `failed`: see `failure`. */
export type StreamState = 'connecting' | 'open' | 'resuming' | 'ended' | 'failed'

interface StreamOptions {
  url: string
  fetch: Fetch
  /** Id of the event to resume after. */
  after?: string | undefined
  /** All events of one chunk, in order. */
  onEvents(events: StreamEvent[]): void
  onState(state: StreamState, failure?: ApiFailure): void
}

const silenceMsMax = 20_000
/** Statuses that a retry does not change; an ended session (401) can be renewed. */
const isFinal = (status: number) => status >= 400 && status < 500 && status !== 401 && status !== 429

/** Whether the server closed the stream because the reader lost access. */
const isRevocation = ({ type, data }: StreamEvent): boolean =>
  type === 'end' && (data as { reason?: unknown } | null)?.reason === 'revoked'

/** Follows the stream until it ends or the returned function is called. */
export function followStream({ url, fetch, after, onEvents, onState }: StreamOptions): () => void {
  const stopped = new AbortController()
  let lastId = after
  let retryMs = 2_000

  /** Reads one connection to its end; resolves to true if the stream is complete. */
  async function connect(): Promise<boolean> {
    const connection = new AbortController()
    const end = () => connection.abort()
    stopped.signal.addEventListener('abort', end, { once: true })
    // the server sends a heartbeat every five seconds
    let silence = setTimeout(end, silenceMsMax)
    try {
      const headers = { accept: 'text/event-stream', ...(lastId !== undefined && { 'last-event-id': lastId }) }
      const answer = await fetch(url, { headers, signal: connection.signal })
      if (answer.status === 204) return true
      if (!answer.ok) {
        const failure = failureIn(answer.status, await answer.json().catch(() => undefined))
        if (failure.code === 'validation_failed' && lastId !== undefined) {
          // the last event id belongs to another stream: start over
          lastId = undefined
          return false
        }
        if (!isFinal(answer.status)) return false
        onState('failed', failure)
        stopped.abort()
        return true
      }
      onState('open')
      for await (const chunk of parseEvents(answer.body!)) {
        clearTimeout(silence)
        silence = setTimeout(end, silenceMsMax)
        if (chunk.retryMs !== undefined) retryMs = chunk.retryMs
        lastId = chunk.events.findLast(({ id }) => id !== undefined)?.id ?? lastId
        const events = chunk.events.filter((event) => !isRevocation(event))
        if (events.length > 0 && !stopped.signal.aborted) onEvents(events)
        failures = 0
        // the next request gets the reason: 401 or 403
        if (events.length < chunk.events.length) return false
        if (events.some(({ type }) => type === 'end')) return true
      }
      return false
    } finally {
      clearTimeout(silence)
      stopped.signal.removeEventListener('abort', end)
      connection.abort()
    }
  }

  let failures = 0
  async function follow(): Promise<void> {
    onState('connecting')
    while (!stopped.signal.aborted) {
      const ended = await connect().catch(() => false)
      if (stopped.signal.aborted) return
      if (ended) return onState('ended')
      onState('resuming')
      await pause(backOffMs(retryMs, failures++), stopped.signal)
    }
  }
  void follow()
  return () => stopped.abort()
}

interface Chunk {
  events: StreamEvent[]
  /** Reconnection delay requested by the server. */
  retryMs?: number
}

/** Parses events chunk by chunk; a chunk without events is a heartbeat. */
async function* parseEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<Chunk> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let chunk: Chunk = { events: [] }
  const parser = createParser({
    onEvent: ({ id, event, data }) => chunk.events.push({ id, type: event ?? 'message', data: JSON.parse(data) }),
    onRetry: (retryMs) => {
      chunk.retryMs = retryMs
    },
  })
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      parser.feed(decoder.decode(value, { stream: true }))
      yield chunk
      chunk = { events: [] }
    }
  } finally {
    reader.releaseLock()
  }
}
