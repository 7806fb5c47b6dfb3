/**
 * Streams an actor's journal as server-sent events. The journal itself is the queue: the reader gets further entries
 * after it has consumed the earlier ones, so a slow reader costs no memory and misses nothing. Source: contract 9.
 */
import { listTransitions } from '../../../../storage/runtime/journal.ts'
import { revokedEvent } from '../../../platform/http/guard/open-stream.ts'
import { type PendingTimer, presentTransition, type Transition } from '../../transition.ts'
import type { Lookups } from '../lookups.ts'
import { listPendingTimers } from './view.ts'
import type { Watch } from './watch.ts'

/** The most journal entries in one read. */
const pageSize = 100
/** The interval of keep-alives in a quiet stream. */
const keepAliveMs = 5_000
/** The delay before a reader reconnects. */
const reconnectMs = 2_000

/** The starting position of a stream. */
interface Beginning {
  /** The last transition that the reader has. */
  sequence: number
  /** The current position of the actor. */
  state: string
  /** Sent first, to a reader without a position. */
  snapshot?: unknown
}

/** A transition as the stream shows it. */
export interface StreamedMove extends Transition {
  nextEvents: string[]
  timers: PendingTimer[]
}

/** The part of a transition that a reader may see. */
export type ShowMove = (move: StreamedMove) => unknown

const all: ShowMove = (move) => move

type Woken = 'news' | 'quiet' | 'stopped'

