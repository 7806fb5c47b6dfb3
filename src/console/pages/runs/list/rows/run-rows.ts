/**
 * The loaded rows of a list of runs: the first page, which is refetched, further pages, and changed runs. While the user has
 * scrolled down, new runs are held back, so that the visible rows do not move.
 */
import type { PresentedRun } from '../../../../../runs/present.ts'

export interface RunPage {
  agentRuns: readonly PresentedRun[]
  pagination: { hasMore: boolean; nextCursor?: string }
}

export interface RunOrder {
  sort: 'createdAt' | 'updatedAt' | 'endedAt'
  order: 'asc' | 'desc'
}

export interface RowsState {
  rows: readonly PresentedRun[]
  /** Number of new runs held back. */
  waiting: number
  /** Cursor of the next page; undefined at the end. */
  cursor: string | undefined
}

/** Rows after the first page that stay while the user is at the top. A list that is left open gets every new run. */
const behindMax = 1_000
const nothing: RowsState = { rows: [], waiting: 0, cursor: undefined }

export class RunRows {
  /** Sorted, so that a place among them is found by bisection. */
  #all: PresentedRun[] = []
  #known = new Map<string, PresentedRun>()
  #cursor: string | undefined
  /** The first visible row while new ones are held back. */
  #anchor: string | undefined
  #state = nothing
  readonly #watchers = new Set<() => void>()

  constructor(private readonly by: RunOrder) {}

  get state(): RowsState {
    return this.#state
  }

  readonly subscribe = (changed: () => void): (() => void) => {
    this.#watchers.add(changed)
    return () => void this.#watchers.delete(changed)
  }

  /** Replaces the first page. Later rows stay, unless there is a gap between them and the page, or they are too many. */
  takeFirst({ agentRuns, pagination }: RunPage): void {
    const last = agentRuns.at(-1)
    const first = this.#all[0]
    const isApart = !last || !first || this.#compare(last, first) < 0
    if (!pagination.hasMore || isApart) {
      this.#all = [...agentRuns]
      this.#cursor = pagination.hasMore ? pagination.nextCursor : undefined
    } else {
      const now = new Set(agentRuns.map(({ id }) => id))
      const later = this.#all.slice(this.#placeOf(last)).filter(({ id }) => !now.has(id))
      const behind = this.#anchor === undefined && later.length > behindMax ? [] : later
      if (behind.length === 0) this.#cursor = pagination.nextCursor
      this.#all = [...agentRuns, ...behind]
    }
    this.#known = new Map(this.#all.map((run) => [run.id, run]))
    this.#notify()
  }

  /** Appends the next page. */
  append({ agentRuns, pagination }: RunPage): void {
    const fresh = agentRuns.filter(({ id }) => !this.#known.has(id))
    this.#all = this.#all.concat(fresh)
    for (const run of fresh) this.#known.set(run.id, run)
    this.#cursor = pagination.hasMore ? pagination.nextCursor : undefined
    this.#notify()
  }

  /** Updates the requested runs: `found` are in the list, the others are not or no longer. */
  update(asked: readonly string[], found: readonly PresentedRun[]): void {
    const end = this.#all.at(-1)
    const isLoaded = (run: PresentedRun) => this.#cursor === undefined || !end || this.#compare(run, end) < 0
    const now = found.filter((run) => this.#known.has(run.id) || isLoaded(run))
    const all = [...this.#all]
    for (const id of asked) {
      const known = this.#known.get(id)
      if (!known) continue
      const place = this.#placeOf(known, all)
      all.splice(all[place] === known ? place : all.indexOf(known), 1)
      this.#known.delete(id)
    }
    for (const run of now) {
      all.splice(this.#placeOf(run, all), 0, run)
      this.#known.set(run.id, run)
    }
    this.#all = all
    this.#notify()
  }

  /** Whether the user has scrolled down from the top. */
  readBelow(isBelow: boolean): void {
    if (isBelow === (this.#anchor !== undefined)) return
    this.#anchor = isBelow ? this.#all[0]?.id : undefined
    if (this.#state.waiting > 0) this.#notify()
  }

  #compare(one: PresentedRun, other: PresentedRun): number {
    const sign = this.by.order === 'asc' ? 1 : -1
    const { sort } = this.by
    const [first, second] = sort === 'createdAt' ? ['', ''] : [one[sort] ?? '', other[sort] ?? '']
    if (first !== second) return first < second ? -sign : sign
    return one.id === other.id ? 0 : one.id < other.id ? -sign : sign
  }

  /** Where the run is, or would be. */
  #placeOf(run: PresentedRun, all: readonly PresentedRun[] = this.#all): number {
    let [from, to] = [0, all.length]
    while (from < to) {
      const middle = (from + to) >>> 1
      if (this.#compare(all[middle] as PresentedRun, run) < 0) from = middle + 1
      else to = middle
    }
    return from
  }

  #notify(): void {
    const anchor = this.#anchor === undefined ? undefined : this.#known.get(this.#anchor)
    const waiting = anchor ? this.#placeOf(anchor) : 0
    // the first visible row was removed: the next one replaces it
    if (this.#anchor !== undefined && !anchor) this.#anchor = this.#all[0]?.id
    this.#state = { rows: waiting > 0 ? this.#all.slice(waiting) : this.#all, waiting, cursor: this.#cursor }
    for (const changed of this.#watchers) changed()
  }
}
