/**
 * The rule for all background work, such as removals, sweeps and counts: requests go first.
 *
 * It is cut into slices. A slice holds the event loop and the store's write lock for some 2 ms, and never for more than 5,
 * unless a single statement takes longer. Then it pauses for four times as long as the slice took. All background work
 * together therefore takes at most a fifth of the time, however much there is: each store has one pace, first come, first
 * served, and background work reaches the store only through `Store.background`, which keeps the pace.
 * Source: contract 9, "Background work".
 */

/** No slice starts another piece after this time; the rest up to 5 ms is for the last piece and the sync of a commit. */
export const stretchMs = 2
/** Length of the pause after a slice, as a multiple of the slice. */
const restShare = 4
/** Shorter slices are added up before they pause. */
const restFromMs = 0.5
/** Work that waits for others meanwhile counts as a whole slice, since its own share of the time is unknown. */
const wholeMs = 5

export class Pace {
  /** By `performance.now`: no slice starts before this time. */
  #freeAt = 0
  /** The time used by the current slice. */
  #spentMs = 0
  #waiting: (() => void)[] = []
  #timer: Timer | undefined
  #ended = false

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Whether a slice may start or continue. */
  get isFree(): boolean {
    return this.#ended || this.now() >= this.#freeAt
  }

  /** Calls back once when a slice may run: at once, if one may and no other call is waiting. */
  whenFree(call: () => void): void {
    this.#waiting.push(call)
    if (this.#timer === undefined) this.#serve()
  }

  /** Runs a short piece, such as a read, when it is its turn. */
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

  /** Starts work that runs by itself, such as commands to actors, when it is its turn; pauses after it. */
  async turn<Value>(work: () => Promise<Value>): Promise<Value> {
    await new Promise<void>((resolve) => this.whenFree(resolve))
    const startedAt = this.now()
    try {
      return await work()
    } finally {
      this.spend(Math.min(wholeMs, this.now() - startedAt))
    }
  }

  /** Adds the time of a piece. */
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

  /** The store is closing: waiting and later work runs at once. */
  end() {
    this.#ended = true
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#serve()
  }
}
