/**
 * Work that nobody waits for: what has outlived its use is removed now and then, in small batches. How much of the machine
 * that takes is not decided here: maintenance tasks work on `Store.background`, which keeps the pace.
 */
import type { Clock } from '../time/clock.ts'
import { pause } from '../time/pause.ts'

export interface MaintenanceTask {
  name: string
  /** How often, unless everything is looked for more often; left out: as often as everything else. */
  everyMs?: number
  /** Removes one batch; the number removed. */
  run(limit: number): Promise<number>
}

const batchSize = 100
/** A server that has just started has others to serve; what was due while it was away does not wait for long. */
const firstMs = 5_000
/** At a stop, batches under way get so long. */
const graceMs = 1_000

export class Housekeeping {
  readonly #timers = new Map<string, { cancel(): void }>()
  readonly #atWork = new Set<Promise<void>>()
  #stopped = false

  constructor(
    private readonly clock: Clock,
    private readonly tasks: readonly MaintenanceTask[],
    /** How often what has had its time is looked for. */
    private readonly sweepIntervalMs: number,
    private readonly onError: (error: unknown, what: string) => void,
  ) {}

  /** Each task runs for the first time within seconds, then at its own interval. */
  start() {
    for (const task of this.tasks) this.#after(Math.min(firstMs, this.#intervalOf(task)), task)
  }

  /** Begins nothing more; resolves when the batches under way are through, or have had the time for it. */
  async stop() {
    this.#stopped = true
    for (const timer of this.#timers.values()) timer.cancel()
    const through = new AbortController()
    void Promise.all(this.#atWork).then(() => through.abort())
    await pause(this.clock, graceMs, through.signal)
  }

  #intervalOf({ everyMs = this.sweepIntervalMs }: MaintenanceTask): number {
    return Math.min(everyMs, this.sweepIntervalMs)
  }

  #after(ms: number, task: MaintenanceTask) {
    if (this.#stopped) return
    this.#timers.set(
      task.name,
      this.clock.after(ms, () => {
        const work = this.#work(task).finally(() => this.#atWork.delete(work))
        this.#atWork.add(work)
      }),
    )
  }

  async #work(task: MaintenanceTask) {
    try {
      while (!this.#stopped && (await task.run(batchSize)) === batchSize);
    } catch (error) {
      // what a stop interrupts is done by the next process
      if (!this.#stopped) this.onError(error, task.name)
    } finally {
      this.#after(this.#intervalOf(task), task)
    }
  }
}
