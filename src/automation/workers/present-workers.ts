/** The workers that this process has heard of lately. Source: contract 11, "shows who serves which queue". */
import type { Clock } from '../../platform/time/clock.ts'

export interface SeenWorker {
  workerId: string
  queue: string
  operations: readonly string[] | null
  slots: number
  lastSeenAt: number
}

/** Whoever was silent for longer is gone: a request for work waits 25 seconds at most. */
const goneMs = 60_000
/** Of one Environment; more of them work, and are not shown. */
const shownMax = 1_000

export class PresentWorkers {
  readonly #seen = new Map<string, Map<string, SeenWorker>>()

  constructor(private readonly clock: Clock) {}

  /** It asks for work. */
  asks(environmentId: string, worker: Omit<SeenWorker, 'lastSeenAt'>): void {
    const workers = this.#seen.get(environmentId) ?? new Map<string, SeenWorker>()
    this.#seen.set(environmentId, workers)
    const key = `${worker.queue} ${worker.workerId}`
    if (!workers.has(key) && workers.size >= shownMax && !this.#forget(workers)) return
    workers.set(key, { ...worker, lastSeenAt: this.clock.now() })
  }

  /** It reports. */
  reports(environmentId: string, queue: string, workerId: string): void {
    const worker = this.#seen.get(environmentId)?.get(`${queue} ${workerId}`)
    if (worker) worker.lastSeenAt = this.clock.now()
  }

  /** By queue, then by name. */
  list(environmentId: string): SeenWorker[] {
    const workers = this.#seen.get(environmentId)
    if (!workers) return []
    this.#forget(workers)
    if (workers.size === 0) this.#seen.delete(environmentId)
    const order = ({ queue, workerId }: SeenWorker) => `${queue} ${workerId}`
    return [...workers.values()].sort((a, b) => (order(a) < order(b) ? -1 : 1))
  }

  /** Forgets whoever is gone; returns whether there was somebody. */
  #forget(workers: Map<string, SeenWorker>): boolean {
    const before = workers.size
    for (const [key, { lastSeenAt }] of workers) if (this.clock.now() - lastSeenAt > goneMs) workers.delete(key)
    return workers.size < before
  }
}
