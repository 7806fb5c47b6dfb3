/** A clock that is moved by hand. */
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

  /** Moves on, calling back on the way whoever is due, each at his moment, and lets so many turns pass behind each. */
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

  /** The process stood still, or the clock was set: what is due is called back late, all at once. */
  async jump(ms: number) {
    this.#now += ms
    await this.advance(0)
  }

  /** Who waits. */
  get pending() {
    return this.#pending.size
  }
}

/** Lets everything happen that happens without waiting for time: some turns of the event loop. */
export async function quiet(turns = 12) {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}
