/**
 * The queue of runs that wait for a runner. The store holds the queue; memory holds a bounded window of it, one queue
 * per organization. The window is filled by hints when runs are queued, and from the store where hints may be missing:
 * at start, after an overflow, at the end of a back-off, and periodically. Runs are taken oldest first within an
 * organization, and organizations in turn. A request may be limited to one organization; runs of an exclusive
 * organization are offered only to such requests. Source: contract 5, "Precise points".
 */
import { nextAvailable, nextQueuedOrganization, queuedOf } from '../../../../storage/runs/run-queue.ts'
import type { Store } from '../../../../storage/store.ts'
import type { Members } from '../../../platform/members/members.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { type TakesRunsOf, Waiters } from './waiters.ts'

/** The maximum number of runs in the window, for all organizations. */
const windowMax = 10_000
const lineMax = 1_000
const sweepMs = 5_000
/** The interval while hints of other servers do not arrive. */
const unheardSweepMs = 1_000
/** Runs whose back-offs end within this time are fetched together. */
const wakeStepMs = 10

/** The runs of one organization, oldest first. */
interface OrganizationQueue {
  runs: string[]
  /** Whether the store may contain runs that are not in memory. Newer hints must wait for those. */
  partial: boolean
  reading: boolean
  /** A hint arrived while the queue was partial: read it again. */
  missed: boolean
}

interface RunQueueParts {
  store: Store
  clock: Clock
  /**
   * The servers of the store, which all take runs from the queue, each beginning with its own slots; omitted: only one.
   */
  members?: Pick<Members, 'owns' | 'living'>
  onError(error: unknown, what: string): void
  /** Whether the organization's runs are offered only to requests for that organization; omitted: none are. */
  isExclusive?(organizationId: string): boolean
  /** Whether hints of other servers arrive; omitted: there are no other servers. */
  isHearing?(): boolean
}

export class RunQueue {
  /** Queues by organization. */
  readonly #queues = new Map<string, OrganizationQueue>()
  /** Non-exclusive organizations, in round-robin order. */
  readonly #turns = new Set<string>()
  readonly #known = new Set<string>()
  /** Runs handed out that may still be queued in the store. */
  readonly #taken = new Set<string>()
  readonly #waiters: Waiters
  /** The end of the next back-off, by organization. */
  readonly #wakes = new Map<string, number>()
  #wake: { at: number; timer: { cancel(): void } } | undefined
  #sweep: { cancel(): void } | undefined
  #surveying = false
  #closed = false

  constructor(private readonly parts: RunQueueParts) {
    this.#waiters = new Waiters(parts.clock)
  }

