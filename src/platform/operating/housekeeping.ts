/**
 * Periodic removal of expired rows, in small batches. Maintenance tasks use `Store.background`, which bounds the load that
 * they cause.
 */
import type { Registry } from 'prom-client'
import type { Clock } from '../time/clock.ts'
import { pause } from '../time/pause.ts'
import { Gauge } from './prometheus.ts'

export interface MaintenanceTask {
  name: string
  /** The interval, if longer than the usual one. */
  everyMs?: number
  /** Removes one batch and returns how many. */
  run(limit: number): Promise<number>
  /** When the oldest item expired that is still there, epoch milliseconds; undefined: none has. */
  overdueSince?(): Promise<number | undefined>
}

const batchSize = 100
/** The start comes first, but what became due while the server was down should not wait long. */
const firstMs = 5_000
/** How long a stop waits for batches in progress. */
const graceMs = 1_000

export class Housekeeping {
  readonly #timers = new Map<string, { cancel(): void }>()
  readonly #atWork = new Set<Promise<void>>()
  #stopped = false

  constructor(
    private readonly clock: Clock,
    private readonly tasks: readonly MaintenanceTask[],
    /** The usual interval. */
    private readonly sweepIntervalMs: number,
    private readonly onError: (error: unknown, what: string) => void,
    /** Whether this server runs the task of this name, if servers share the store. */
    private readonly owns: (name: string) => boolean = () => true,
  ) {}

  /** Each task runs for the first time within seconds, then at its own interval. */
  start() {
    for (const task of this.tasks) this.#after(Math.min(firstMs, this.#intervalOf(task)), task)
  }

  /** Starts no more batches; resolves when those in progress are done or the grace period is over. */
  async stop() {
    this.#stopped = true
    for (const timer of this.#timers.values()) timer.cancel()
    const through = new AbortController()
    void Promise.all(this.#atWork).then(() => through.abort())
    await pause(this.clock, graceMs, through.signal)
  }

  /** Adds how far the removal of expired data is behind to the metrics; each of the servers shows what it removes. */
  register(registry: Registry) {
    const { clock, tasks, owns } = this
    new Gauge({
      name: 'troupe_retention_overdue_seconds',
      help: 'How long ago the oldest item expired that is still stored, by the task that removes it.',
      labelNames: ['task'],
      registers: [registry],
      async collect() {
        const overdue: [task: string, seconds: number][] = []
        for (const { name, overdueSince } of tasks) {
          if (!overdueSince || !owns(name)) continue
          const since = await overdueSince()
          overdue.push([name, since === undefined ? 0 : Math.max(0, clock.now() - since) / 1_000])
        }
        // at once: another scrape may be waiting for the store
        this.reset()
        for (const [task, seconds] of overdue) this.set({ task }, seconds)
      },
    })
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
      while (!this.#stopped && this.owns(task.name) && (await task.run(batchSize)) === batchSize);
    } catch (error) {
      // the next process continues what a stop interrupts
      if (!this.#stopped) this.onError(error, task.name)
    } finally {
      this.#after(this.#intervalOf(task), task)
    }
  }
}
