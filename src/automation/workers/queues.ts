/**
 * The waiting lease requests of each queue. The store holds the queues; memory holds only the waiting requests, and the
 * calls that are about to be leased. A new call wakes a request, here or at another server; each request also polls the
 * store periodically, because a hint is lost if its process dies. Source: contract 11, "Oldest first".
 */
import { listQueuedCalls } from '../../../storage/automation/worker-calls.ts'
import type { Store } from '../../../storage/store.ts'
import { RecentlyUsed } from '../../platform/cache.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { Passed } from './passed.ts'
import { fits, keyOf, type Offered, Waiter, type Wanted } from './waiter.ts'

const lookAgainMs = 5_000
const pageMin = 100
/** The most queues that are remembered as empty. */
const emptyMax = 10_000
/** How many waiting calls one look searches for a worker that accepts only some of them. */
const lookedAtMax = 10_000

/** The result of a request. */
interface Taken<Lease> {
  /** Calls that it may lease; it settles each of them. */
  ids: string[]
  /** Calls that were leased to it in the commit that created them. */
  leases: Lease[]
}

/** A reservation for a call that is about to be committed as leased. */
interface Reservation<Lease> {
  workerId: string
  /** The call was committed. */
  keep(lease: Lease): void
  /** The call was not committed. */
  drop(): void
}

export class WorkerQueues<Lease> {
  readonly #lines = new Map<string, Set<Waiter<Lease>>>()
  /** Calls that a request is about to lease. */
  readonly #taken = new Set<string>()
  /**
   * Queues that were empty in the store, and until when they need not be read again; another server may not add to
   * them.
   */
  readonly #empty = new RecentlyUsed<number>(emptyMax)
  readonly #passed: Passed
  /** The number of calls that have arrived. */
  #offers = 0
  #closed = false

  /** `isAlone`: no other server uses the store. */
  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly isAlone: boolean,
  ) {
    this.#passed = new Passed(clock)
  }

  /** The oldest matching calls; none if none arrive in time. */
  async take(wanted: Wanted, waitMs: number, signal: AbortSignal): Promise<Taken<Lease>> {
    const until = this.clock.now() + waitMs
    for (;;) {
      // first, so that no call is missed between the read and the wait
      const waiter = this.#join(wanted)
      try {
        const ids = await this.#stored(waiter)
        const left = until - this.clock.now()
        if (ids.length > 0 || left <= 0 || this.#closed || signal.aborted) return { ids, leases: [] }
        // a call has arrived that the read may have missed
        if (waiter.hasNoticed && !waiter.isDismissed) continue
        await waiter.wait(this.clock, Math.min(left, lookAgainMs), signal)
        const isOver = waiter.isDismissed || waiter.given.length + waiter.leased.length > 0
        if (isOver) return { ids: waiter.given, leases: waiter.leased }
      } finally {
        this.#leave(waiter)
      }
    }
  }

  /** The taken call was leased, or is released for others. */
  settle(id: string): void {
    this.#taken.delete(id)
  }

  /** A call waits now. Returns whether a request of this server leases it. */
  offer(call: Offered): boolean {
    this.#offers += 1
    this.#empty.delete(keyOf(call.environment_id, call.queue))
    this.#passed.offered(call)
    const line = this.#lines.get(keyOf(call.environment_id, call.queue)) ?? []
    for (const waiter of line) waiter.notice(call)
    if (this.#taken.has(call.id)) return true
    for (const waiter of line) {
      if (!waiter.isFree || !fits(waiter.wanted, call)) continue
      this.#taken.add(call.id)
      waiter.give(call.id)
      return true
    }
    return false
  }

  /**
   * Reserves a waiting worker for a call that is about to be stored. Waiting workers have found no older call, so the
   * call may be stored as leased. Undefined if no waiting worker can take it. The worker with the fewest calls gets it.
   */
  reserve(call: Omit<Offered, 'id'>, characters: number): Reservation<Lease> | undefined {
    let chosen: Waiter<Lease> | undefined
    for (const waiter of this.#lines.get(keyOf(call.environment_id, call.queue)) ?? []) {
      if (!waiter.hasRoom(characters) || !fits(waiter.wanted, call)) continue
      if (!chosen || waiter.promised < chosen.promised) chosen = waiter
      if (chosen.promised === 0) break
    }
    if (!chosen) return undefined
    const waiter = chosen
    waiter.promise(characters)
    return {
      workerId: waiter.wanted.workerId,
      keep: (lease) => waiter.keepPromise(lease),
      drop: () => waiter.dropPromise(),
    }
  }

  /** Ends a worker's waiting requests: it sends a new one, or leaves. */
  release({ environmentId, queue, workerId }: Pick<Wanted, 'environmentId' | 'queue' | 'workerId'>): void {
    for (const waiter of this.#lines.get(keyOf(environmentId, queue)) ?? []) {
      if (waiter.wanted.workerId !== workerId) continue
      waiter.isDismissed = true
      waiter.release()
    }
  }

  /** Ends all waiting requests. */
  close(): void {
    this.#closed = true
    for (const line of this.#lines.values()) for (const waiter of line) waiter.release()
  }

  async #stored(waiter: Waiter<Lease>): Promise<string[]> {
    const { wanted } = waiter
    const { environmentId, queue, slots } = wanted
    const key = keyOf(environmentId, queue)
    if (this.clock.now() < (this.#empty.get(key) ?? 0)) return []
    const offers = this.#offers
    let after = this.#passed.of(wanted)
    let passed: string | undefined
    for (let looked = 0; looked < lookedAtMax; ) {
      const limit = Math.max(pageMin, slots) + this.#taken.size
      const page = await this.store.all(listQueuedCalls(this.store, { environmentId, queue, after, limit }))
      // unless a call arrived during the read
      if (this.isAlone && after === '' && page.length === 0 && offers === this.#offers)
        this.#empty.set(key, this.clock.now() + lookAgainMs)
      const fitting = page.filter((call) => fits(wanted, call))
      // also before a call that another request has taken, and may not lease
      if (fitting.length > 0) passed ??= after
      const ids = fitting.flatMap(({ id }) => (this.#taken.has(id) ? [] : [id])).slice(0, slots)
      for (const id of ids) this.#taken.add(id)
      const isEnd = page.length < limit
      after = page.at(-1)?.id ?? after
      if (ids.length > 0 || isEnd) {
        this.#passed.keep(wanted, waiter.beforeNoticed(passed ?? after), true)
        return ids
      }
      looked += page.length
    }
    this.#passed.keep(wanted, waiter.beforeNoticed(passed ?? after), false)
    return []
  }

  #join(wanted: Wanted): Waiter<Lease> {
    const key = keyOf(wanted.environmentId, wanted.queue)
    const waiter = new Waiter<Lease>(wanted)
    const line = this.#lines.get(key)
    if (line) line.add(waiter)
    else this.#lines.set(key, new Set([waiter]))
    return waiter
  }

  #leave(waiter: Waiter<Lease>): void {
    const key = keyOf(waiter.wanted.environmentId, waiter.wanted.queue)
    const line = this.#lines.get(key)
    line?.delete(waiter)
    if (line?.size === 0) this.#lines.delete(key)
  }
}
