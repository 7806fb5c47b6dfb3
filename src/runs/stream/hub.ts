/**
 * The news of one run for all who read its stream here: the latest frames, rendered once. What a reader has not taken
 * when it leaves this window is not kept for it, so that slow readers cost nothing. Source: contract 5, "Stream".
 */
import type { Frame } from './frames.ts'
import { join, type RenderedFrame, renderFrame } from './render.ts'

/** How far behind a reader may be. */
export const windowFramesMax = 1_000
export const windowBytesMax = 1024 * 1024

/** The frames of one commit. */
export interface Batch {
  first: number
  last: number
  frames: readonly RenderedFrame[]
  bytes: Uint8Array
}

/** Who reads the stream here. */
export interface HubReader {
  /** Takes what there is room for. */
  pump(): void
  /** Adds bytes that are no frame. */
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

  /** The last number of the stream that is known of. */
  get tail(): number {
    return this.#tail
  }

  /** Whether the run's stream is at its end, as things stand. */
  get ended(): boolean {
    return this.#ended
  }

  /** Where the stream stands when the hub is new; later its news say so. */
  begin(tail: number, ended: boolean) {
    if (this.#tail === 0) this.#advance(tail, ended)
  }

  /** Takes the frames of a commit, in order. */
  publish(frames: readonly Frame[]) {
    const last = frames.at(-1)
    if (!last) return
    const rendered = frames.map(renderFrame)
    const bytes = join(rendered.map((frame) => frame.bytes))
    const batch: Batch = { first: last.sequence - frames.length + 1, last: last.sequence, frames: rendered, bytes }
    this.#window.push(batch)
    this.#frames += frames.length
    this.#bytes += batch.bytes.length
    this.#advance(last.sequence, last.type === 'end')
    // the newest batch stays, however large: nobody has had the time to take it
    while (this.#window.length > 1 && (this.#frames > windowFramesMax || this.#bytes > windowBytesMax)) this.#drop()
    for (const reader of this.readers) reader.pump()
  }

  /** The batch with the frame after this one, while it is in the window. */
  batchAfter(sequence: number): Batch | undefined {
    for (let index = this.#window.length - 1; index >= 0; index -= 1) {
      const batch = this.#window[index] as Batch
      if (batch.first <= sequence + 1) return batch.last > sequence ? batch : undefined
    }
    return undefined
  }

  /** Lets go of what it holds: whoever is behind gets what there is from the store. */
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
