/**
 * Follows an Environment's event history from its last events, or the oldest retained one, polling from the last
 * cursor. Failed requests are retried; an expired cursor is reported as a gap. Source: requirement 4.12; contract 7.
 */
import type { Event } from '../../../events/history/schema.ts'
import { type ApiFailure, failureOf, isAbort } from '../../api/failure.ts'
import { backOffMs, pause, untilSeen } from '../../data/pause.ts'

export interface EventsBody {
  events: Event[]
  pagination: { hasMore: boolean; nextCursor?: string; resumeCursor: string }
}

export type ReadEvents = (query: { limit: number } & Start, signal: AbortSignal) => Promise<EventsBody>

/**
 * `reading`: catching up. `live`: caught up. `lost`: no response, retrying. `more`: many events left, the user decides.
 * `paused`. `gap`: unread events have expired. `refused`: see `failure`.
 */
export type TailState = 'reading' | 'live' | 'lost' | 'more' | 'paused' | 'gap' | 'refused'

export interface Tail {
  state: TailState
  /** Newest last. */
  events: readonly Event[]
  failure: ApiFailure | undefined
  /** Oldest retained event, in a gap. */
  oldestSequence: number | undefined
  /** Whether there may be retained events before the first one. */
  hasEarlier: boolean
}

interface Start {
  cursor?: string
  last?: number
}

interface TailOptions {
  read: ReadEvents
  pollMs?: number
}

const pageSize = 100
/** Pages read before asking the user. */
const pagesMax = 20
/** The events that are read at first. */
const lastEvents = pageSize * pagesMax
/** Events kept on screen. */
export const eventsMax = 5_000

export class HistoryTail {
  #tail: Tail = { state: 'reading', events: [], failure: undefined, oldestSequence: undefined, hasEarlier: false }
  readonly #watchers = new Set<() => void>()
  readonly #options: Required<TailOptions>
  /** Where the next read begins. */
  #start: Start = { last: lastEvents }
  /** Whether the last events are being read. */
  #isLookingBack = true
  #reading: AbortController | undefined

  constructor({ read, pollMs = 2_000 }: TailOptions) {
    this.#options = { read, pollMs }
  }

  get tail(): Tail {
    return this.#tail
  }

  subscribe = (changed: () => void): (() => void) => {
    this.#watchers.add(changed)
    return () => this.#watchers.delete(changed)
  }

  /** Continues after the last cursor. */
  start(): void {
    this.#reading?.abort()
    this.#reading = new AbortController()
    this.#set({ state: 'reading', failure: undefined, oldestSequence: undefined })
    void this.#follow(this.#reading.signal)
  }

  stop(): void {
    this.#reading?.abort()
    this.#reading = undefined
  }

  pause(): void {
    this.stop()
    this.#set({ state: 'paused' })
  }

  /** Restarts from a cursor, or from the oldest retained event. */
  startFrom(cursor: string | undefined): void {
    this.#restart(cursor === undefined ? {} : { cursor }, false)
  }

  /** Restarts from the last events. */
  startFromEnd(): void {
    this.#restart({ last: lastEvents }, true)
  }

  #restart(start: Start, isLookingBack: boolean): void {
    this.#start = start
    this.#isLookingBack = isLookingBack
    this.#set({ events: [], hasEarlier: false })
    this.start()
  }

  async #follow(signal: AbortSignal): Promise<void> {
    let pages = 0
    let failures = 0
    while (!signal.aborted) {
      try {
        const query = { limit: pageSize, ...this.#start }
        const { events, pagination } = await this.#options.read(query, signal)
        if (signal.aborted) return
        failures = 0
        this.#take(events, pagination)
        if (pagination.hasMore && ++pages >= pagesMax) return this.#set({ state: 'more' })
        if (pagination.hasMore) continue
        pages = 0
        if (this.#tail.state !== 'live') this.#set({ state: 'live', failure: undefined })
        await pause(this.#options.pollMs, signal)
        await untilSeen(signal)
      } catch (thrown) {
        if (signal.aborted || isAbort(thrown)) return
        const failure = failureOf(thrown)
        if (failure.code === 'cursor_expired')
          return this.#set({ state: 'gap', oldestSequence: Number(failure.details.oldestSequence) })
        if (!failure.isPassing && failure.status !== 401) return this.#set({ state: 'refused', failure })
        this.#set({ state: 'lost', failure })
        await pause(backOffMs(this.#options.pollMs, failures++), signal)
        await untilSeen(signal)
      }
    }
  }

  #take(events: Event[], { hasMore, nextCursor, resumeCursor }: EventsBody['pagination']): void {
    this.#start = { cursor: (hasMore && nextCursor) || resumeCursor }
    if (events.length > 0) this.#set({ events: [...this.#tail.events, ...events].slice(-eventsMax) })
    const [first] = this.#tail.events
    if (this.#isLookingBack && this.#tail.events.length >= lastEvents && first && first.sequence > 1)
      this.#set({ hasEarlier: true })
    if (!hasMore) this.#isLookingBack = false
  }

  #set(change: Partial<Tail>): void {
    this.#tail = { ...this.#tail, ...change }
    for (const changed of this.#watchers) changed()
  }
}
