/** Metrics of deliveries: counts by state, outcomes of attempts. Source: contract 9, "`GET /metrics`". */
import type { Registry } from 'prom-client'
import { type AttemptErrorClass, attemptErrorClasses, deliveryStates } from '../../../machines/delivery.ts'
import { stateCounts } from '../../../storage/state-counts.ts'
import type { Store } from '../../../storage/store.ts'
import { Counter, Gauge, readGauge } from '../../platform/operating/prometheus.ts'
import type { Actors } from '../../runtime/actors.ts'

export interface DeliveryMetricsParts {
  registry: Registry
  store: Store
  actors: Actors
  inFlight(): number
}

/** The outcome, if the event ends an attempt. */
const outcomeOf = (event: { type: string; errorClass?: AttemptErrorClass }): string | undefined => {
  if (event.type === 'acknowledged') return 'acknowledged'
  if (event.type === 'leaseExpired') return 'lease_expired'
  return event.type === 'refused' ? event.errorClass : undefined
}

export function registerDeliveryMetrics({ registry, store, actors, inFlight }: DeliveryMetricsParts): void {
  const registers = [registry]
  const attempts = new Counter({
    name: 'troupe_webhook_attempts_total',
    help: 'Delivery attempts by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  for (const outcome of ['acknowledged', ...attemptErrorClasses]) attempts.inc({ outcome }, 0)
  actors.subscribe({ kind: 'delivery' }, ({ moves }) => {
    for (const { event } of moves) {
      const outcome = outcomeOf(event as never)
      if (outcome) attempts.inc({ outcome })
    }
  })
  new Gauge({
    name: 'troupe_webhook_deliveries',
    help: 'Stored deliveries by state.',
    labelNames: ['state'],
    registers,
    async collect() {
      const counts = await stateCounts(store, 'deliveries')
      for (const state of deliveryStates) this.set({ state }, counts.get(state) ?? 0)
    },
  })
  readGauge(registry, 'troupe_webhook_attempts_in_flight', 'Delivery attempts in flight at this server.', () =>
    inFlight(),
  )
}
