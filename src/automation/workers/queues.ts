/**
 * Who waits for which queue. The store holds the queues; memory holds only the requests that wait, and which calls are
 * about to be leased. A call that comes wakes one of them; each also looks into the store from time to time, for hints are
 * lost with their process. Source: contract 11, "Oldest first".
 */
import { listQueuedCalls } from '../../../storage/automation/worker-calls.ts'
import type { Store } from '../../../storage/store.ts'
import type { Clock } from '../../platform/time/clock.ts'

/** What a worker can take. */
export interface Wanted {
  environmentId: string
  queue: string
  /** Left out: any of the queue. */
  operations?: readonly string[] | undefined
  /** null: on behalf of any Agent. */
  agentId: string | null
  /** How many at once. */
  slots: number
}

/** A call that waits. */
export interface Offered {
  id: string
  environment_id: string
  queue: string
  operation: string
  agent_id: string
}

const lookAgainMs = 5_000
const pageMin = 100
/** How far a worker that takes only some operations looks into the queue. */
const lookedAtMax = 10_000

const keyOf = (environmentId: string, queue: string) => `${environmentId} ${queue}`

const fits = ({ operations, agentId }: Wanted, call: Pick<Offered, 'operation' | 'agent_id'>): boolean =>
  (operations === undefined || operations.includes(call.operation)) && (agentId === null || agentId === call.agent_id)

/** A request that waits. */
class Waiter {
  readonly given: string[] = []
  #wake: (() => void) | undefined

  constructor(readonly wanted: Wanted) {}

  give(id: string): void {
    this.given.push(id)
    this.wake()
  }

  wake(): void {
    this.#wake?.()
  }

  /** Until something is given, the time is over or the request is gone. */
  wait(clock: Clock, waitMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        timer.cancel()
        signal.removeEventListener('abort', end)
        this.#wake = undefined
        resolve()
      }
      const timer = clock.after(waitMs, end)
      signal.addEventListener('abort', end, { once: true })
      this.#wake = end
      if (signal.aborted || this.given.length > 0) end()
    })
  }
}

export class WorkerQueues {
  readonly #lines = new Map<string, Set<Waiter>>()
  /** Calls that a request is about to lease. */
  readonly #taken = new Set<string>()
  #closed = false

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
  ) {}

  /** The oldest calls that fit; none if there are none in time. Whoever takes them settles each of them. */
  async take(wanted: Wanted, waitMs: number, signal: AbortSignal): Promise<string[]> {
    const until = this.clock.now() + waitMs
    for (;;) {
      // first, so that no call slips in between the look and the wait
      const waiter = this.#join(wanted)
      try {
        const found = await this.#stored(wanted)
        const left = until - this.clock.now()
        if (found.length > 0 || waiter.given.length > 0 || left <= 0 || this.#closed || signal.aborted) {
          return [...waiter.given, ...found]
        }
        await waiter.wait(this.clock, Math.min(left, lookAgainMs), signal)
        if (waiter.given.length > 0) return waiter.given
      } catch (error) {
        for (const id of waiter.given) this.settle(id)
        throw error
      } finally {
        this.#leave(waiter)
      }
    }
  }

  /** The taken call was leased, or is left to others. */
  settle(id: string): void {
    this.#taken.delete(id)
  }

  /** A call waits now. */
  offer(call: Offered): void {
    if (this.#taken.has(call.id)) return
    for (const waiter of this.#lines.get(keyOf(call.environment_id, call.queue)) ?? []) {
      if (waiter.given.length > 0 || !fits(waiter.wanted, call)) continue
      this.#taken.add(call.id)
      waiter.give(call.id)
      return
    }
  }

  /** Lets all requests go that wait. */
  close(): void {
    this.#closed = true
    for (const line of this.#lines.values()) for (const waiter of line) waiter.wake()
  }

  async #stored(wanted: Wanted): Promise<string[]> {
    const { environmentId, queue, slots } = wanted
    const ids: string[] = []
    for (let after = '', looked = 0; looked < lookedAtMax; ) {
      const limit = Math.max(pageMin, slots) + this.#taken.size
      const page = await this.store.all(listQueuedCalls(this.store, { environmentId, queue, after, limit }))
      for (const call of page) {
        if (this.#taken.has(call.id) || !fits(wanted, call)) continue
        this.#taken.add(call.id)
        ids.push(call.id)
        if (ids.length === slots) return ids
      }
      if (page.length < limit || ids.length > 0) return ids
      after = page.at(-1)!.id
      looked += page.length
    }
    return ids
  }

  #join(wanted: Wanted): Waiter {
    const key = keyOf(wanted.environmentId, wanted.queue)
    const waiter = new Waiter(wanted)
    const line = this.#lines.get(key)
    if (line) line.add(waiter)
    else this.#lines.set(key, new Set([waiter]))
    return waiter
  }

  #leave(waiter: Waiter): void {
    const key = keyOf(waiter.wanted.environmentId, waiter.wanted.queue)
    const line = this.#lines.get(key)
    line?.delete(waiter)
    if (line?.size === 0) this.#lines.delete(key)
  }
}
