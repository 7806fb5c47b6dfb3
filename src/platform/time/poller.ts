/**
 * Looks into the store for what is due: at the start, when something is expected, and when the last look said. One look
 * at a time; what is asked for meanwhile is looked for once more behind it.
 */
import type { Clock } from './clock.ts'

export class Poller {
  #wake: { cancel(): void } | undefined
  #wakeAt = Number.POSITIVE_INFINITY
  #running = false
  #working: Promise<void> | undefined
  #again = false

  /** `look` deals with what is due and returns when to look again, epoch milliseconds. It must not throw. */
  constructor(
    private readonly clock: Clock,
    private readonly look: () => Promise<number>,
  ) {}

  get running(): boolean {
    return this.#running
  }

  /** Resolves when the first look is through. */
  async start() {
    this.#running = true
    await this.now()
  }

  /** Looks no more; resolves when the look under way is through. */
  async stop() {
    this.#running = false
    this.#wake?.cancel()
    this.#wakeAt = Number.POSITIVE_INFINITY
    await this.#working
  }

  /** Something will be due then. */
  expect(dueAt: number) {
    if (!this.#running || dueAt >= this.#wakeAt) return
    this.#wake?.cancel()
    this.#wakeAt = dueAt
    this.#wake = this.clock.after(Math.max(0, dueAt - this.clock.now()), () => void this.now())
  }

  /** Looks now, or once more behind the look under way. */
  now(): Promise<void> {
    this.#wakeAt = Number.POSITIVE_INFINITY
    this.#again = true
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined
      // asked for when the last look was through, and this was not yet
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
