/**
 * The latest frames of one run for all local readers, rendered once. A reader that falls behind this window reads from
 * the store, so that slow readers use no memory. Source: contract 5, "Stream".
 */
import type { Frame } from './frames.ts'
import { bytesOf, type RenderedFrame, renderFrame } from './render.ts'

/** The size of the window in frames. */
export const windowFramesMax = 1_000
export const windowBytesMax = 1024 * 1024

/** The frames of one commit. */
export interface Batch {
  first: number
  last: number
  frames: readonly RenderedFrame[]
  bytes: Uint8Array
}

/** A local reader of the stream. */
export interface HubReader {
  /** Reads as many frames as the reader has room for. */
  pump(): void
  /** Sends bytes other than frames. */
  say(bytes: Uint8Array): void
  stop(): void
}

export class RunHub {
  readonly readers = new Set<HubReader>()
  readonly #window: Batch[] = []
  #frames = 0
  #bytes = 0
  #tail = 0
  #ended = false

  /** The last known sequence number. */
  get tail(): number {
    return this.#tail
  }

  /** Whether the run has ended, until a continue. */
  get ended(): boolean {
    return this.#ended
  }

  /** Sets the initial position of a new hub, unless frames have already set it. */
  begin(tail: number, ended: boolean) {
    if (this.#tail === 0) this.#advance(tail, ended)
  }

  /** Publishes the frames of a commit, in order. */
  publish(frames: readonly Frame[]) {
    const last = frames.at(-1)
    if (!last) return
    const rendered = frames.map(renderFrame)
    const bytes = bytesOf(rendered)
    const batch: Batch = { first: last.sequence - frames.length + 1, last: last.sequence, frames: rendered, bytes }
    this.#window.push(batch)
    this.#frames += frames.length
    this.#bytes += batch.bytes.length
    this.#advance(last.sequence, last.type === 'end')
    // the newest batch always stays: no reader has had time to read it
    while (this.#window.length > 1 && (this.#frames > windowFramesMax || this.#bytes > windowBytesMax)) this.#drop()
    for (const reader of this.readers) reader.pump()
  }

  /** The batch with the frame after this one, if it is in the window. */
  batchAfter(sequence: number): Batch | undefined {
    for (let index = this.#window.length - 1; index >= 0; index -= 1) {
      const batch = this.#window[index] as Batch
      if (batch.first <= sequence + 1) return batch.last > sequence ? batch : undefined
    }
    return undefined
  }

  /** Drops the window: readers that are behind read from the store. */
  forget() {
    while (this.#window.length > 0) this.#drop()
    for (const reader of this.readers) reader.pump()
  }

  #advance(tail: number, ended: boolean) {
    if (tail < this.#tail) return
    this.#tail = tail
    this.#ended = ended
  }

  #drop() {
    const oldest = this.#window.shift() as Batch
    this.#frames -= oldest.frames.length
    this.#bytes -= oldest.bytes.length
  }
}
