/**
 * One reader of the changes of runs. Changes within a short time are sent together, each run once; a reader that does
 * not keep up is told that it has missed some, so that it costs no memory.
 */
import type { Clock } from '../../../platform/time/clock.ts'

/** The time in which changes are collected. */
const gatherMs = 250
/** The most runs in one message. */
const runsAtOnceMax = 200
const queueBytesMax = 16 * 1024

const encoder = new TextEncoder()
const eventOf = (agentRunIds: string[], gap: boolean) =>
  encoder.encode(`event: runs.changed\ndata: ${JSON.stringify({ agentRunIds, gap })}\n\n`)

export class ChangeFeed {
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  readonly #changed = new Set<string>()
  #missed = false
  #timer: { cancel(): void } | undefined
  #stopped = false
  /** The final bytes of a stream that ended before it began. */
  #farewell: Uint8Array | undefined

  constructor(
    private readonly clock: Pick<Clock, 'after'>,
    private readonly onStop: (feed: ChangeFeed) => void,
  ) {}

  open(opening: Uint8Array): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
          if (!this.#stopped) {
            controller.enqueue(opening)
            // earlier changes are not sent: the client reads the list now
            return controller.enqueue(eventOf([], true))
          }
          if (this.#farewell) controller.enqueue(this.#farewell)
          controller.close()
        },
        pull: () => {
          if (!this.#timer) this.#tell()
        },
        cancel: () => this.#leave(),
      },
      { highWaterMark: queueBytesMax, size: (chunk) => chunk?.byteLength ?? 0 },
    )
  }

  /** A run has changed. */
  add(runId: string): void {
    if (this.#missed) return
    this.#changed.add(runId)
    if (this.#changed.size > runsAtOnceMax) this.miss()
    else this.#timer ??= this.clock.after(gatherMs, () => this.#ring())
  }

  /** More runs have changed than are sent. */
  miss(): void {
    this.#missed = true
    this.#changed.clear()
    this.#timer ??= this.clock.after(gatherMs, () => this.#ring())
  }

  /** Sends bytes to a reader that keeps up. */
  say(bytes: Uint8Array): void {
    if (this.#hasRoom) this.#controller?.enqueue(bytes)
  }

  /** Ends the stream; the client may reconnect. */
  stop(farewell?: Uint8Array): void {
    if (this.#stopped) return
    this.#farewell = farewell
    if (farewell) this.#controller?.enqueue(farewell)
    this.#leave()
    this.#controller?.close()
  }

  get #hasRoom() {
    return !this.#stopped && (this.#controller?.desiredSize ?? 0) > 0
  }

  #ring() {
    this.#timer = undefined
    this.#tell()
  }

  /** Sends the changes since the last message; later, if the reader is behind. */
  #tell() {
    if (!this.#hasRoom || (this.#changed.size === 0 && !this.#missed)) return
    const event = eventOf([...this.#changed], this.#missed)
    // cleared first: the consumer may pull again during this call
    this.#changed.clear()
    this.#missed = false
    this.#controller?.enqueue(event)
  }

  #leave() {
    if (this.#stopped) return
    this.#stopped = true
    this.#timer?.cancel()
    this.onStop(this)
  }
}
