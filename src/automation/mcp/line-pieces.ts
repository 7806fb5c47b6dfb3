/**
 * Cuts a stream of events into pieces of whole lines. The client's parser reads the start of an unfinished line again with
 * each piece, which would take long for a long line in many pieces; and a piece has few enough messages to be read at once.
 */

const pieceBytes = 4 * 1024
const [newline, carriageReturn] = [10, 13]

export class LinePieces {
  /** The start of an unfinished line. */
  #held: Uint8Array[] = []

  /** The unfinished line at the end. */
  rest(): Uint8Array {
    return Buffer.concat(this.#held)
  }

  /** The pieces that are complete with these bytes. */
  *add(bytes: Uint8Array): Generator<Uint8Array> {
    const end = Math.max(bytes.lastIndexOf(newline), bytes.lastIndexOf(carriageReturn)) + 1
    if (end > 0) {
      const whole = Buffer.concat([...this.#held, bytes.subarray(0, end)])
      this.#held = []
      for (let at = 0; at < whole.length; ) {
        const lineEnd = whole.indexOf(newline, at + pieceBytes)
        const next = lineEnd === -1 ? whole.length : lineEnd + 1
        yield whole.subarray(at, next)
        at = next
      }
    }
    if (end < bytes.length) this.#held.push(bytes.subarray(end))
  }
}
