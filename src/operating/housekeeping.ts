/** Work that nobody waits for: what has outlived its use is removed in small batches, now and then. */
import type { Clock } from '../runtime/clock.ts'

export interface Chore {
  name: string
  everyMs: number
  /** Removes one batch; the number removed. */
  run(limit: number): Promise<number>
}

const batchSize = 500

export class Housekeeping {
  readonly #timers = new Map<string, { cancel(): void }>()
  #stopped = false

  constructor(
    private readonly clock: Clock,
    private readonly chores: readonly Chore[],
    private readonly onError: (error: unknown, what: string) => void,
  ) {}

  start() {
    for (const chore of this.chores) this.#later(chore)
  }

  stop() {
    this.#stopped = true
    for (const timer of this.#timers.values()) timer.cancel()
  }

  #later(chore: Chore) {
    if (this.#stopped) return
    this.#timers.set(
      chore.name,
      this.clock.after(chore.everyMs, () => void this.#work(chore)),
    )
  }

  async #work(chore: Chore) {
    try {
      while (!this.#stopped && (await chore.run(batchSize)) === batchSize);
    } catch (error) {
      this.onError(error, chore.name)
    } finally {
      this.#later(chore)
    }
  }
}