const frame = (event: string, id: number, data: unknown) =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`

class Follower {
  readonly #watch: Watch
  readonly #id: string
  #sequence: number
  #state: string
  #lookups: Lookups | undefined
  #opening: string | undefined
  /** Whether the journal may have entries after `#sequence`. */
  #behind = true
  #watching: { end(): void } | undefined
  #wake: ((woken: Woken) => void) | undefined
  /** The time of the last message; epoch milliseconds. */
  #saidAt: number
  #stopped = false
  #ended = false
  #revoked = false
  readonly #onStop: () => void
  readonly #show: ShowMove

  constructor(watch: Watch, id: string, { sequence, state, snapshot }: Beginning, onStop: () => void, show: ShowMove) {
    this.#watch = watch
    this.#saidAt = watch.parts.clock.now()
    this.#onStop = onStop
    this.#show = show
    this.#id = id
    this.#sequence = sequence
    this.#state = state
    this.#opening = `retry: ${reconnectMs}\n\n`
    if (snapshot !== undefined) this.#opening += frame('actor.snapshot', sequence, snapshot)
  }

  /** The next message, awaited; undefined at the end. */
  async next(): Promise<string | undefined> {
    if (this.#stopped) return this.#farewell()
    this.#subscribe()
    if (this.#opening !== undefined) {
      const opening = this.#opening
      this.#opening = undefined
      return opening
    }
    while (!this.#stopped) {
      if (this.#behind) {
        const frames = await this.#read()
        if (frames !== '' && !this.#revoked) {
          this.#saidAt = this.#watch.parts.clock.now()
          return frames
        }
        // the reader may have left meanwhile, or there may be new entries
        continue
      }
      if (this.#lookups?.isTerminal(this.#state)) {
        this.#ended = true
        this.stop()
        return frame('end', this.#sequence, { sequence: this.#sequence, state: this.#state })
      }
      if ((await this.#rest()) !== 'quiet') continue
      this.#saidAt = this.#watch.parts.clock.now()
      return ': keep-alive\n\n'
    }
    return this.#farewell()
  }

  stop() {
    if (this.#stopped) return
    this.#stopped = true
    this.#watching?.end()
    this.#wake?.('stopped')
    this.#onStop()
  }

  /** Ends the stream at once: the reader has lost its access, or the actor was deleted. */
  revoke() {
    if (this.#stopped) return
    this.#revoked = true
    this.stop()
  }

  /** The last message of a stopped stream: none, unless it was revoked. */
  #farewell(): string | undefined {
    if (!this.#revoked) return undefined
    this.#ended = true
    return revokedEvent(this.#watch.parts.clock.now())
  }

  /** Whether `end` was the last message. */
  get ended() {
    return this.#ended
  }

  #subscribe() {
    if (this.#watching) return
    const { actors } = this.#watch.parts
    const address = { kind: this.#watch.kind, id: this.#id }
    const news = () => {
      this.#behind = true
      this.#wake?.('news')
    }
    const unsubscribe = actors.subscribe(address, ({ moves }) => {
      if (moves.some(({ sequence }) => sequence !== null)) news()
    })
    const elsewhere = actors.subscribeElsewhere(address, news)
    // commits before the subscription are found by the following read
    void elsewhere.ready.then(news)
    this.#watching = {
      end() {
        unsubscribe()
        elsewhere.end()
      },
    }
  }

  async #read(): Promise<string> {
    // before the read, so that notifications during it are not missed
    this.#behind = false
    const { store } = this.#watch.parts
    // with the last entry that the reader has: a journal without it and without later ones was deleted with its actor
    const given = { kind: this.#watch.kind, actorId: this.#id, after: this.#sequence - 1, limit: pageSize + 1 }
    const found = await listTransitions(store, given)
    if (found.length === 0 && this.#sequence > 0) {
      this.revoke()
      return ''
    }
    const rows = found.filter(({ sequence }) => sequence > this.#sequence)
    // after the entries, so that their states are in the known statechart, or a notification is pending
    const lookups = await this.#watch.lookupsNow(this.#id)
    this.#lookups = lookups
    const last = rows.at(-1)
    if (!last) return ''
    if (found.length > pageSize) this.#behind = true
    // deadlines end with their state, so only the current state can have running ones
    const timers = this.#behind ? [] : await listPendingTimers(this.#watch, lookups, this.#id, last.to_state)
    this.#sequence = last.sequence
    this.#state = last.to_state
    return rows
      .map((row) =>
        frame(
          'actor.transition',
          row.sequence,
          this.#show({
            ...presentTransition(row),
            nextEvents: lookups.nextEvents(row.to_state),
            timers: row === last ? timers : [],
          }),
        ),
      )
      .join('')
  }

  /** Waits until there are new entries, a keep-alive is due, or the stream is stopped. */
  #rest(): Promise<Woken> {
    return new Promise((resolve) => {
      const { clock } = this.#watch.parts
      const quietMs = Math.max(0, keepAliveMs - (clock.now() - this.#saidAt))
      const timer = clock.after(quietMs, () => this.#wake?.('quiet'))
      this.#wake = (woken) => {
        this.#wake = undefined
        timer.cancel()
        resolve(woken)
      }
    })
  }
}

/** Calls back once the signal fires, also if it has fired before. */
function when(signal: AbortSignal | undefined, callback: () => void): void {
  if (signal?.aborted) callback()
  else signal?.addEventListener('abort', callback, { once: true })
}

/** The signals that end a stream from outside, and a callback for its end. */
interface FollowOptions {
  /** The reader has gone. */
  gone?: AbortSignal
  /** The reader has lost its access. */
  revoked?: AbortSignal
  onStop?: () => void
  /** Omitted: all of each transition. */
  show?: ShowMove
}

/** The stream from its starting position; it ends after the actor has reached a final state. */
export function followActor(
  watch: Watch,
  id: string,
  beginning: Beginning,
  { gone, revoked, onStop = () => {}, show = all }: FollowOptions = {},
): ReadableStream<Uint8Array> {
  const follower = new Follower(watch, id, beginning, onStop, show)
  when(gone, () => follower.stop())
  when(revoked, () => follower.revoke())
  const encoder = new TextEncoder()
  let canceled = false
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const frames = await follower.next()
          if (canceled || frames === undefined) return
          controller.enqueue(encoder.encode(frames))
          if (follower.ended) controller.close()
        } catch (error) {
          follower.stop()
          watch.parts.onError(error, `a stream of ${watch.kind}`)
          // interrupted, not ended: the reader reconnects for the rest
          throw error
        }
      },
      cancel() {
        canceled = true
        follower.stop()
      },
    },
    { highWaterMark: 0 },
  )
}
