/** Reads, retries and replays deliveries; `delivery-work.ts` does their work. Source: requirement 4.13. */
import { findDelivery, listDeliveries } from '../../../storage/events/deliveries.ts'
import { firstIdAt, newId } from '../../../storage/ids.ts'
import type { Store } from '../../../storage/store.ts'
import type { DeliveryRow } from '../../../storage/tables.ts'
import { notFound, orNotFound } from '../../platform/http/answers/errors.ts'
import type { Idempotency, KeyedContext } from '../../platform/http/changes/idempotency.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { belowId, readLargePage } from '../../platform/http/pagination.ts'
import { assertRange } from '../../platform/http/time-range.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Actors } from '../../runtime/actors.ts'
import { isConcurrentChange } from '../../runtime/refusals.ts'
import type { WebhookPlace, Webhooks } from '../webhooks/service.ts'
import { type DeliverySeed, deliveryAddress } from './actor.ts'
import type { DeliveryWork } from './delivery-work.ts'
import { type Delivery, type DeliveryPath, type DeliveryQuery, presentDelivery } from './schema.ts'

export interface DeliveryParts {
  store: Store
  clock: Clock
  actors: Actors
  cursors: Cursors
  idempotency: Idempotency
  deliveryWork: DeliveryWork
  webhooks: Webhooks
}

const keyLengthMax = 64

export class Deliveries {
  constructor(private readonly parts: DeliveryParts) {}

  /** Newest first. Throws `notFound`, `validation_failed` for a range that ends before it begins, `invalid_cursor` (422). */
  async list(caller: Caller, place: WebhookPlace, { state, eventType, since, until, ...request }: DeliveryQuery) {
    const { store, cursors, webhooks, deliveryWork } = this.parts
    const { organizationId } = caller
    const { environmentId, webhookId } = place
    await webhooks.find(caller, place)
    assertRange({ since, until }, 'since', 'until')
    const eventsUntil = deliveryWork.eventsUntil()
    return readLargePage(
      {
        cursors,
        scope: {
          list: 'deliveries',
          organizationId,
          filters: { environmentId, webhookId, state, eventType, since, until },
        },
      },
      request,
      (last, limit) => {
        const below = until === undefined ? [belowId(last)] : [belowId(last), firstIdAt('dlv', Date.parse(until))]
        const before = below.reduce((one, other) => (one < other ? one : other))
        const from = since === undefined ? '' : firstIdAt('dlv', Date.parse(since))
        const values = { organizationId, webhookId, before, from, eventsUntil, limit, state, eventType }
        return store.all<DeliveryRow>(listDeliveries(store, values))
      },
      ({ id }) => [id],
      (row) => this.#present(row),
    )
  }

  /** Throws `notFound`. */
  async get(caller: Caller, path: DeliveryPath): Promise<Delivery> {
    return this.#present(await this.find(caller, path))
  }

  /** Puts a dead-lettered delivery back in the queue. Throws `notFound`, `invalid_transition` (409). */
  async retry(caller: Caller, path: DeliveryPath, record: RequestRecord): Promise<Delivery> {
    const { id } = await this.find(caller, path)
    const { actor } = await this.parts.actors.send<DeliveryRow>(
      deliveryAddress(id),
      { type: 'retry' },
      { by: caller.principal, writes: ({ actor: { row } }) => record({ data: this.#present(row) }) },
    )
    return this.#present(actor.row)
  }

  /**
   * Creates a delivery of the same event, once for each key. Throws `notFound`, `invalid_idempotency_key` (400),
   * `idempotency_key_reused`, `idempotency_in_progress` (409).
   */
  async replay(context: KeyedContext, caller: Caller, path: DeliveryPath): Promise<{ data: Delivery }> {
    const { webhooks, idempotency } = this.parts
    const { projectId, environmentId, webhookId, deliveryId } = path
    await webhooks.find(caller, path)
    return idempotency.answer(
      context,
      {
        operation: 'POST {P}/webhooks/{webhookId}/deliveries/{deliveryId}/replays',
        caller,
        scope: [projectId, environmentId, webhookId],
        path: [projectId, environmentId, webhookId, deliveryId],
        body: null,
      },
      async (record) => ({ data: await this.#replay(caller, path, record) }),
      { required: true, lengthMax: keyLengthMax, reusedStatus: 409 },
    )
  }

  async #replay(caller: Caller, path: DeliveryPath, record: RequestRecord): Promise<Delivery> {
    const { actors, clock } = this.parts
    const source = await this.find(caller, path)
    const at = clock.now()
    const seed: DeliverySeed = {
      id: newId('dlv', at),
      organization_id: source.organization_id,
      project_id: source.project_id,
      environment_id: source.environment_id,
      webhook_id: source.webhook_id,
      event_id: source.event_id,
      event_type: source.event_type,
      event_sequence: source.event_sequence,
      event_at: source.event_at,
      replay_of: source.id,
      trace: this.parts.deliveryWork.traceInRequest(),
    }
    try {
      const { actor } = await actors.create<DeliveryRow>(
        deliveryAddress(seed.id),
        { input: { at }, seed, named: 'replay' },
        { by: caller.principal, writes: ({ actor: { row } }) => record({ data: this.#present(row) }) },
      )
      return this.#present(actor.row)
    } catch (error) {
      // the webhook was deleted since it was read
      throw isConcurrentChange(error) ? notFound() : error
    }
  }

  /** The delivery's row, unless it has expired. Throws `notFound`. */
  async find({ organizationId }: Caller, path: DeliveryPath): Promise<DeliveryRow> {
    const { store, deliveryWork } = this.parts
    const { environmentId, webhookId, deliveryId: id } = path
    const key = { organizationId, environmentId, webhookId, id, eventsUntil: deliveryWork.eventsUntil() }
    return orNotFound(await store.first<DeliveryRow>(findDelivery(store, key)))
  }

  #present(row: DeliveryRow): Delivery {
    return presentDelivery(row, this.parts.deliveryWork.retentionMs)
  }
}
