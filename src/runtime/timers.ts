/** Durable timers: rows that become events when due, across restarts. */
import { dueRunTimers, dueTimers, listTimers, nextRunTimer, nextTimer } from '../../storage/runtime/actors.ts'
import type { Store } from '../../storage/store.ts'
import { ApiError } from '../platform/http/answers/errors.ts'
import type { Clock } from '../platform/time/clock.ts'
import { fewAtOnce } from '../platform/time/few-at-once.ts'
import { Poller } from '../platform/time/poller.ts'
import type { Address } from './kind.ts'
import { lookAgainMs, slotsOf, type WorkShare } from './work-share.ts'

const batchSize = 200
/** The delay after a failure of the store or of a timer; doubles up to `restMs`. */
const retryMs = 1_000
/** The maximum time between two queries, and between two tries. */
const restMs = 60_000

interface Due {
  kind: string
  actor_id: string
  name: string
}
const keyOf = ({ kind, actor_id, name }: Due) => `${kind}/${actor_id}/${name}`

/** The due times of the actor's timers that are due now, by name. */
export async function dueTimersOf(
  store: Store,
  { kind, id: actorId }: Address,
  now: number,
): Promise<ReadonlyMap<string, number>> {
  const timers = await store.all(listTimers(store, { kind, actorId }))
  return new Map(timers.filter(({ due_at }) => due_at <= now).map(({ name, due_at }) => [name, due_at]))
}

interface TimersParts {
  store: Store
  clock: Clock
  /** Determines whose timers this server fires. */
  share: WorkShare
  fire(address: Address, name: string): Promise<unknown>
  onError(error: unknown, what: string): void
}

export class TimerService {
  readonly #poller: Poller
  /** Timers that failed, for instance because of a corrupt snapshot; they do not delay others. */
  readonly #failing = new Map<string, { attempts: number; retryAt: number }>()

  #unsubscribe = () => {}

  constructor(private readonly parts: TimersParts) {
    this.#poller = new Poller(parts.clock, () => this.#fireDue())
  }

  /** Fires overdue timers, then waits for the next one. */
  start(): Promise<void> {
    this.#unsubscribe = this.parts.share.onChange(() => void this.#poller.now())
    return this.#poller.start()
  }

  /** Fires no more timers; resolves once those in progress have ended. */
  stop(): Promise<void> {
    this.#unsubscribe()
    return this.#poller.stop()
  }

  /** A timer with this due time was stored. */
  expect(dueAt: number) {
    this.#poller.expect(dueAt)
  }

  /**
   * The due time of the earliest timer, past or future; undefined if there are no timers. Throws `StoreUnavailable`.
   */
  async dueSince(): Promise<number | undefined> {
    const { store, share } = this.parts
    const slots = slotsOf(share)
    const next = await Promise.all([
      store.first(nextTimer(store, { slots })),
      store.first(nextRunTimer(store, { slots })),
    ])
    const times = next.flatMap((timer) => (timer ? [timer.due_at] : []))
    return times.length === 0 ? undefined : Math.min(...times)
  }

  /** Fires all due timers. Returns the time of the next query. */
  async #fireDue(): Promise<number> {
    const { store, clock, share } = this.parts
    try {
      for (;;) {
        const now = clock.now()
        const slots = slotsOf(share)
        const limit = batchSize + this.#failing.size
        const [ofOthers, ofRuns] = await Promise.all([
          store.all(dueTimers(store, { now, limit, slots })),
          store.all(dueRunTimers(store, { now, limit, slots })),
        ])
        const due: Due[] = [...ofOthers, ...ofRuns]
        this.#forgetGone(due)
        const patient = due.filter((timer) => (this.#failing.get(keyOf(timer))?.retryAt ?? now) <= now)
        const served = await fewAtOnce(patient, (timer) => this.#fire(timer))
        if (served.includes(false)) return this.parts.clock.now() + retryMs
        if (Math.max(ofOthers.length, ofRuns.length) === limit && this.#poller.running) continue
        if (this.#failing.size > 0) return this.parts.clock.now() + retryMs
        const next = await this.dueSince()
        return Math.min(clock.now() + lookAgainMs(share, restMs), next ?? Number.POSITIVE_INFINITY)
      }
    } catch (error) {
      this.parts.onError(error, 'the timers')
      return this.parts.clock.now() + retryMs
    }
  }

  /** false if the store is unavailable, which affects all timers. */
  async #fire(timer: Due): Promise<boolean> {
    const key = keyOf(timer)
    try {
      await this.parts.fire({ kind: timer.kind, id: timer.actor_id }, timer.name)
      this.#failing.delete(key)
      return true
    } catch (error) {
      this.parts.onError(error, `the timer ${timer.name} of ${timer.kind}`)
      if (error instanceof ApiError && error.code === 'store_unavailable') return false
      const attempts = (this.#failing.get(key)?.attempts ?? 0) + 1
      const retryAt = this.parts.clock.now() + Math.min(restMs, retryMs * 2 ** (attempts - 1))
      this.#failing.set(key, { attempts, retryAt })
      return true
    }
  }

  /** Failing timers are among the oldest; a timer that is missing here has ended. */
  #forgetGone(due: readonly Due[]) {
    if (this.#failing.size === 0) return
    const there = new Set(due.map(keyOf))
    for (const key of this.#failing.keys()) if (!there.has(key)) this.#failing.delete(key)
  }
}
