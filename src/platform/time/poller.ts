/**
 * Polls the store for due work: at the start, when work is expected, and at the time returned by the last poll. One poll at a
 * time; a request during a poll causes one more.
 */
import type { Clock } from './clock.ts'

export class Poller {
  #wake: { cancel(): void } | undefined
  #wakeAt = Number.POSITIVE_INFINITY
  #running = false
  #working: Promise<void> | undefined
  #again = false

  /** `look` handles due work and returns the time of the next poll, epoch milliseconds. It must not throw. */
  constructor(
    private readonly clock: Clock,
    private readonly look: () => Promise<number>,
  ) {}

  get running(): boolean {
    return this.#running
  }

  /** Resolves after the first poll. */
  async start() {
    this.#running = true
    await this.now()
  }

  /** Stops polling; resolves when the current poll is done. */
  async stop() {
    this.#running = false
    this.#wake?.cancel()
    this.#wakeAt = Number.POSITIVE_INFINITY
    await this.#working
  }

  /** Work will be due at this time. */
  expect(dueAt: number) {
    if (!this.#running || dueAt >= this.#wakeAt) return
    this.#wake?.cancel()
    this.#wakeAt = dueAt
    this.#wake = this.clock.after(Math.max(0, dueAt - this.clock.now()), () => void this.now())
  }

  /** Polls now, or once more after the current poll. */
  now(): Promise<void> {
    this.#wakeAt = Number.POSITIVE_INFINITY
    this.#again = true
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined
      // requested when the poll had finished but this was not yet settled
      if (this.#again && this.#running) void this.now()
    })
    return this.#working
  }

  async #work() {
    let lookAt = Number.POSITIVE_INFINITY
    while (this.#again && this.#running) {
      this.#again = false
      lookAt = await this.look()
    }
    this.expect(lookAt)
  }
}
