/**
 * One reader of a run's stream. It tracks its position and reads the next frames when it has room: from the hub's
 * window or, while catching up, from the store. A reader that falls out of the window after catching up gets a
 * snapshot. Source: contract 5, "Stream".
 */
import type { RunHub } from './hub.ts'
import { bytesOf, join, type RenderedFrame, type StreamType } from './render.ts'

interface StreamFilter {
  /** undefined: all types. */
  types: ReadonlySet<StreamType> | undefined
  /** 1: root steps only. */
  depth: number
}

/** Provides frames outside the hub's window. */
export interface StreamSource {
  /** A bounded page of frames after a number; empty if they no longer exist. */
  replay(after: number): Promise<RenderedFrame[]>
  /** A snapshot that reports a gap, and its sequence number. */
  gap(): Promise<{ bytes: Uint8Array; lastSequence: number }>
}

/** The maximum of queued bytes in the stream before the reader counts as busy. */
const queueBytesMax = 64 * 1024

export class StreamReader {
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #position = 0
  /** Whether it has caught up with the run at least once. */
  #live = false
  #fetching = false
  #stopped = false
  /** The last bytes of a stream that was ended before it began. */
  #farewell: Uint8Array | undefined

  constructor(
    private readonly hub: RunHub,
    private readonly source: StreamSource,
    private readonly filter: StreamFilter,
    private readonly onStop: (reader: StreamReader) => void,
  ) {}

  /** Opens the stream: first `opening`, then everything after `position`. */
  open(opening: readonly Uint8Array[], position: number): ReadableStream<Uint8Array> {
    this.#position = position
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
          if (!this.#stopped) return controller.enqueue(join(opening))
          if (this.#farewell) controller.enqueue(this.#farewell)
          controller.close()
        },
        pull: () => this.pump(),
        cancel: () => this.#leave(),
      },
      { highWaterMark: queueBytesMax, size: (chunk) => chunk?.byteLength ?? 0 },
    )
  }

  /** Sends available frames while there is room. */
  pump() {
    while (!this.#stopped && !this.#fetching && this.#hasRoom) {
      if (this.#position >= this.hub.tail) {
        this.#live = true
        if (this.hub.ended) this.stop()
        return
      }
      const batch = this.hub.batchAfter(this.#position)
      if (!batch) {
        void this.#fetch()
        return
      }
      const from = this.#position
      // set first: the consumer may pull again during this call
      this.#position = batch.last
      if (batch.first === from + 1 && this.#takesAll) this.#enqueue(batch.bytes)
      else this.#send(batch.frames, from)
    }
  }

  /** Sends bytes to a reader that is not busy. */
  say(bytes: Uint8Array) {
    if (!this.#stopped && this.#hasRoom) this.#enqueue(bytes)
  }

  /** Ends the stream; the client may reconnect for the rest. */
  stop() {
    if (this.#stopped) return
    this.#leave()
    this.#controller?.close()
  }

  /** Ends the stream with these bytes, discarding pending frames. */
  end(farewell: Uint8Array) {
    if (this.#stopped) return
    this.#farewell = farewell
    this.#controller?.enqueue(farewell)
    this.stop()
  }

  get #hasRoom() {
    return (this.#controller?.desiredSize ?? 0) > 0
  }

  get #takesAll() {
    return this.filter.types === undefined && this.filter.depth !== 1
  }

  async #fetch() {
    this.#fetching = true
    try {
      const frames = this.#live ? [] : await this.source.replay(this.#position)
      const last = frames.at(-1)
      if (last) {
        const from = this.#position
        this.#position = last.sequence
        this.#send(frames, from)
      } else {
        const { bytes, lastSequence } = await this.source.gap()
        this.#position = lastSequence
        if (!this.#stopped) this.#enqueue(bytes)
      }
    } catch {
      // the store is unavailable: the client reconnects and resumes here
      this.stop()
    } finally {
      this.#fetching = false
    }
    this.pump()
  }

  /** Sends the frames after a position that pass the filter. */
  #send(frames: readonly RenderedFrame[], after: number) {
    const { types, depth } = this.filter
    const chosen = frames.filter(
      ({ sequence, type, root }) => sequence > after && (!types || types.has(type)) && (depth !== 1 || root),
    )
    if (chosen.length > 0 && !this.#stopped) this.#enqueue(bytesOf(chosen))
  }

  #enqueue(bytes: Uint8Array) {
    this.#controller?.enqueue(bytes)
  }

  #leave() {
    this.#stopped = true
    this.onStop(this)
  }
}
