/**
 * Cuts a stream of events into pieces of whole lines. The client's parser reads the start of an unfinished line again
 * with each piece, which would take long for a long line in many pieces; and a piece has few enough messages to be read
 * at once.
 */
import { GatheredBytes } from '../../platform/outbound/gathered-bytes.ts'

const pieceBytes = 4 * 1024
const [newline, carriageReturn] = [10, 13]

export class LinePieces {
  /** The start of an unfinished line. */
  readonly #held = new GatheredBytes()

  /** The unfinished line at the end. */
  rest(): Uint8Array {
    return this.#held.take()
  }

  /** The pieces that are complete with these bytes. */
  *add(bytes: Uint8Array): Generator<Uint8Array> {
    const end = Math.max(bytes.lastIndexOf(newline), bytes.lastIndexOf(carriageReturn)) + 1
    if (end > 0) {
      this.#held.add(bytes.subarray(0, end))
      const whole = this.#held.take()
      for (let at = 0; at < whole.length; ) {
        const lineEnd = whole.indexOf(newline, at + pieceBytes)
        const next = lineEnd === -1 ? whole.length : lineEnd + 1
        yield whole.subarray(at, next)
        at = next
      }
    }
    if (end < bytes.length) this.#held.add(bytes.subarray(end))
  }
}
