/**
 * The queue of runs that wait for a runner. The store is the queue; what is in memory is a bounded window onto it, fed
 * by hints when a run is queued and by the store where hints may be missing: at start, after an overflow, and now and
 * then. Oldest first within an organization, organizations in turn. Source: contract 5, "Precise points".
 */
import { nextAvailable, nextQueuedOrganization, queuedOf } from '../../../storage/runs.ts'
import type { Store } from '../../../storage/store.ts'
import type { Clock } from '../../runtime/clock.ts'

const windowPerOrganization = 1_000
const windowMax = 10_000
const sweepMs = 5_000
/** Runs whose back-off ends close together are fetched together. */
const wakeStepMs = 10

interface Waiter {
  resolve(runId: string | null): void
  end(): void
}

export class RunQueue {
  /** By organization, in the order in which they take turns. */
  readonly #window = new Map<string, string[]>()
  readonly #known = new Set<string>()
  /** Handed out, and perhaps still queued in the store. */
  readonly #taken = new Set<string>()
  readonly #waiters: Waiter[] = []
  /** Whether the store may hold runs that are not in the window. */
  #incomplete = true
  #refilling: Promise<void> | undefined
  #wake: { at: number; timer: { cancel(): void } } | undefined
  #sweep: { cancel(): void } | undefined
  #closed = false

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly onError: (error: unknown, what: string) => void,
  ) {}

  start() {
    this.#sweepLater()
  }

  close() {
    this.#closed = true
    this.#sweep?.cancel()
    this.#wake?.timer.cancel()
    for (const waiter of this.#waiters.splice(0)) this.#answer(waiter, null)
  }

  /** A run was queued, to be leased from then on. */
  offer(runId: string, organizationId: string, availableAt: number) {
    if (availableAt > this.clock.now()) this.#wakeAt(availableAt)
    else this.#add(organizationId, runId)
    this.#serve()
  }

  /** The next run; null when there is none within the time. Whoever takes it says how that went: `settle`, `giveBack`. */
  take(waitMs: number, signal?: AbortSignal): Promise<string | null> | string | null {
    const runId = this.#shift()
    if (runId !== undefined) return runId
    if (this.#closed || signal?.aborted) return null
    return new Promise((resolve) => {
      const giveUp = () => {
        const index = this.#waiters.indexOf(waiter)
        if (index >= 0) this.#waiters.splice(index, 1)
        this.#answer(waiter, null)
      }
      const timer = this.clock.after(waitMs, giveUp)
      signal?.addEventListener('abort', giveUp, { once: true })
      const waiter: Waiter = {
        resolve,
        end() {
          timer.cancel()
          signal?.removeEventListener('abort', giveUp)
        },
      }
      this.#waiters.push(waiter)
      if (this.#incomplete) void this.#refill()
    })
  }

  /** A run that was taken has been leased, or is no longer to be. */
  settle(runId: string) {
    this.#taken.delete(runId)
  }

  /** A run that was taken could not be leased now. */
  giveBack(runId: string, organizationId: string) {
    this.#taken.delete(runId)
    this.#add(organizationId, runId)
    this.#serve()
  }

  /** Runs in the window. */
  get size() {
    return this.#known.size
  }

  #add(organizationId: string, runId: string) {
    if (this.#known.has(runId) || this.#taken.has(runId)) return
    const waiting = this.#window.get(organizationId) ?? []
    if (this.#known.size >= windowMax || waiting.length >= windowPerOrganization) {
      this.#incomplete = true
      return
    }
    this.#known.add(runId)
    if (waiting.push(runId) === 1) this.#window.set(organizationId, waiting)
  }

  #shift(): string | undefined {
    for (const [organizationId, waiting] of this.#window) {
      const runId = waiting.shift()
      // The organization goes to the end of the line.
      this.#window.delete(organizationId)
      if (waiting.length > 0) this.#window.set(organizationId, waiting)
      if (runId === undefined) continue
      this.#known.delete(runId)
      this.#taken.add(runId)
      return runId
    }
    return undefined
  }

  #serve() {
    while (this.#waiters.length > 0) {
      const runId = this.#shift()
      if (runId === undefined) break
      this.#answer(this.#waiters.shift() as Waiter, runId)
    }
    if (this.#waiters.length > 0 && this.#incomplete) void this.#refill()
  }

  #answer(waiter: Waiter, runId: string | null) {
    waiter.end()
    waiter.resolve(runId)
  }

  #refill(): Promise<void> {
    this.#refilling ??= this.#readStore()
      .catch((error) => this.onError(error, 'the run queue'))
      .finally(() => {
        this.#refilling = undefined
        if (!this.#closed) this.#serve()
      })
    return this.#refilling
  }

  async #readStore() {
    this.#incomplete = false
    const now = this.clock.now()
    let after = ''
    for (;;) {
      const next = await this.store.first(nextQueuedOrganization(this.store, { after }))
      if (!next) return
      after = next.organization_id
      const limit = windowPerOrganization
      const runs = await this.store.all(queuedOf(this.store, { organizationId: after, now, limit }))
      for (const { id } of runs) this.#add(after, id)
      if (runs.length === limit) this.#incomplete = true
      const later = await this.store.first(nextAvailable(this.store, { organizationId: after, now }))
      if (later) this.#wakeAt(later.available_at)
    }
  }

  #wakeAt(availableAt: number) {
    const at = Math.max(availableAt, this.clock.now() + wakeStepMs)
    if (this.#closed || (this.#wake && this.#wake.at <= at)) return
    this.#wake?.timer.cancel()
    const timer = this.clock.after(Math.max(0, at - this.clock.now()), () => {
      this.#wake = undefined
      this.#incomplete = true
      if (this.#waiters.length > 0) void this.#refill()
    })
    this.#wake = { at, timer }
  }

  /** A hint can be lost with the process that gave it; somebody looks now and then. */
  #sweepLater() {
    this.#sweep = this.clock.after(sweepMs, () => {
      this.#incomplete = true
      if (this.#waiters.length > 0) void this.#refill()
      if (!this.#closed) this.#sweepLater()
    })
  }
}
