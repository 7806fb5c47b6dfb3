/**
 * Shares the serving thread among organizations. A request with an expensive answer keeps the event loop from all other
 * requests meanwhile, and the loop would start all that have arrived. So while an organization has had an expensive answer
 * in one of the last turns of the loop, its further requests wait: a few organizations have one each in a turn, and
 * everybody else's requests come in between.
 */

/** The time from which an answer is expensive. */
const expensiveMs = 1
/** The time of the thread for waiting requests in one turn; the last one may exceed it. */
const roundMs = 4
/** The most waiting requests of one turn. */
const roundMax = 32

/** The use of the thread by one request. */
export interface Use {
  /** The request is answered; `since`: when its answer was begun to be written. */
  end(since: number): void
}

export class ThreadShares {
  /** The requests that wait, by the owner of each, as long as it has to wait. The first one is the next. */
  readonly #waiting = new Map<string, (() => void)[]>()
  #turn = 0
  #isInTurn = false
  #isInRound = false
  #spentMs = 0

  /** Resolves when the owner's request may go on; undefined: at once. */
  enter(owner: string): Promise<void> | undefined {
    const waiting = this.#waiting.get(owner)
    return waiting && new Promise((resolve) => void waiting.push(resolve))
  }

  /** A request of the owner goes on. */
  begin(owner: string, since: number): Use {
    if (!this.#isInTurn) {
      this.#isInTurn = true
      setImmediate(this.#endTurn)
    }
    const turn = this.#turn
    return {
      end: (answeredSince) => {
        // one that has let others go first is counted by the writing of its answer
        const start = turn === this.#turn ? since : answeredSince
        this.#count(owner, performance.now() - start)
      },
    }
  }

  readonly #endTurn = () => {
    this.#turn += 1
    this.#isInTurn = false
  }

  #count(owner: string, ms: number) {
    if (this.#isInRound) this.#spentMs += ms
    if (ms < expensiveMs || this.#waiting.has(owner)) return
    this.#waiting.set(owner, [])
    if (!this.#isInRound) this.#beginRound()
  }

  #beginRound() {
    this.#isInRound = true
    this.#spentMs = 0
    for (let count = 0; count < roundMax; count += 1) setImmediate(this.#letNext)
    setImmediate(this.#endRound)
  }

  readonly #letNext = () => {
    if (this.#spentMs >= roundMs) return
    for (const [owner, waiting] of this.#waiting) {
      this.#waiting.delete(owner)
      const next = waiting.shift()
      if (next === undefined) continue
      // behind the others
      this.#waiting.set(owner, waiting)
      next()
      return
    }
  }

  readonly #endRound = () => {
    this.#isInRound = false
    if (this.#waiting.size > 0) this.#beginRound()
  }
}
