/** Ctrl-C or `--timeout`: the command stops waiting for its work, and lists the work that continues without it. */

/**
 * The second Ctrl-C ends the process at once; the two signals of one press, by the terminal and by `npx`, count as one.
 */
const onePressMs = 500

export class Interruption {
  readonly #controller = new AbortController()
  /** Work in progress on a server or on the disk, in the order of its start. */
  readonly #begun = new Map<string, string>()
  #expiredAfter: number | undefined

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Records work that an interruption would leave behind, as a sentence. The same name replaces it. */
  begun(name: string, sentence: string): void {
    this.#begun.set(name, sentence)
  }

  /** The work has ended. */
  ended(name: string): void {
    this.#begun.delete(name)
  }

  /** The work that an interruption would leave behind now. */
  get left(): readonly string[] {
    return [...this.#begun.values()]
  }

  /** The seconds of `--timeout`, once they are over. */
  get expiredAfter(): number | undefined {
    return this.#expiredAfter
  }

  /** Interrupts the command after this time. */
  expire(seconds: number): void {
    setTimeout(() => {
      if (this.signal.aborted) return
      this.#expiredAfter = seconds
      this.#controller.abort(new Error('timed out'))
    }, seconds * 1_000)
  }

  /** Listens for signals; `force` ends the process at the second interruption. */
  listen(force: () => void): void {
    let firstAt: number | undefined
    const hear = () => {
      firstAt ??= performance.now()
      if (!this.signal.aborted) this.#controller.abort(new Error('interrupted'))
      else if (performance.now() - firstAt > onePressMs) force()
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, hear)
  }

  /** Waits for the work until an interruption. */
  async race<Value>(work: Promise<Value>): Promise<Value> {
    if (this.signal.aborted) throw this.signal.reason
    const { promise, reject } = Promise.withResolvers<never>()
    const stop = () => reject(this.signal.reason)
    this.signal.addEventListener('abort', stop, { once: true })
    try {
      return await Promise.race([work, promise])
    } finally {
      this.signal.removeEventListener('abort', stop)
    }
  }

  /** Resolves after this many milliseconds. Throws on an interruption. */
  async sleep(ms: number): Promise<void> {
    await this.race(Bun.sleep(ms))
  }
}
