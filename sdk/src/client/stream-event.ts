/** Server-sent events, as the server writes them. */

/** An event of a stream. */
export interface StreamEvent {
  /** The event's name, such as `move`. */
  type: string
  /** Its sequence number; undefined for the final event after the credential was revoked. */
  id: string | undefined
  data: unknown
}

/** The events since the last read, or none for a keep-alive. */
interface Chunk {
  events: StreamEvent[]
  /** The delay before a reconnect, if the server sets it. */
  retryMs?: number
}

function read(block: string, chunk: Chunk): void {
  const fields = new Map<string, string>()
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':')
    if (colon === 0) continue
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    const before = name === 'data' ? fields.get('data') : undefined
    fields.set(name, before === undefined ? value : `${before}\n${value}`)
  }
  const retry = fields.get('retry')
  if (retry !== undefined && /^\d+$/.test(retry)) chunk.retryMs = Number(retry)
  const data = fields.get('data')
  if (data === undefined) return
  chunk.events.push({ type: fields.get('event') ?? 'message', id: fields.get('id'), data: JSON.parse(data) })
}

/** The events of a stream, as they arrive. Leaving the loop closes the stream. */
export async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Chunk, void, undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      rest += decoder.decode(value, { stream: true })
      const blocks = rest.replaceAll('\r\n', '\n').split('\n\n')
      rest = blocks.pop() as string
      const chunk: Chunk = { events: [] }
      for (const block of blocks) read(block, chunk)
      yield chunk
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