  /** Reads the queue from the store, then periodically, because hints are lost with their process. */
  start() {
    void this.#survey()
    const { clock, isHearing = () => true } = this.parts
    this.#sweep = clock.after(isHearing() ? sweepMs : unheardSweepMs, () => {
      if (!this.#closed) this.start()
    })
  }

  /** Stops handing out runs; waiting requests get null. */
  close() {
    this.#closed = true
    this.#sweep?.cancel()
    this.#wake?.timer.cancel()
    this.#waiters.close()
  }

  /** A run was queued and may be leased from `availableAt`. */
  offer(runId: string, organizationId: string, availableAt: number) {
    if (availableAt > this.parts.clock.now()) this.#wakeAt(organizationId, availableAt)
    else this.#add(organizationId, runId)
    this.#serve(organizationId)
  }

  /** Another server has queued runs of the organization. */
  look(organizationId: string) {
    void this.#read(organizationId)
  }

  /** Whether the run waits in the window. */
  has(runId: string): boolean {
    return this.#known.has(runId)
  }

  /** The organization's exclusiveness changed. */
  reassign(organizationId: string) {
    if (this.#isExclusive(organizationId)) this.#turns.delete(organizationId)
    else if (this.#queues.has(organizationId)) this.#turns.add(organizationId)
    this.#serve(organizationId)
  }

  /**
   * The next run, with `only` from that organization, or of an organization for which `takesRunsOf` holds; null if there
   * is none in time. The caller must then call `settle` or `giveBack`. When `takesRunsOf` changes, call `serve`.
   */
  take(
    waitMs: number,
    signal?: AbortSignal,
    only: string | null = null,
    takesRunsOf?: TakesRunsOf,
  ): Promise<string | null> | string | null {
    if (this.#closed || signal?.aborted) return null
    return this.#next(only, takesRunsOf) ?? this.#waiters.wait(only, waitMs, { signal, takesRunsOf })
  }

  /** Hands out runs to requests that take runs of more organizations than before. */
  serve() {
    this.#waiters.serve(null, (takesRunsOf) => this.#next(null, takesRunsOf))
  }

  /** The taken run was leased, or is no longer available. */
  settle(runId: string) {
    this.#taken.delete(runId)
  }

  /** The taken run could not be leased now: it becomes the first of its organization again. */
  giveBack(runId: string, organizationId: string) {
    this.#taken.delete(runId)
    if (!this.#known.has(runId)) {
      this.#known.add(runId)
      this.#lineOf(organizationId).runs.unshift(runId)
    }
    this.#serve(organizationId)
  }

  /** The number of runs in the window. */
  get size() {
    return this.#known.size
  }

  /** The window's maximum for one organization. */
  get #share() {
    return Math.max(1, Math.min(lineMax, Math.floor(windowMax / Math.max(1, this.#queues.size))))
  }

  #lineOf(organizationId: string): OrganizationQueue {
    let line = this.#queues.get(organizationId)
    if (!line) {
      line = { runs: [], partial: false, reading: false, missed: false }
      this.#queues.set(organizationId, line)
      if (!this.#isExclusive(organizationId)) this.#turns.add(organizationId)
    }
    return line
  }

  #isExclusive(organizationId: string): boolean {
    return this.parts.isExclusive?.(organizationId) ?? false
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

  #next(only: string | null, takesRunsOf?: TakesRunsOf): string | undefined {
    if (only !== null) return this.#shift(only)
    for (const organizationId of this.#turns) {
      if (takesRunsOf && !takesRunsOf(organizationId)) continue
      const runId = this.#shift(organizationId)
      if (runId === undefined) continue
      // The organization moves to the end of the turn order.
      if (this.#turns.delete(organizationId) && this.#queues.has(organizationId)) this.#turns.add(organizationId)
      return runId
    }
    return undefined
  }

  /** Removes the oldest run of an organization. */
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

  /** Hands out runs of the organization: first to requests for that organization, then to others. */
  #serve(organizationId: string) {
    this.#waiters.serve(organizationId, () => this.#shift(organizationId))
    this.serve()
  }

  /** Reads the queues of all organizations with queued runs. */
  async #survey() {
    if (this.#surveying) return
    this.#surveying = true
    try {
      for (let after = ''; !this.#closed; ) {
        const next = await this.parts.store.first(nextQueuedOrganization(this.parts.store, { after }))
        if (!next) break
        after = next.organization_id
        await this.#read(after)
      }
    } catch (error) {
      this.parts.onError(error, 'the run queue')
    } finally {
      this.#surveying = false
    }
  }

  /** Updates an organization's queue from the store. Never throws; after a failure the next sweep retries. */
  async #read(organizationId: string) {
    const line = this.#lineOf(organizationId)
    line.missed ||= line.reading
    if (line.reading || this.#closed) return
    line.reading = true
    line.missed = false
    try {
      const now = this.parts.clock.now()
      // Runs already handed out may still be queued in the store and must not hide later ones.
      const limit = this.#share + this.#taken.size
      const found = await this.parts.store.all(queuedOf(this.parts.store, { organizationId, now, limit }))
      this.#merge(line, this.#ownFirst(found), found.length === limit)
      const later = await this.parts.store.first(nextAvailable(this.parts.store, { organizationId, now }))
      if (later) this.#wakeAt(organizationId, later.available_at)
    } catch (error) {
      this.parts.onError(error, 'the run queue')
      line.partial = true
      line.missed = false
    }
    line.reading = false
    if (line.missed && line.runs.length === 0) void this.#read(organizationId)
    else if (line.runs.length === 0 && !line.partial) this.#forget(organizationId)
    this.#serve(organizationId)
  }

  /** The runs of own slots first: servers that take runs from the same end of the queue would conflict. */
  #ownFirst(found: readonly { id: string }[]): string[] {
    const { members } = this.parts
    const all = found.map(({ id }) => id)
    if (!members || members.living.size === 1) return all
    return [...all.filter((id) => members.owns(id)), ...all.filter((id) => !members.owns(id))]
  }

  /** Merges stored runs before hints, which are newer if they arrived during the read. */
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
    const at = Math.max(availableAt, this.parts.clock.now() + wakeStepMs)
    if (at < (this.#wakes.get(organizationId) ?? Number.POSITIVE_INFINITY)) this.#wakes.set(organizationId, at)
    if (this.#wake && this.#wake.at <= at) return
    this.#wake?.timer.cancel()
    this.#wake = { at, timer: this.parts.clock.after(at - this.parts.clock.now(), () => this.#wakeUp()) }
  }

  #wakeUp() {
    this.#wake = undefined
    const now = this.parts.clock.now()
    const wakes = [...this.#wakes]
    this.#wakes.clear()
    for (const [organizationId, at] of wakes) {
      if (at <= now) void this.#read(organizationId)
      else this.#wakeAt(organizationId, at)
    }
  }
}
