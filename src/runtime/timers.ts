/** Durable timers: rows that become events when due, across restarts. */
import { dueTimers, listTimers, nextTimer } from '../../storage/runtime/actors.ts'
import type { Store } from '../../storage/store.ts'
import { ApiError } from '../platform/http/answers/errors.ts'
import type { Clock } from '../platform/time/clock.ts'
import { fewAtOnce } from '../platform/time/few-at-once.ts'
import { Poller } from '../platform/time/poller.ts'
import type { Address } from './kind.ts'

const batchSize = 200
/** The delay after a failure of the store or of a timer; doubles up to `lookAgainMs`. */
const retryMs = 1_000
/** The maximum time between two queries. */
const lookAgainMs = 60_000

interface Due {
  kind: string
  actor_id: string
  name: string
}
const keyOf = ({ kind, actor_id, name }: Due) => `${kind}/${actor_id}/${name}`

/** When the actor's timers were due that are due now, by their names. */
export async function dueTimersOf(
  store: Store,
  { kind, id: actorId }: Address,
  now: number,
): Promise<ReadonlyMap<string, number>> {
  const timers = await store.all(listTimers(store, { kind, actorId }))
  return new Map(timers.filter(({ due_at }) => due_at <= now).map(({ name, due_at }) => [name, due_at]))
}

export class TimerService {
  readonly #poller: Poller
  /** Timers that failed, for instance because of a corrupt snapshot; they do not delay others. */
  readonly #failing = new Map<string, { attempts: number; retryAt: number }>()

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly fire: (address: Address, name: string) => Promise<unknown>,
    private readonly onError: (error: unknown, what: string) => void,
  ) {
    this.#poller = new Poller(clock, () => this.#fireDue())
  }

  /** Fires overdue timers, then waits for the next one. */
  start(): Promise<void> {
    return this.#poller.start()
  }

  /** Fires no more timers; resolves once those in progress have ended. */
  stop(): Promise<void> {
    return this.#poller.stop()
  }

  /** A timer with this due time was stored. */
  expect(dueAt: number) {
    this.#poller.expect(dueAt)
  }

  /** Fires all due timers. Returns the time of the next query. */
  async #fireDue(): Promise<number> {
    try {
      for (;;) {
        const now = this.clock.now()
        const limit = batchSize + this.#failing.size
        const due: Due[] = await this.store.all(dueTimers(this.store, { now, limit }))
        this.#forgetGone(due)
        const patient = due.filter((timer) => (this.#failing.get(keyOf(timer))?.retryAt ?? now) <= now)
        const served = await fewAtOnce(patient, (timer) => this.#fire(timer))
        if (served.includes(false)) return this.clock.now() + retryMs
        if (due.length === limit && this.#poller.running) continue
        if (this.#failing.size > 0) return this.clock.now() + retryMs
        const next = await this.store.first(nextTimer(this.store, {}))
        return Math.min(this.clock.now() + lookAgainMs, next?.due_at ?? Number.POSITIVE_INFINITY)
      }
    } catch (error) {
      this.onError(error, 'the timers')
      return this.clock.now() + retryMs
    }
  }

  /** false if the store is unavailable, which affects all timers. */
  async #fire(timer: Due): Promise<boolean> {
    const key = keyOf(timer)
    try {
      await this.fire({ kind: timer.kind, id: timer.actor_id }, timer.name)
      this.#failing.delete(key)
      return true
    } catch (error) {
      this.onError(error, `the timer ${timer.name} of ${timer.kind}`)
      if (error instanceof ApiError && error.code === 'store_unavailable') return false
      const attempts = (this.#failing.get(key)?.attempts ?? 0) + 1
      const retryAt = this.clock.now() + Math.min(lookAgainMs, retryMs * 2 ** (attempts - 1))
      this.#failing.set(key, { attempts, retryAt })
      return true
    }
  }

  /** Failing timers are among the oldest; a missing one has ended. */
  #forgetGone(due: readonly Due[]) {
    if (this.#failing.size === 0) return
    const there = new Set(due.map(keyOf))
    for (const key of this.#failing.keys()) if (!there.has(key)) this.#failing.delete(key)
  }
}
