/** A manual clock. */
import type { Clock } from '../../../src/platform/time/clock.ts'

export class ManualClock implements Clock {
  #now: number
  readonly #pending = new Set<{ at: number; callback: () => void }>()

  constructor(now = 1_000_000) {
    this.#now = now
  }

  now() {
    return this.#now
  }

  after(delayMs: number, callback: () => void) {
    const wake = { at: this.#now + delayMs, callback }
    this.#pending.add(wake)
    return { cancel: () => this.#pending.delete(wake) }
  }

  /** Advances, calling back whoever is due, each at its time, with this many turns of the event loop after each. */
  async advance(ms: number, turns?: number) {
    const end = this.#now + ms
    for (;;) {
      const next = [...this.#pending].filter(({ at }) => at <= end).sort((one, other) => one.at - other.at)[0]
      if (!next) break
      this.#pending.delete(next)
      this.#now = Math.max(this.#now, next.at)
      next.callback()
      await quiet(turns)
    }
    this.#now = end
    await quiet(turns)
  }

  /** The process was suspended, or the clock was set: due callbacks come late, all at once. */
  async jump(ms: number) {
    this.#now += ms
    await this.advance(0)
  }

  /** The waiters. */
  get pending() {
    return this.#pending.size
  }
}

/** Lets everything happen that does not wait for time: some turns of the event loop. */
export async function quiet(turns = 12) {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}
