/**
 * The pace of all background work, such as removals, sweeps and counts: requests go first.
 *
 * Background work runs in slices. A slice holds the event loop and the store's write lock for about 2 ms, and never for
 * more than 5 ms unless a single statement takes longer. A pause of four times the slice follows, so all background
 * work together takes at most a fifth of the time, however much there is. Each store has one pace, first come, first
 * served, and background work reaches the store only through `Store.background`, which keeps the pace.
 * Source: contract 9, "Background work".
 */

/** A slice starts no more work after this; the rest of its 5 ms is for the last piece and the fsync of the commit. */
export const stretchMs = 2
/** The length of the pause after a slice, as a multiple of the slice. */
const restShare = 4
/** Slices shorter than this are added up before a pause. */
const restFromMs = 0.5
/** The most that is counted for a turn: it also waits for other work, so its own share of the time is unknown. */
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

  /** Calls back once a slice may run: immediately, if one may run now and no other call is waiting. */
  whenFree(call: () => void): void {
    this.#waiting.push(call)
    if (this.#timer === undefined) this.#serve()
  }

  /** Runs a short piece of work, such as a read, in its turn. */
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

  /** Runs work that commits on its own, such as commands to actors, in its turn; a pause follows. */
  async turn<Value>(work: () => Promise<Value>): Promise<Value> {
    await new Promise<void>((resolve) => this.whenFree(resolve))
    const startedAt = this.now()
    try {
      return await work()
    } finally {
      this.spend(Math.min(wholeMs, this.now() - startedAt))
    }
  }

  /** Adds the duration of a piece of work to the current slice. */
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

  /** Ends the pace when the store closes: waiting and later work runs immediately. */
  end() {
    this.#ended = true
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#serve()
  }
}
