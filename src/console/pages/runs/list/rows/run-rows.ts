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

const nothing: RowsState = { rows: [], waiting: 0, cursor: undefined }

export class RunRows {
  #all: PresentedRun[] = []
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

  /** Replaces the first page. Later rows stay, unless there is a gap between them and the page. */
  takeFirst({ agentRuns, pagination }: RunPage): void {
    const last = agentRuns.at(-1)
    const first = this.#all[0]
    const isApart = !last || !first || this.#compare(last, first) < 0
    if (!pagination.hasMore || isApart) {
      this.#all = [...agentRuns]
      this.#cursor = pagination.hasMore ? pagination.nextCursor : undefined
    } else {
      const behind = this.#all.filter((run) => this.#compare(run, last) > 0)
      if (behind.length === 0) this.#cursor = pagination.nextCursor
      this.#all = [...agentRuns, ...behind]
    }
    this.#notify()
  }

  /** Appends the next page. */
  append({ agentRuns, pagination }: RunPage): void {
    const known = new Set(this.#all.map(({ id }) => id))
    this.#all = [...this.#all, ...agentRuns.filter(({ id }) => !known.has(id))]
    this.#cursor = pagination.hasMore ? pagination.nextCursor : undefined
    this.#notify()
  }

  /** Updates the requested runs: `found` are in the list, the others are not or no longer. */
  update(asked: readonly string[], found: readonly PresentedRun[]): void {
    const gone = new Set(asked)
    const end = this.#all.at(-1)
    const isLoaded = (run: PresentedRun) => this.#cursor === undefined || !end || this.#compare(run, end) < 0
    const known = new Set(this.#all.map(({ id }) => id))
    const kept = this.#all.filter(({ id }) => !gone.has(id))
    const now = found.filter((run) => known.has(run.id) || isLoaded(run))
    this.#all = [...kept, ...now].sort((one, other) => this.#compare(one, other))
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

  #notify(): void {
    const at = this.#anchor === undefined ? -1 : this.#all.findIndex(({ id }) => id === this.#anchor)
    // the first visible row was removed: the next one replaces it
    if (at === -1 && this.#anchor !== undefined) this.#anchor = this.#all[0]?.id
    const waiting = Math.max(0, at)
    this.#state = { rows: waiting > 0 ? this.#all.slice(waiting) : this.#all, waiting, cursor: this.#cursor }
    for (const changed of this.#watchers) changed()
  }
}
