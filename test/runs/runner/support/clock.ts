/** A manual clock. */
import type { Clock } from '../../../../src/platform/time/clock.ts'

export class ManualClock implements Clock {
  #now = Date.parse('2026-01-01T00:00:00.000Z')
  readonly #timers = new Set<{ at: number; callback: () => void }>()

  now(): number {
    return this.#now
  }

  after(delayMs: number, callback: () => void) {
    const timer = { at: this.#now + Math.max(0, delayMs), callback }
    this.#timers.add(timer)
    return { cancel: () => void this.#timers.delete(timer) }
  }

  /** Timers that have not fired. */
  get pending(): number {
    return this.#timers.size
  }

  /** Advances, firing due timers in order, and lets all consequences settle. */
  async advance(ms: number): Promise<void> {
    await settle()
    const until = this.#now + ms
    for (;;) {
      const due = [...this.#timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0]
      if (!due) break
      this.#now = due.at
      this.#timers.delete(due)
      due.callback()
      await settle()
    }
    this.#now = until
    await settle()
  }
}

/** Lets everything pending happen. */
export const settle = () => new Promise<void>((resolve) => setTimeout(resolve, 0))
