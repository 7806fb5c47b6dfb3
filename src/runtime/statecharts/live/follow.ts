/**
 * An actor's journal as a live stream of server-sent events. The journal itself is the queue: the reader is handed the
 * next rows when it has taken the ones before, so a slow one costs no memory and misses nothing. Source: contract 9.
 */
import { listTransitions } from '../../../../storage/runtime/actors.ts'
import { revokedEvent } from '../../../platform/http/guard/open-stream.ts'
import { type PendingTimer, presentTransition, type Transition } from '../../transition.ts'
import type { Lookups } from '../lookups.ts'
import { listPendingTimers } from './view.ts'
import type { Watch } from './watch.ts'

/** Rows of the journal in one piece. */
const pageSize = 100
/** How long a quiet stream says nothing. */
const keepAliveMs = 5_000
/** After how long a reader that lost its stream should come back. */
const reconnectMs = 2_000

/** Where a stream begins. */
export interface Beginning {
  /** The last transition that the reader has. */
  sequence: number
  /** Where the actor is now. */
  state: string
  /** Sent first, for a reader that has nothing yet. */
  snapshot?: unknown
}

/** A move as a stream tells of it. */
export interface StreamedMove extends Transition {
  nextEvents: string[]
  timers: PendingTimer[]
}

/** What a reader gets to see of a move. */
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
  /** Whether the journal may hold rows beyond `#sequence`. */
  #behind = true
  #watching: { end(): void } | undefined
  #wake: ((woken: Woken) => void) | undefined
  /** When it last said something; epoch milliseconds. */
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

  /** What comes next; undefined at the end. Waits for it. */
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
        // the reader may have left meanwhile, and news may have come
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

  /** Ends the stream, whatever there is still to be told: the reader may not hear it any more. */
  revoke() {
    if (this.#stopped) return
    this.#revoked = true
    this.stop()
  }

  /** What a stream that was stopped says last: nothing, unless its reader may not hear it any more. */
  #farewell(): string | undefined {
    if (!this.#revoked) return undefined
    this.#ended = true
    return revokedEvent(this.#watch.parts.clock.now())
  }

  /** Whether `end` was the last thing said. */
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
    // what was committed before others are heard is found by the look behind it
    void elsewhere.ready.then(news)
    this.#watching = {
      end() {
        unsubscribe()
        elsewhere.end()
      },
    }
  }

  async #read(): Promise<string> {
    // before the look, so that news that come meanwhile are not missed
    this.#behind = false
    const { store } = this.#watch.parts
    const given = { kind: this.#watch.kind, actorId: this.#id, after: this.#sequence, limit: pageSize }
    const rows = await store.all(listTransitions(store, given))
    // after the rows: whatever they lead to, the statechart has it, or there are news
    const lookups = await this.#watch.lookupsNow(this.#id)
    this.#lookups = lookups
    const last = rows.at(-1)
    if (!last) return ''
    if (rows.length === pageSize) this.#behind = true
    // deadlines end with their state: only where the actor is now can any be running
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

  /** Until there are news, the stream has been quiet for long, or it is stopped. */
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

/** Calls back once the signal fires, also where that was before. */
function when(signal: AbortSignal | undefined, callback: () => void): void {
  if (signal?.aborted) callback()
  else signal?.addEventListener('abort', callback, { once: true })
}

/** What ends a stream from outside, and who is to know when it is over for whatever reason. */
export interface FollowOptions {
  /** The reader has gone. */
  gone?: AbortSignal
  /** The reader may not hear it any more. */
  revoked?: AbortSignal
  onStop?: () => void
  /** All of each move, unless given. */
  show?: ShowMove
}

/** The stream from its beginning on; it ends after the actor reached a state that nothing leaves. */
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
          // broken off, not ended: the reader comes back for the rest
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
