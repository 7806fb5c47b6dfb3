/** Work on one thing after another: who comes while it is busy waits for all who came before. In this process. */
import { serviceUnavailable } from '../http/errors.ts'

/** So many wait; each of them may take as long as a provider does. */
const waitingMax = 20

export class Turns {
  readonly #last = new Map<string, { turn: Promise<unknown>; waiting: number }>()

  /** The result of the work, once it has had its turn. Throws 503 when too many wait already, and what the work throws. */
  take<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key)
    if (before && before.waiting >= waitingMax) {
      throw serviceUnavailable('Too many rotations of this integration wait already. Try again when they are done.')
    }
    const turn = before ? before.turn.then(work, work) : work()
    const mine = { turn, waiting: (before?.waiting ?? -1) + 1 }
    this.#last.set(key, mine)
    const done = () => {
      const last = this.#last.get(key)
      if (last === mine) this.#last.delete(key)
      else if (last) last.waiting -= 1
    }
    turn.then(done, done)
    return turn
  }
}
