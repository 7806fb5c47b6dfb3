/** Parses the server-sent events of an answer, strictly. */
interface SentEvent {
  id: string
  event: string
  data: Record<string, unknown>
}

export class EventReader {
  readonly comments: string[] = []
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #decoder = new TextDecoder()
  #text = ''

  constructor(stream: ReadableStream<Uint8Array> | null) {
    if (!stream) throw new Error('There is no stream.')
    this.#reader = stream.getReader() as ReadableStreamDefaultReader<Uint8Array>
  }

  /** The next event; undefined at the end of the stream. */
  async next(): Promise<SentEvent | undefined> {
    for (;;) {
      const block = await this.#block()
      if (block === undefined) return undefined
      if (block.startsWith(':')) this.comments.push(block)
      else if (!/^retry: \d+$/.test(block)) {
        const match = /^id: (\d+)\nevent: ([a-z.]+)\ndata: (.+)$/.exec(block)
        if (!match) throw new Error(`This is no event: ${block}`)
        const [, id = '', event = '', data = ''] = match
        return { id, event, data: JSON.parse(data) }
      }
    }
  }

  /** The next comment, which must come before any event. */
  async comment(): Promise<string> {
    const block = await this.#block()
    if (!block?.startsWith(':')) throw new Error(`This is no comment: ${block}`)
    return block
  }

  async take(count: number): Promise<SentEvent[]> {
    const events: SentEvent[] = []
    while (events.length < count) {
      const event = await this.next()
      if (!event) throw new Error(`The stream ended after ${events.length} of ${count} events.`)
      events.push(event)
    }
    return events
  }

  async rest(): Promise<SentEvent[]> {
    const events: SentEvent[] = []
    for (let event = await this.next(); event; event = await this.next()) events.push(event)
    return events
  }

  /** Closes the connection. */
  cancel() {
    return this.#reader.cancel()
  }

  async #block(): Promise<string | undefined> {
    for (;;) {
      const end = this.#text.indexOf('\n\n')
      if (end !== -1) {
        const block = this.#text.slice(0, end)
        this.#text = this.#text.slice(end + 2)
        return block
      }
      const { value, done } = await this.#reader.read()
      if (done) {
        if (this.#text !== '') throw new Error(`The stream ended within: ${this.#text}`)
        return undefined
      }
      this.#text += this.#decoder.decode(value, { stream: true })
    }
  }
}
