/**
 * Starts of runs take precedence over the embedded runner, which works on the same thread: while starts wait for their
 * commit, the runner takes only a few runs after each commit. A client that starts runs waits for other starts, not for
 * their work; waiting runs still make progress. Source: contract 9, "Background work".
 */
import type { Clock } from '../../platform/time/clock.ts'
import { nextTurn } from '../../platform/time/next-turn.ts'

/** The most runs that are taken before starts get precedence again. */
const runsPerTurn = 8
/** The longest time that unfinished starts delay the runner. */
const waitMsMax = 20

export class AdmissionPrecedence {
  #underWay = 0
  #runsLeft = runsPerTurn
  #waiting: (() => void)[] = []

  constructor(private readonly clock: Clock) {}

  /** A start, from its first read of the store until it is committed or refused. */
  async during<Started>(start: () => Promise<Started>): Promise<Started> {
    this.#underWay += 1
    try {
      return await start()
    } finally {
      this.#underWay -= 1
      if (this.#underWay === 0) for (const go of this.#waiting.splice(0)) go()
    }
  }

  /** Waits until the runner in this process may take its next run. */
  async giveWay(): Promise<void> {
    if (this.#runsLeft > 0) {
      this.#runsLeft -= 1
      return
    }
    // requests that have arrived meanwhile are seen after the next poll of the sockets
    await nextTurn()
    await nextTurn()
    if (this.#underWay > 0) await this.#untilNoneIsUnderWay()
    this.#runsLeft = runsPerTurn - 1
  }

  #untilNoneIsUnderWay(): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.clock.after(waitMsMax, resolve)
      this.#waiting.push(() => {
        timer.cancel()
        resolve()
      })
    })
  }
}
