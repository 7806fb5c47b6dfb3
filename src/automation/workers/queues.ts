/**
 * The waiting lease requests of each queue. The store holds the queues; memory holds only the requests that wait, and
 * which calls are about to be leased. A call that comes wakes one of them, here or at another server; each also looks into
 * the store from time to time, for hints are lost with their process. Source: contract 11, "Oldest first".
 */
import { listQueuedCalls } from '../../../storage/automation/worker-calls.ts'
import type { Store } from '../../../storage/store.ts'
import { RecentlyUsed } from '../../platform/cache.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { type Offered, Waiter, type Wanted } from './waiter.ts'

const lookAgainMs = 5_000
const pageMin = 100
/** Queues that are known to be empty. */
const emptyMax = 10_000
/** How far a worker that takes only some operations looks into the queue. */
const lookedAtMax = 10_000

const keyOf = (environmentId: string, queue: string) => `${environmentId} ${queue}`

const fits = ({ operations, agentId }: Wanted, call: Pick<Offered, 'operation' | 'agent_id'>): boolean =>
  (operations === undefined || operations.includes(call.operation)) && (agentId === null || agentId === call.agent_id)

/** What a request gets. */
export interface Taken<Lease> {
  /** Calls that it may lease; it settles each of them. */
  ids: string[]
  /** Calls that were leased to it with their own commit. */
  leases: Lease[]
}

/** A place for a call that is about to be committed as leased. */
export interface Reservation<Lease> {
  workerId: string
  /** It was committed. */
  keep(lease: Lease): void
  /** It was not. */
  drop(): void
}

export class WorkerQueues<Lease> {
  readonly #lines = new Map<string, Set<Waiter<Lease>>>()
  /** Calls that a request is about to lease. */
  readonly #taken = new Set<string>()
  /** Queues in which the store had no call, and until when nobody has to look again; another server may not write to it. */
  readonly #empty = new RecentlyUsed<number>(emptyMax)
  /** How many calls have come. */
  #offers = 0
  #closed = false

  /** `isAlone`: no other server has the same store. */
  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly isAlone: boolean,
  ) {}

  /** The oldest calls that fit; none if there are none in time. */
  async take(wanted: Wanted, waitMs: number, signal: AbortSignal): Promise<Taken<Lease>> {
    const until = this.clock.now() + waitMs
    for (;;) {
      // first, so that no call slips in between the look and the wait
      const waiter = this.#join(wanted)
      try {
        const found = await this.#stored(wanted)
        const left = until - this.clock.now()
        if (found.length > 0 || waiter.given.length > 0 || left <= 0 || this.#closed || signal.aborted) {
          return { ids: [...waiter.given, ...found], leases: [] }
        }
        await waiter.wait(this.clock, Math.min(left, lookAgainMs), signal)
        const isOver = waiter.isDismissed || waiter.given.length + waiter.leased.length > 0
        if (isOver) return { ids: waiter.given, leases: waiter.leased }
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

  /** A call waits now. Returns whether a request of this server leases it. */
  offer(call: Offered): boolean {
    this.#offers += 1
    this.#empty.delete(keyOf(call.environment_id, call.queue))
    if (this.#taken.has(call.id)) return true
    for (const waiter of this.#lines.get(keyOf(call.environment_id, call.queue)) ?? []) {
      if (!waiter.isFree || !fits(waiter.wanted, call)) continue
      this.#taken.add(call.id)
      waiter.give(call.id)
      return true
    }
    return false
  }

  /**
   * Reserves a waiting worker for a call that is about to be stored. Waiting workers have found no older call, so it may be
   * stored as leased. Undefined if no waiting worker can take it. The worker with the fewest calls gets it.
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

  /** Lets the requests go with which a worker waits: it asks anew, or not any more. */
  release({ environmentId, queue, workerId }: Pick<Wanted, 'environmentId' | 'queue' | 'workerId'>): void {
    for (const waiter of this.#lines.get(keyOf(environmentId, queue)) ?? []) {
      if (waiter.wanted.workerId !== workerId) continue
      waiter.isDismissed = true
      waiter.release()
    }
  }

  /** Lets all requests go that wait. */
  close(): void {
    this.#closed = true
    for (const line of this.#lines.values()) for (const waiter of line) waiter.release()
  }

  async #stored(wanted: Wanted): Promise<string[]> {
    const { environmentId, queue, slots } = wanted
    const key = keyOf(environmentId, queue)
    if (this.clock.now() < (this.#empty.get(key) ?? 0)) return []
    const offers = this.#offers
    const ids: string[] = []
    for (let after = '', looked = 0; looked < lookedAtMax; ) {
      const limit = Math.max(pageMin, slots) + this.#taken.size
      const page = await this.store.all(listQueuedCalls(this.store, { environmentId, queue, after, limit }))
      // unless one has come while the store was asked
      if (this.isAlone && looked === 0 && page.length === 0 && offers === this.#offers)
        this.#empty.set(key, this.clock.now() + lookAgainMs)
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
