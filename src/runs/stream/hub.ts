/**
 * The latest frames of one run for all local readers, rendered once. A reader that falls behind this window reads from
 * the store, so that slow readers use no memory. Frames of other servers may come late, twice or not at all: what is missing
 * in between is read from the store. Source: contract 5, "Stream".
 */
import type { Frame } from './frames.ts'
import { bytesOf, type RenderedFrame, renderFrame } from './render.ts'

/** The size of the window in frames. */
const windowFramesMax = 1_000
const windowBytesMax = 1024 * 1024
/** The commits that are kept until the hub knows its initial position. */
const earlyMax = 1_000

/** The frames of one commit. */
interface Batch {
  first: number
  last: number
  frames: readonly RenderedFrame[]
  bytes: Uint8Array
}

/** A local reader of the stream. */
interface HubReader {
  /** Reads as many frames as the reader has room for. */
  pump(): void
  /** Sends bytes other than frames. */
  say(bytes: Uint8Array): void
  stop(): void
}

export class RunHub {
  readonly readers = new Set<HubReader>()
  readonly #window: Batch[] = []
  /** Frames that arrived before the hub knew its initial position. */
  #early: (readonly RenderedFrame[])[] | undefined = []
  #frames = 0
  #bytes = 0
  #tail = 0
  #ended = false
  /** The last frame that is known to be stored. */
  #stored = 0
  #reading = false

  /** `replay` reads a page of stored frames after a sequence number; empty if they no longer exist. */
  constructor(private readonly replay: (after: number) => Promise<RenderedFrame[]>) {}

  /** The last known sequence number. */
  get tail(): number {
    return this.#tail
  }

  /** Whether the run has ended, until a continue. */
  get ended(): boolean {
    return this.#ended
  }

  /** Sets the initial position of a new hub. A hub with a position learns how far the stream is stored. */
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

  /** Accepts the frames of one commit of any server. */
  take(frames: readonly RenderedFrame[]) {
    const last = frames.at(-1)
    if (!last) return
    if (this.#early) {
      // there are no readers yet: frames that do not fit are read from the store
      if (this.#early.length < earlyMax) this.#early.push(frames)
      else this.#stored = Math.max(this.#stored, last.sequence)
    } else if (last.sequence - frames.length > this.#tail) this.expect(last.sequence)
    else this.#append(frames)
  }

  /** The stream is stored up to this frame: missing frames are read. */
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
        // content is removed only of ended runs
        if (frames.length === 0) this.#skip()
        else this.#append(frames)
      }
    } catch {
      // the store is unavailable: the next notification or the next poll retries
    } finally {
      this.#reading = false
    }
  }

  #skip() {
    this.#advance(this.#stored, true)
    this.forget()
  }

  /** Adds frames that follow the tail; frames before it are already known. */
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
    // the newest batch always stays, because no reader has had time to read it
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
