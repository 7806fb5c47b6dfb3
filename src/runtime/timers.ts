/** Durable timers: rows that become events when they are due, also when the process that made them is gone. */
import { dueTimers, nextTimer } from '../../storage/actors.ts'
import type { Store } from '../../storage/store.ts'
import type { Clock } from './clock.ts'
import type { Address } from './kind.ts'

const batchSize = 200
/** After a failure, and at the latest. */
const retryMs = 1_000
const lookAgainMs = 60_000

export class TimerService {
  #wake: { cancel(): void } | undefined
  #wakeAt = Number.POSITIVE_INFINITY
  #running = false
  #working = false

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly fire: (address: Address, name: string) => Promise<unknown>,
    private readonly onError: (error: unknown, what: string) => void,
  ) {}

  /** Fires what became due while nobody looked, then waits for the next one. */
  async start() {
    this.#running = true
    await this.#work()
  }

  stop() {
    this.#running = false
    this.#wake?.cancel()
    this.#wakeAt = Number.POSITIVE_INFINITY
  }

  /** A timer was stored that is due then. */
  expect(dueAt: number) {
    if (this.#running && !this.#working && dueAt < this.#wakeAt) this.#wakeUp(dueAt)
  }

  #wakeUp(at: number) {
    this.#wake?.cancel()
    this.#wakeAt = at
    this.#wake = this.clock.after(Math.max(0, at - this.clock.now()), () => void this.#work())
  }

  async #work() {
    if (this.#working) return
    this.#working = true
    this.#wakeAt = Number.POSITIVE_INFINITY
    let lookAt = this.clock.now() + lookAgainMs
    try {
      while (this.#running) {
        const due = await this.store.all(dueTimers(this.store, { now: this.clock.now(), limit: batchSize }))
        const results = await Promise.allSettled(due.map(({ kind, actor_id, name }) => this.fire({ kind, id: actor_id }, name)))
        const failed = results.filter((result) => result.status === 'rejected')
        for (const { reason } of failed) this.onError(reason, 'a timer')
        if (failed.length > 0) {
          lookAt = this.clock.now() + retryMs
          break
        }
        if (due.length < batchSize) {
          const next = await this.store.first(nextTimer(this.store, {}))
          if (next) lookAt = Math.min(lookAt, next.due_at)
          break
        }
      }
    } catch (error) {
      this.onError(error, 'the timers')
      lookAt = this.clock.now() + retryMs
    } finally {
      this.#working = false
      if (this.#running) this.#wakeUp(lookAt)
    }
  }
}
