/**
 * The workers that recently sent requests to this or another server. Memory has those of this server; the store those
 * of all servers, at most twenty seconds old, and those from before a restart. Source: contract 11, "shows who serves
 * which queue".
 */
import {
  forgetGoneWorkers,
  forgetWorker,
  keepWorker,
  listWorkers,
  shownWorkersMax,
  touchWorker,
} from '../../../storage/automation/workers.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { Clock } from '../../platform/time/clock.ts'

/** The queue and the name of a worker. */
interface WorkerKey {
  environmentId: string
  queue: string
  workerId: string
}

export interface SeenWorker {
  workerId: string
  queue: string
  /** null: all operations of the queue. */
  operations: readonly string[] | null
  slots: number
  lastSeenAt: number
}

/** A worker that has been silent longer is gone: a lease request waits at most 25 seconds. */
const goneMs = 60_000
const storeEveryMs = 20_000
const forgetEveryMs = 10_000

/** A worker's requests at this server. */
interface Heard {
  lastSeenAt: number
  storedAt: number
  /** Undefined for a worker that has only reported here. */
  offer: Pick<SeenWorker, 'operations' | 'slots'> | undefined
}

/** The name of a worker among those of an Environment: neither part has spaces. */
export const nameOf = (queue: string, workerId: string) => `${queue} ${workerId}`

export class PresentWorkers {
  /** By Environment, then by queue and name. */
  readonly #heard = new Map<string, Map<string, Heard>>()
  /** When the workers that are gone were last forgotten. */
  #forgottenAt = 0

  constructor(private readonly parts: { store: Store; clock: Clock; onError(error: unknown, what: string): void }) {}

  /** The worker requests calls. */
  asks(key: WorkerKey, offer: Pick<SeenWorker, 'operations' | 'slots'>): void {
    const { environmentId, queue, workerId } = key
    const { store } = this.parts
    const heard = this.#hear(key, offer)
    if (!heard) return
    const row = {
      environment_id: environmentId,
      queue,
      worker_id: workerId,
      operations: offer.operations && JSON.stringify(offer.operations),
      slots: offer.slots,
      last_seen_at: heard.lastSeenAt,
    }
    const before = heard.lastSeenAt - goneMs
    this.#store(heard, () => [forgetGoneWorkers(store, { environmentId, before }), keepWorker(store, row)])
  }

  /** The worker reports. */
  reports(key: WorkerKey): void {
    const heard = this.#hear(key, undefined)
    if (!heard) return
    this.#store(heard, () => [touchWorker(this.parts.store, { ...key, lastSeenAt: heard.lastSeenAt })])
  }

  /** The worker leaves: it requests no more calls. */
  async leaves(key: WorkerKey): Promise<void> {
    this.#heard.get(key.environmentId)?.delete(nameOf(key.queue, key.workerId))
    await this.parts.store.commit([forgetWorker(this.parts.store, key)])
  }

  /** The number of workers in memory, and of their Environments. */
  get statistics() {
    let workers = 0
    for (const some of this.#heard.values()) workers += some.size
    return { workers, environments: this.#heard.size }
  }

  /** By queue, then by name. */
  async list(environmentId: string): Promise<SeenWorker[]> {
    const { store, clock } = this.parts
    const since = clock.now() - goneMs
    const workers = new Map<string, SeenWorker>()
    for (const row of await store.all(listWorkers(store, { environmentId, since }))) {
      const { queue, worker_id: workerId, operations, slots, last_seen_at: lastSeenAt } = row
      const names = operations === null ? null : (JSON.parse(operations) as string[])
      workers.set(nameOf(queue, workerId), { queue, workerId, operations: names, slots, lastSeenAt })
    }
    for (const [name, { lastSeenAt, offer }] of this.#heard.get(environmentId) ?? []) {
      const stored = workers.get(name)
      const known = offer ?? stored
      if (!known || lastSeenAt < Math.max(since, stored?.lastSeenAt ?? 0)) continue
      const [queue, workerId] = name.split(' ') as [string, string]
      workers.set(name, { queue, workerId, operations: known.operations, slots: known.slots, lastSeenAt })
    }
    const order = ({ queue, workerId }: SeenWorker) => nameOf(queue, workerId)
    return [...workers.values()].sort((a, b) => (order(a) < order(b) ? -1 : 1))
  }

  /** Undefined if there are too many. */
  #hear({ environmentId, queue, workerId }: WorkerKey, offer: Heard['offer']): Heard | undefined {
    const name = nameOf(queue, workerId)
    const lastSeenAt = this.parts.clock.now()
    const known = this.#heard.get(environmentId)?.get(name)
    if (known) {
      known.lastSeenAt = lastSeenAt
      if (offer) known.offer = offer
      return known
    }
    this.#forgetGone(lastSeenAt)
    const workers = this.#heard.get(environmentId) ?? new Map<string, Heard>()
    if (workers.size >= shownWorkersMax) return undefined
    const heard = { lastSeenAt, storedAt: 0, offer }
    this.#heard.set(environmentId, workers.set(name, heard))
    return heard
  }

  /** Before a new worker is remembered, but not each time: workers may have new names at each start. */
  #forgetGone(now: number): void {
    // the clock may have been set back
    if (Math.abs(now - this.#forgottenAt) < forgetEveryMs) return
    this.#forgottenAt = now
    for (const [environmentId, workers] of this.#heard) {
      for (const [name, { lastSeenAt }] of workers) if (lastSeenAt < now - goneMs) workers.delete(name)
      if (workers.size === 0) this.#heard.delete(environmentId)
    }
  }

  #store(heard: Heard, writes: () => Write[]): void {
    if (heard.lastSeenAt - heard.storedAt < storeEveryMs) return
    heard.storedAt = heard.lastSeenAt
    const { store, onError } = this.parts
    store.background.commit(writes()).catch((error) => {
      heard.storedAt = 0
      onError(error, 'when a worker was last seen')
    })
  }
}
