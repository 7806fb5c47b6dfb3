/**
 * The rule for all background work, such as removals, sweeps and counts: requests go first.
 *
 * Such work is cut into stretches. One takes the event loop and the store's write lock for some 2 ms, and never for more
 * than 5, unless a single statement does; then everybody else has the machine for four times as long as the stretch has
 * taken. So all background work together takes a fifth of the time at most, however much of it there is at once: there is
 * one pace for each store, first come, first served. Background work has no other way to the store
 * than `Store.background`, which keeps this pace. Source: contract 9, "Background work".
 */

/** No stretch begins another piece behind this; what remains up to 5 ms is for the last piece, and the sync of a commit. */
export const stretchMs = 2
/** Others have the machine for so many times as long as a stretch has taken. */
const restShare = 4
/** Less than this is not worth a rest of its own. */
const restFromMs = 0.5
/** What waits for others in between is counted as one whole stretch: how much of the time was its own is not known. */
const wholeMs = 5

export class Pace {
  /** By `performance.now`: before then there is no stretch. */
  #freeAt = 0
  /** What the stretch under way has taken so far. */
  #spentMs = 0
  #waiting: (() => void)[] = []
  #timer: Timer | undefined
  #ended = false

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Whether a stretch may begin, or go on. */
  get isFree(): boolean {
    return this.#ended || this.now() >= this.#freeAt
  }

  /** Calls back once when it is free: at once, if it is and no other call is waiting. */
  whenFree(call: () => void): void {
    this.#waiting.push(call)
    if (this.#timer === undefined) this.#serve()
  }

  /** Does what takes but a moment, a read for instance, when it is its turn. */
  read<Value>(work: () => Value): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.whenFree(() => {
        const startedAt = this.now()
        try {
          resolve(work())
        } catch (error) {
          reject(error)
        } finally {
          this.spend(this.now() - startedAt)
        }
      })
    })
  }

  /** Begins what goes on by itself, a few commands to actors for instance, when it is its turn; rests behind it. */
  async turn<Value>(work: () => Promise<Value>): Promise<Value> {
    await new Promise<void>((resolve) => this.whenFree(resolve))
    const startedAt = this.now()
    try {
      return await work()
    } finally {
      this.spend(Math.min(wholeMs, this.now() - startedAt))
    }
  }

  /** Notes what a piece has taken. */
  spend(ms: number): void {
    this.#spentMs += ms
    if (this.#spentMs < restFromMs) return
    this.#freeAt = Math.max(this.now(), this.#freeAt) + restShare * this.#spentMs
    this.#spentMs = 0
  }

  #serve() {
    while (this.#waiting.length > 0 && this.isFree) this.#waiting.shift()?.()
    if (this.#waiting.length === 0) return
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined
        this.#serve()
      },
      Math.max(1, this.#freeAt - this.now()),
    )
  }

  /** The store closes: what waits goes at once, and so does all that comes. */
  end() {
    this.#ended = true
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#serve()
  }
}
