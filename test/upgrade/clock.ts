/** Real time from another instant on, advanced by hand where something takes minutes. */
import { type Clock, systemClock } from '../../src/platform/time/clock.ts'

export class ShiftedClock implements Clock {
  #aheadMs: number
  readonly #waiting = new Set<{ at: number; call(): void }>()

  /** `instant` is the current time, in epoch milliseconds. */
  constructor(instant: number) {
    this.#aheadMs = instant - systemClock.now()
  }

  now() {
    return systemClock.now() + this.#aheadMs
  }

  after(delayMs: number, callback: () => void) {
    const end = () => {
      timer.cancel()
      this.#waiting.delete(entry)
    }
    const entry = {
      at: this.now() + delayMs,
      call() {
        end()
        callback()
      },
    }
    const timer = systemClock.after(delayMs, entry.call)
    this.#waiting.add(entry)
    return { cancel: end }
  }

  advance(ms: number) {
    this.#aheadMs += ms
    for (const entry of [...this.#waiting]) if (entry.at <= this.now()) entry.call()
  }
}
