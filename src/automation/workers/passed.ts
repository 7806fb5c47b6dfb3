/**
 * How far the queues were searched for requests that accept only some calls. The next search continues there: each
 * request searches a bounded number of calls, and still finds its own behind any number of others.
 */
import { RecentlyUsed } from '../../platform/cache.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { fits, idBefore, keyOf, type Offered, type Wanted } from './waiter.ts'

/** The most queues that are remembered, and the most kinds of requests for each. */
const queuesMax = 1_000
const kindsMax = 100
/** The hint for an earlier call that waits again may be lost: the search starts again this long after a success. */
const trustedMs = 60_000

interface Place {
  wanted: Wanted
  /** No call up to this id fits. */
  after: string
  /** When the search first found a call or the end of the queue; null until then. */
  arrivedAt: number | null
}

const kindOf = ({ operations, agentId }: Wanted): string => JSON.stringify([agentId, operations?.toSorted() ?? null])

export class Passed {
  readonly #queues = new RecentlyUsed<Map<string, Place>>(queuesMax)

  constructor(private readonly clock: Clock) {}

  /** The id after which to search. */
  of(wanted: Wanted): string {
    const kinds = this.#queues.get(keyOf(wanted.environmentId, wanted.queue))
    const place = kinds?.get(kindOf(wanted))
    if (!place) return ''
    if (place.arrivedAt === null || this.clock.now() < place.arrivedAt + trustedMs) return place.after
    kinds?.delete(kindOf(wanted))
    return ''
  }

  /** No call up to this id fits. `hasArrived`: the search found a call, or the end of the queue. */
  keep(wanted: Wanted, after: string, hasArrived: boolean): void {
    if (after === '') return
    const key = keyOf(wanted.environmentId, wanted.queue)
    const kinds = this.#queues.get(key) ?? new Map<string, Place>()
    this.#queues.set(key, kinds)
    const kind = kindOf(wanted)
    const arrivedAt = kinds.get(kind)?.arrivedAt ?? (hasArrived ? this.clock.now() : null)
    kinds.set(kind, { wanted, after, arrivedAt })
    if (kinds.size > kindsMax) kinds.delete(kinds.keys().next().value as string)
  }

  /** A call waits, possibly again. */
  offered(call: Offered): void {
    for (const place of this.#queues.get(keyOf(call.environment_id, call.queue))?.values() ?? []) {
      if (call.id <= place.after && fits(place.wanted, call)) place.after = idBefore(call.id)
    }
  }
}
