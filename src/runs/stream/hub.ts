/**
 * The latest frames of one run for all local readers, rendered once. A reader that falls behind this window reads from
 * the store, so that slow readers use no memory. Frames of other servers may come late, twice or not at all: what is missing
 * in between is read from the store. Source: contract 5, "Stream".
 */
import type { Frame } from './frames.ts'
import { bytesOf, type RenderedFrame, renderFrame } from './render.ts'

/** The size of the window in frames. */
export const windowFramesMax = 1_000
export const windowBytesMax = 1024 * 1024
/** Commits that are kept until the hub has begun. */
const earlyMax = 1_000

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
  /** Frames that came before the hub knew where it begins. */
  #early: (readonly RenderedFrame[])[] | undefined = []
  #frames = 0
  #bytes = 0
  #tail = 0
  #ended = false
  /** The last frame that is known to be stored. */
  #stored = 0
  #reading = false

  /** `replay` reads a page of stored frames after a number; empty: they no longer exist. */
  constructor(private readonly replay: (after: number) => Promise<RenderedFrame[]>) {}

  /** The last known sequence number. */
  get tail(): number {
    return this.#tail
  }

  /** Whether the run has ended, until a continue. */
  get ended(): boolean {
    return this.#ended
  }

  /** Sets the initial position of a new hub. One that has begun hears how far the stream is stored. */
  begin(tail: number, ended: boolean) {
    const early = this.#early
    if (early) {
      this.#early = undefined
      this.#advance(tail, ended)
      for (const frames of early) this.take(frames)
    }
    this.expect(tail)
  }

  /** Publishes the frames of a commit of this server, in order. */
  publish(frames: readonly Frame[]) {
    if (frames.length > 0) this.take(frames.map(renderFrame))
  }

  /** Takes the frames of one commit, of whichever server. */
  take(frames: readonly RenderedFrame[]) {
    const last = frames.at(-1)
    if (!last) return
    if (this.#early) {
      // there is no reader yet: what does not fit is read from the store
      if (this.#early.length < earlyMax) this.#early.push(frames)
      else this.#stored = Math.max(this.#stored, last.sequence)
    } else if (last.sequence - frames.length > this.#tail) this.expect(last.sequence)
    else this.#append(frames)
  }

  /** The stream is stored up to this frame: what has not come yet is read. */
  expect(last: number) {
    this.#stored = Math.max(this.#stored, last)
    if (this.#stored > this.#tail && !this.#early && !this.#reading) void this.#catchUp()
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

  async #catchUp() {
    this.#reading = true
    try {
      while (this.#stored > this.#tail && this.readers.size > 0) {
        const frames = await this.replay(this.#tail)
        // content is removed of ended runs only
        if (frames.length === 0) this.#skip()
        else this.#append(frames)
      }
    } catch {
      // the store is away: the next news, or the next look, asks again
    } finally {
      this.#reading = false
    }
  }

  #skip() {
    this.#advance(this.#stored, true)
    this.forget()
  }

  /** Adds frames that follow the tail; those before it are known. */
  #append(given: readonly RenderedFrame[]) {
    const first = this.#tail + 1
    const frames =
      (given[0] as RenderedFrame).sequence >= first ? given : given.filter((each) => each.sequence >= first)
    const last = frames.at(-1)
    if (!last) return
    const batch: Batch = { first, last: last.sequence, frames, bytes: bytesOf(frames) }
    this.#window.push(batch)
    this.#frames += frames.length
    this.#bytes += batch.bytes.length
    this.#advance(last.sequence, last.type === 'end')
    // the newest batch always stays: no reader has had time to read it
    while (this.#window.length > 1 && (this.#frames > windowFramesMax || this.#bytes > windowBytesMax)) this.#drop()
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
