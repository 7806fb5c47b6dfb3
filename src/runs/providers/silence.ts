/** Ends a call whose vendor stays silent for too long, and hands on what the caller's own signal says. */
export class SilenceGuard {
  readonly #controller = new AbortController()
  readonly #timer: Timer
  /** When the current wait began, on the monotonic clock; undefined while nobody waits for the vendor. */
  #waitingSince: number | undefined
  /** Whether it was silence that ended the call. */
  silent = false

  /** @param silenceMsMax how long one wait may take */
  constructor(
    private readonly caller: AbortSignal,
    private readonly silenceMsMax: number,
  ) {
    this.#timer = setInterval(() => this.#look(), Math.max(1, silenceMsMax / 8))
    this.#timer.unref()
    caller.addEventListener('abort', this.#end)
    if (caller.aborted) this.#end()
  }

  /** For the vendor's call. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Waits for the vendor. Time that a slow reader takes between two waits isn't the vendor's silence. */
  async during<Result>(wait: PromiseLike<Result>): Promise<Result> {
    this.#waitingSince = performance.now()
    try {
      return await wait
    } finally {
      this.#waitingSince = undefined
    }
  }

  /** To be called once, whatever happened. What the vendor still sends is not waited for. */
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
