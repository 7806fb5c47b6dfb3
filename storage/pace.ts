/**
 * The pace of all background work, such as removals, sweeps and counts: requests go first.
 *
 * Background work runs in slices. A slice holds the event loop and the store's write lock for about 2 ms, and never for
 * more than 5 ms unless a single statement or the disk takes longer. A pause of four times the processor time that it
 * used follows, so all background work together takes at most a fifth of the processor, however much there is; the
 * pause is at least as long as the slice held the thread, so that it takes at most half of the time of a slow disk. Each
 * store has one pace, first come, first served, and background work reaches the store only through `Store.background`,
 * which keeps the pace. Source: contract 9, "Background work".
 */

/** The processor time of this thread so far. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** A slice starts no more work after this; the rest of its 5 ms is for the last piece and the fsync of the commit. */
export const stretchMs = 2
/** The length of the pause after a slice, as a multiple of the time that it used. */
const restShare = 4
/** Slices shorter than this are added up before a pause. */
const restFromMs = 0.5
/** The most that is counted for a turn: it also waits for other work, so its own share of the time is unknown. */
const wholeMs = 5

interface Clocks {
  /** The time that background work uses, which is charged: of this thread, or of a database elsewhere. */
  used(): number
  now?(): number
}

/** When a piece of work began. */
interface Mark {
  now: number
  used: number
}

export class Pace {
  readonly now: () => number
  readonly #used: () => number
  /** By `now`: no slice starts before this time. */
  #freeAt = 0
  /** The time used by the current slice, and how long it held the thread. */
  #usedMs = 0
  #heldMs = 0
  /** The turns in progress; by `used`: the time up to which they are charged. */
  #turns = 0
  #chargedTo = Number.NEGATIVE_INFINITY
  #waiting: (() => void)[] = []
  #timer: Timer | undefined
  #ended = false

  constructor({ used, now = () => performance.now() }: Clocks) {
    this.now = now
    this.#used = used
  }

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
        const began = this.mark()
        try {
          resolve(work())
        } catch (error) {
          reject(error)
        } finally {
          this.spendSince(began)
        }
      })
    })
  }

  /**
   * Runs work that commits on its own, such as commands to actors, in its turn; a pause follows. Time that several turns
   * share is charged once.
   */
  async turn<Value>(work: () => Promise<Value>): Promise<Value> {
    await new Promise<void>((resolve) => this.whenFree(resolve))
    this.#turns += 1
    const began = this.#used()
    try {
      return await work()
    } finally {
      const now = this.#used()
      this.spend(Math.min(wholeMs * this.#turns, now - Math.max(began, this.#chargedTo)))
      this.#chargedTo = now
      this.#turns -= 1
    }
  }

  /** The beginning of a piece of work that `spendSince` adds. */
  mark(): Mark {
    return { now: this.now(), used: this.#used() }
  }

  /**
   * Adds a piece of work to the current slice.
   *
   * @param shared whether requests waited for the disk at the same time: then that wait is theirs
   */
  spendSince(began: Mark, { shared = false } = {}): void {
    this.spend(this.#used() - began.used, shared ? 0 : this.now() - began.now)
  }

  /** Adds a piece of work that used this time and, if it waited too, held the thread for longer. */
  spend(usedMs: number, heldMs = usedMs): void {
    this.#usedMs += usedMs
    this.#heldMs += heldMs
    if (Math.max(this.#usedMs, this.#heldMs) < restFromMs) return
    this.#freeAt = Math.max(this.now(), this.#freeAt) + Math.max(restShare * this.#usedMs, this.#heldMs)
    this.#usedMs = 0
    this.#heldMs = 0
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
