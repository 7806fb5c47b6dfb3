/** A manual clock. */
import type { Clock } from '../../../src/platform/time/clock.ts'

export class HandClock implements Clock {
  #now = Date.parse('2026-01-31T12:00:00.000Z')
  readonly #waiting = new Set<{ at: number; callback: () => void }>()

  now() {
    return this.#now
  }

  after(delayMs: number, callback: () => void) {
    const entry = { at: this.#now + delayMs, callback }
    this.#waiting.add(entry)
    return { cancel: () => void this.#waiting.delete(entry) }
  }

  /** The number of waiters. */
  get waiting() {
    return this.#waiting.size
  }

  /** Sets the clock: remaining waits stay as long. */
  step(ms: number) {
    this.#now += ms
    for (const entry of this.#waiting) entry.at += ms
  }

  advance(ms: number) {
    this.#now += ms
    for (const entry of [...this.#waiting]) {
      if (entry.at > this.#now) continue
      this.#waiting.delete(entry)
      entry.callback()
    }
  }
}
