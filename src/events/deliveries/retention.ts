/** Removes deliveries of expired events, deleted webhooks, and replaced secrets. */
import { deleteDelivery, listExpiredDeliveries, listOrphanedDeliveries } from '../../../storage/events/deliveries.ts'
import { deleteEndedSecret, listEndedSecrets } from '../../../storage/events/webhook-secrets.ts'
import { deleteEmptiedWebhooks } from '../../../storage/events/webhooks.ts'
import { removeActor } from '../../../storage/runtime/deletion-step.ts'
import type { BackgroundStore } from '../../../storage/store.ts'
import { forEach, inBatches } from '../../platform/operating/batches.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Actors } from '../../runtime/actors.ts'
import { deliveryAddress } from './actor.ts'

interface RetentionParts {
  store: BackgroundStore
  clock: Clock
  actors: Actors
  eventsUntil(): number
}

export class DeliveryRetention {
  constructor(private readonly parts: RetentionParts) {}

  /** Removes up to `limit` deliveries of expired events; returns how many. Called periodically. */
  pruneExpired(limit: number): Promise<number> {
    const { store, eventsUntil } = this.parts
    return this.#remove(limit, (limit) =>
      store.all(listExpiredDeliveries(store, { eventsUntil: eventsUntil(), limit })),
    )
  }

  /** When the oldest event expired of which there are deliveries. */
  async overdueSince(): Promise<number | undefined> {
    const { store, clock } = this.parts
    const eventsUntil = this.parts.eventsUntil()
    const oldest = await store.first(listExpiredDeliveries(store, { eventsUntil, limit: 1 }))
    return oldest && oldest.event_at + (clock.now() - eventsUntil)
  }

  /** Removes up to `limit` deliveries of deleted webhooks, and then the webhooks. */
  async pruneDeleted(limit: number): Promise<number> {
    const { store } = this.parts
    const removed = await this.#remove(limit, (limit) => store.all(listOrphanedDeliveries(store, { limit })))
    if (removed < limit) await store.commit([deleteEmptiedWebhooks(store, {})])
    return removed
  }

  /** Removes up to `limit` expired secrets. */
  async pruneSecrets(limit: number): Promise<number> {
    const { store, clock } = this.parts
    const now = clock.now()
    const ended = await store.all(listEndedSecrets(store, { now, limit }))
    return forEach(ended, ({ webhook_id, version }) =>
      store.commit([deleteEndedSecret(store, { webhookId: webhook_id, version, now })], null),
    )
  }

  #remove(limit: number, list: (limit: number) => Promise<{ id: string }[]>): Promise<number> {
    const { store, actors } = this.parts
    return inBatches(limit, async (some) =>
      forEach(await list(some), async ({ id }) => {
        await store.commit([deleteDelivery(store, { id }), ...removeActor(store, deliveryAddress(id))])
        actors.forget(deliveryAddress(id))
      }),
    )
  }
}
