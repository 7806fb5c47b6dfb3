/** What operators see of deliveries: how many are in which state, and how their attempts end. Source: contract 9, "`GET /metrics`". */
import type { Registry } from 'prom-client'
import { type AttemptErrorClass, attemptErrorClasses, deliveryStates } from '../../../machines/delivery.ts'
import { countDeliveriesByState } from '../../../storage/deliveries.ts'
import type { Store } from '../../../storage/store.ts'
import { Counter, Gauge } from '../../operating/prometheus.ts'
import type { Actors } from '../../runtime/actors.ts'

/** Counted once in the store, then kept up by what becomes of them: a scrape costs nothing that grows with the store. */
export class DeliveryCounts {
  readonly #counts = new Map<string, number>()
  /** Begun with the first question; what changes from then on is added to what it finds. */
  #read: Promise<void> | undefined

  constructor(private readonly store: Store) {}

  /** So many deliveries have come into this state, or, below 0, have left it. */
  change(state: string, by: number): void {
    if (this.#read) this.#counts.set(state, (this.#counts.get(state) ?? 0) + by)
  }

  async of(state: string): Promise<number> {
    this.#read ??= this.#readAll()
    await this.#read
    return Math.max(0, this.#counts.get(state) ?? 0)
  }

  async #readAll(): Promise<void> {
    try {
      for (const { state, count } of await this.store.all(countDeliveriesByState(this.store, {})))
        this.change(state, Number(count))
    } catch (error) {
      this.#read = undefined
      this.#counts.clear()
      throw error
    }
  }
}

export interface DeliveryMetricsParts {
  registry: Registry
  actors: Actors
  counts: DeliveryCounts
  inFlight(): number
}

/** Of an event that ends an attempt. */
const outcomeOf = (event: { type: string; errorClass?: AttemptErrorClass }): string | undefined => {
  if (event.type === 'acknowledged') return 'acknowledged'
  if (event.type === 'leaseExpired') return 'lease_expired'
  return event.type === 'refused' ? event.errorClass : undefined
}

export function registerDeliveryMetrics({ registry, actors, counts, inFlight }: DeliveryMetricsParts): void {
  const registers = [registry]
  const attempts = new Counter({
    name: 'troupe_webhook_attempts_total',
    help: 'Attempts to deliver, by how they ended.',
    labelNames: ['outcome'],
    registers,
  })
  for (const outcome of ['acknowledged', ...attemptErrorClasses]) attempts.inc({ outcome }, 0)
  actors.subscribe({ kind: 'delivery' }, ({ moves }) => {
    for (const { from, to, event } of moves) {
      const outcome = outcomeOf(event as never)
      if (outcome) attempts.inc({ outcome })
      if (from === to) continue
      if (from !== null) counts.change(from, -1)
      counts.change(to, 1)
    }
  })
  new Gauge({
    name: 'troupe_webhook_deliveries',
    help: 'Stored deliveries by state.',
    labelNames: ['state'],
    registers,
    async collect() {
      for (const state of deliveryStates) this.set({ state }, await counts.of(state))
    },
  })
  new Gauge({
    name: 'troupe_webhook_attempts_in_flight',
    help: 'Attempts to deliver that are under way at this server.',
    registers,
    collect() {
      this.set(inFlight())
    },
  })
}
