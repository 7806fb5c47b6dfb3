/** Aborts a call whose vendor sends nothing for too long, or whose caller aborts it. */
export class SilenceGuard {
  readonly #controller = new AbortController()
  readonly #timer: Timer
  /** The start of the current wait on the monotonic clock; undefined while not waiting for the vendor. */
  #waitingSince: number | undefined
  /** Whether the time-out aborted the call. */
  silent = false

  /** @param silenceMsMax the maximum duration of one wait */
  constructor(
    private readonly caller: AbortSignal,
    private readonly silenceMsMax: number,
  ) {
    this.#timer = setInterval(() => this.#look(), Math.max(1, silenceMsMax / 8))
    this.#timer.unref()
    caller.addEventListener('abort', this.#end)
    if (caller.aborted) this.#end()
  }

  /** The signal for the vendor's call. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Waits for the vendor. The time that a slow reader takes between waits does not count. */
  async during<Result>(wait: PromiseLike<Result>): Promise<Result> {
    this.#waitingSince = performance.now()
    try {
      return await wait
    } finally {
      this.#waitingSince = undefined
    }
  }

  /** Must be called once in any case. Pending data of the vendor is discarded. */
  close() {
    clearInterval(this.#timer)
    this.caller.removeEventListener('abort', this.#end)
    this.#controller.abort()
  }

  #look() {
    if (this.#waitingSince === undefined || performance.now() - this.#waitingSince < this.silenceMsMax) return
    this.silent = true
    this.#end()
  }

  readonly #end = () => this.#controller.abort()
}
