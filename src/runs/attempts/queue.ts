/**
 * The queue of runs that wait for a runner. The store is the queue; what is in memory is a bounded window onto it: one
 * line of runs for each organization, fed by hints when a run is queued, and by the store where hints may be missing: at
 * start, after an overflow, at the end of a back-off, and now and then. Oldest first within an organization,
 * organizations in turn. Source: contract 5, "Precise points".
 */
import { nextAvailable, nextQueuedOrganization, queuedOf } from '../../../storage/run-queue.ts'
import type { Store } from '../../../storage/store.ts'
import type { Clock } from '../../runtime/clock.ts'

/** Runs in the window: of all organizations, and of one while there are few of them. */
const windowMax = 10_000
const lineMax = 1_000
const sweepMs = 5_000
/** Runs whose back-off ends close together are fetched together. */
const wakeStepMs = 10

/** The runs of one organization, oldest first. */
interface Line {
  runs: string[]
  /** Whether the store may hold runs that are not here. What is newer has to wait for them. */
  partial: boolean
  reading: boolean
  /** A hint came while the line was partial: another look is needed. */
  missed: boolean
}

interface Waiter {
  resolve(runId: string | null): void
  end(): void
}

export class RunQueue {
  /** By organization, in the order in which they take turns. */
  readonly #lines = new Map<string, Line>()
  readonly #known = new Set<string>()
  /** Handed out, and perhaps still queued in the store. */
  readonly #taken = new Set<string>()
  readonly #waiters: Waiter[] = []
  /** By organization, when the next back-off of one of its runs ends. */
  readonly #wakes = new Map<string, number>()
  #wake: { at: number; timer: { cancel(): void } } | undefined
  #sweep: { cancel(): void } | undefined
  #surveying = false
  #closed = false

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly onError: (error: unknown, what: string) => void,
  ) {}

  /** Fetches what is queued, and looks again now and then: a hint can be lost with the process that gave it. */
  start() {
    void this.#survey()
    this.#sweep = this.clock.after(sweepMs, () => {
      if (!this.#closed) this.start()
    })
  }

  /** Hands out nothing more; whoever waits hears that there is nothing. */
  close() {
    this.#closed = true
    this.#sweep?.cancel()
    this.#wake?.timer.cancel()
    for (const waiter of this.#waiters.splice(0)) this.#answer(waiter, null)
  }

  /** A run was queued, to be leased from then on. */
  offer(runId: string, organizationId: string, availableAt: number) {
    if (availableAt > this.clock.now()) this.#wakeAt(organizationId, availableAt)
    else this.#add(organizationId, runId)
    this.#serve()
  }

  /** The next run; null when there is none within the time. Whoever takes it says how that went: `settle`, `giveBack`. */
  take(waitMs: number, signal?: AbortSignal): Promise<string | null> | string | null {
    if (this.#closed || signal?.aborted) return null
    const runId = this.#shift()
    if (runId !== undefined) return runId
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
    })
  }

  /** A run that was taken has been leased, or is no longer to be. */
  settle(runId: string) {
    this.#taken.delete(runId)
  }

  /** A run that was taken could not be leased now: it is the first of its organization again. */
  giveBack(runId: string, organizationId: string) {
    this.#taken.delete(runId)
    if (!this.#known.has(runId)) {
      this.#known.add(runId)
      this.#lineOf(organizationId).runs.unshift(runId)
    }
    this.#serve()
  }

  /** Runs in the window. */
  get size() {
    return this.#known.size
  }

  /** What one organization may have in the window. */
  get #share() {
    return Math.max(1, Math.min(lineMax, Math.floor(windowMax / Math.max(1, this.#lines.size))))
  }

  #lineOf(organizationId: string): Line {
    let line = this.#lines.get(organizationId)
    if (!line) {
      line = { runs: [], partial: false, reading: false, missed: false }
      this.#lines.set(organizationId, line)
    }
    return line
  }

  #add(organizationId: string, runId: string) {
    if (this.#known.has(runId) || this.#taken.has(runId)) return
    const line = this.#lineOf(organizationId)
    if (!line.partial && line.runs.length < this.#share) {
      this.#known.add(runId)
      line.runs.push(runId)
      return
    }
    line.partial = true
    line.missed = true
    if (line.runs.length === 0) void this.#read(organizationId)
  }

  #shift(): string | undefined {
    for (const [organizationId, line] of this.#lines) {
      const runId = line.runs.shift()
      if (runId === undefined) continue
      // The organization goes to the end of the row.
      this.#lines.delete(organizationId)
      if (line.runs.length > 0 || line.partial || line.reading) this.#lines.set(organizationId, line)
      this.#known.delete(runId)
      this.#taken.add(runId)
      if (line.partial && line.runs.length === 0) void this.#read(organizationId)
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
  }

  #answer(waiter: Waiter, runId: string | null) {
    waiter.end()
    waiter.resolve(runId)
  }

  /** Reads the lines of all organizations that have queued runs. */
  async #survey() {
    if (this.#surveying) return
    this.#surveying = true
    try {
      for (let after = ''; !this.#closed; ) {
        const next = await this.store.first(nextQueuedOrganization(this.store, { after }))
        if (!next) break
        after = next.organization_id
        await this.#read(after)
      }
    } catch (error) {
      this.onError(error, 'the run queue')
    } finally {
      this.#surveying = false
    }
  }

  /** Brings the line of an organization in accord with the store. Never throws; after a failure the next sweep tries. */
  async #read(organizationId: string) {
    const line = this.#lineOf(organizationId)
    line.missed ||= line.reading
    if (line.reading || this.#closed) return
    line.reading = true
    line.missed = false
    try {
      const now = this.clock.now()
      // Runs that are handed out may still be queued in the store; they must not hide those behind them.
      const limit = this.#share + this.#taken.size
      const found = await this.store.all(queuedOf(this.store, { organizationId, now, limit }))
      this.#merge(
        line,
        found.map(({ id }) => id),
        found.length === limit,
      )
      const later = await this.store.first(nextAvailable(this.store, { organizationId, now }))
      if (later) this.#wakeAt(organizationId, later.available_at)
    } catch (error) {
      this.onError(error, 'the run queue')
      line.partial = true
      line.missed = false
    }
    line.reading = false
    if (line.missed && line.runs.length === 0) void this.#read(organizationId)
    else if (line.runs.length === 0 && !line.partial) this.#lines.delete(organizationId)
    this.#serve()
  }

  /** The stored ones first, in their order; a hint that came while they were read is newer than all of them. */
  #merge(line: Line, stored: string[], isPage: boolean) {
    const first = new Set(stored.filter((runId) => !this.#taken.has(runId)))
    const runs = [...first, ...line.runs.filter((runId) => !first.has(runId))]
    for (const runId of line.runs) this.#known.delete(runId)
    line.runs = runs.slice(0, this.#share)
    for (const runId of line.runs) this.#known.add(runId)
    line.partial = isPage || line.missed || line.runs.length < runs.length
  }

  #wakeAt(organizationId: string, availableAt: number) {
    if (this.#closed) return
    const at = Math.max(availableAt, this.clock.now() + wakeStepMs)
    if (at < (this.#wakes.get(organizationId) ?? Number.POSITIVE_INFINITY)) this.#wakes.set(organizationId, at)
    if (this.#wake && this.#wake.at <= at) return
    this.#wake?.timer.cancel()
    this.#wake = { at, timer: this.clock.after(at - this.clock.now(), () => this.#wakeUp()) }
  }

  #wakeUp() {
    this.#wake = undefined
    const now = this.clock.now()
    const wakes = [...this.#wakes]
    this.#wakes.clear()
    for (const [organizationId, at] of wakes) {
      if (at <= now) void this.#read(organizationId)
      else this.#wakeAt(organizationId, at)
    }
  }
}
