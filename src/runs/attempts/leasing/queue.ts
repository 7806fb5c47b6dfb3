/**
 * The queue of runs that wait for a runner. The store is the queue; what is in memory is a bounded window onto it: one
 * line of runs for each organization, fed by hints when a run is queued, and by the store where hints may be missing: at
 * start, after an overflow, at the end of a back-off, and now and then. Oldest first within an organization,
 * organizations in turn. Whoever asks may have the runs of one organization only; the runs of an exclusive one are for
 * nobody else. Source: contract 5, "Precise points".
 */
import { nextAvailable, nextQueuedOrganization, queuedOf } from '../../../../storage/runs/run-queue.ts'
import type { Store } from '../../../../storage/store.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { Waiters } from './waiters.ts'

/** Runs in the window: of all organizations, and of one while there are few of them. */
const windowMax = 10_000
const lineMax = 1_000
const sweepMs = 5_000
/** Runs whose back-off ends close together are fetched together. */
const wakeStepMs = 10

/** The runs of one organization, oldest first. */
interface OrganizationQueue {
  runs: string[]
  /** Whether the store may hold runs that are not here. What is newer has to wait for them. */
  partial: boolean
  reading: boolean
  /** A hint came while the line was partial: another look is needed. */
  missed: boolean
}

export class RunQueue {
  /** By organization. */
  readonly #queues = new Map<string, OrganizationQueue>()
  /** The organizations whose runs are for everybody, in the order in which they take turns. */
  readonly #turns = new Set<string>()
  readonly #known = new Set<string>()
  /** Handed out, and perhaps still queued in the store. */
  readonly #taken = new Set<string>()
  readonly #waiters: Waiters
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
    /** Whether the runs of the organization are only for those who ask for it by name. */
    private readonly isExclusive: (organizationId: string) => boolean = () => false,
  ) {
    this.#waiters = new Waiters(clock)
  }

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
    this.#waiters.close()
  }

  /** A run was queued, to be leased from then on. */
  offer(runId: string, organizationId: string, availableAt: number) {
    if (availableAt > this.clock.now()) this.#wakeAt(organizationId, availableAt)
    else this.#add(organizationId, runId)
    this.#serve(organizationId)
  }

  /** The organization has become exclusive, or is so no longer. */
  reassign(organizationId: string) {
    if (this.isExclusive(organizationId)) this.#turns.delete(organizationId)
    else if (this.#queues.has(organizationId)) this.#turns.add(organizationId)
    this.#serve(organizationId)
  }

  /**
   * The next run, or with `only` the next one of that organization; null when there is none within the time. Whoever takes
   * it says how that went: `settle`, `giveBack`.
   */
  take(waitMs: number, signal?: AbortSignal, only: string | null = null): Promise<string | null> | string | null {
    if (this.#closed || signal?.aborted) return null
    return this.#next(only) ?? this.#waiters.wait(only, waitMs, signal)
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
    this.#serve(organizationId)
  }

  /** Runs in the window. */
  get size() {
    return this.#known.size
  }

  /** What one organization may have in the window. */
  get #share() {
    return Math.max(1, Math.min(lineMax, Math.floor(windowMax / Math.max(1, this.#queues.size))))
  }

  #lineOf(organizationId: string): OrganizationQueue {
    let line = this.#queues.get(organizationId)
    if (!line) {
      line = { runs: [], partial: false, reading: false, missed: false }
      this.#queues.set(organizationId, line)
      if (!this.isExclusive(organizationId)) this.#turns.add(organizationId)
    }
    return line
  }

  #forget(organizationId: string) {
    this.#queues.delete(organizationId)
    this.#turns.delete(organizationId)
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

  #next(only: string | null): string | undefined {
    if (only !== null) return this.#shift(only)
    for (const organizationId of this.#turns) {
      const runId = this.#shift(organizationId)
      if (runId === undefined) continue
      // The organization goes to the end of the row.
      if (this.#turns.delete(organizationId) && this.#queues.has(organizationId)) this.#turns.add(organizationId)
      return runId
    }
    return undefined
  }

  /** The oldest run of an organization. */
  #shift(organizationId: string): string | undefined {
    const line = this.#queues.get(organizationId)
    const runId = line?.runs.shift()
    if (!line || runId === undefined) return undefined
    this.#known.delete(runId)
    this.#taken.add(runId)
    if (line.runs.length > 0) return runId
    if (line.partial) void this.#read(organizationId)
    else if (!line.reading) this.#forget(organizationId)
    return runId
  }

  /** Hands out what there is: of the organization to those who wait for it by name, then to the others. */
  #serve(organizationId: string) {
    this.#waiters.serve(organizationId, () => this.#shift(organizationId))
    this.#waiters.serve(null, () => this.#next(null))
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
    else if (line.runs.length === 0 && !line.partial) this.#forget(organizationId)
    this.#serve(organizationId)
  }

  /** The stored ones first, in their order; a hint that came while they were read is newer than all of them. */
  #merge(line: OrganizationQueue, stored: string[], isPage: boolean) {
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
