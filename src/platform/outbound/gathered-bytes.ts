/** Bytes that arrive in chunks, kept as one: a chunk of a single byte would cost a hundred on its own. */
export class GatheredBytes {
  #buffer = Buffer.allocUnsafe(0)
  #length = 0

  add(chunk: Uint8Array): void {
    const length = this.#length + chunk.length
    if (length > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#buffer.length))
      this.#buffer.copy(larger, 0, 0, this.#length)
      this.#buffer = larger
    }
    this.#buffer.set(chunk, this.#length)
    this.#length = length
  }

  /** What has been added since the last time. */
  take(): Buffer {
    const taken = this.#buffer.subarray(0, this.#length)
    this.#buffer = Buffer.allocUnsafe(0)
    this.#length = 0
    return taken
  }
}
