/** Reads an event stream like a browser. */
export interface StreamEvent {
  id: number
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: a test checks what it reads from JSON
  data: any
}

export class EventReader {
  readonly events: StreamEvent[] = []
  /** Comments and `retry` lines. */
  readonly other: string[] = []
  ended = false
  readonly #reader: { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>; cancel(): Promise<void> }
  readonly #decoder = new TextDecoder()
  #text = ''

  constructor(answer: Response) {
    this.#reader = (answer.body as ReadableStream<Uint8Array>).getReader()
  }

  /** Reads until there are this many events, or the stream ends. */
  async take(count: number): Promise<StreamEvent[]> {
    while (this.events.length < count && !this.ended) await this.#read()
    return this.events
  }

  /** Reads until an event matches. */
  async until(passes: (event: StreamEvent) => boolean): Promise<StreamEvent> {
    for (;;) {
      const found = this.events.find(passes)
      if (found) return found
      if (this.ended) throw new Error('The stream has ended.')
      await this.#read()
    }
  }

  /** Reads until a comment or `retry` line like this one has arrived. */
  async untilOther(line: string): Promise<void> {
    while (!this.other.includes(line) && !this.ended) await this.#read()
  }

  /** Reads to the end. */
  async all(): Promise<StreamEvent[]> {
    while (!this.ended) await this.#read()
    return this.events
  }

  cancel(): Promise<void> {
    return this.#reader.cancel()
  }

  async #read() {
    const { done, value } = await this.#reader.read()
    if (done) {
      this.ended = true
      return
    }
    this.#text += this.#decoder.decode(value, { stream: true })
    const blocks = this.#text.split('\n\n')
    this.#text = blocks.pop() as string
    for (const block of blocks) this.#parse(block)
  }

  #parse(block: string) {
    const fields = Object.fromEntries(
      block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
    )
    if (fields.event === undefined) this.other.push(block)
    else this.events.push({ id: Number(fields.id), event: fields.event, data: JSON.parse(fields.data as string) })
  }
}
