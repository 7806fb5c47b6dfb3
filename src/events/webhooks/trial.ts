/** Sends a test event to one webhook. Source: contract 7, "Decided since". */
import { getHead, listEventsAfter } from '../../../storage/events/webhook-fan-out.ts'
import { newId } from '../../../storage/ids.ts'
import type { Store } from '../../../storage/store.ts'
import type { DeliveryRow } from '../../../storage/tables.ts'
import { orNotFound } from '../../platform/http/answers/errors.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Actors } from '../../runtime/actors.ts'
import { isConcurrentChange } from '../../runtime/refusals.ts'
import { deliveryAddress } from '../deliveries/actor.ts'
import { seedOf } from '../deliveries/new-delivery.ts'
import { type Delivery, presentDelivery } from '../deliveries/schema.ts'
import { recordEvent } from '../history/record.ts'
import { assertEnabled, type WebhookPlace, type Webhooks } from './service.ts'

interface TrialParts {
  store: Store
  clock: Pick<Clock, 'now'>
  actors: Actors
  webhooks: Webhooks
  deliveryWork: { retentionMs: number; traceInRequest(): string | null }
}

const eventsMax = 100

export class WebhookTrials {
  constructor(private readonly parts: TrialParts) {}

  /** Returns the delivery of the test event. Throws `notFound`, `invalid_transition` (409) for a disabled webhook. */
  async send(caller: Caller, place: WebhookPlace, record: RequestRecord): Promise<Delivery> {
    const { clock, actors, webhooks, deliveryWork } = this.parts
    const webhook = await webhooks.find(caller, place)
    assertEnabled(webhook)
    const at = clock.now()
    const event = await this.#record(caller, webhook, at)
    const seed = { ...seedOf(event, webhook, at), trace: deliveryWork.traceInRequest() }
    const shown = (row: DeliveryRow) => presentDelivery(row, deliveryWork.retentionMs)
    try {
      const { actor } = await actors.create<DeliveryRow>(
        deliveryAddress(seed.id),
        { input: { at }, seed, named: 'test' },
        { by: caller.principal, writes: ({ actor: { row } }) => record({ data: shown(row) }) },
      )
      return shown(actor.row)
    } catch (error) {
      // the webhook was deleted or disabled since it was read; if neither, it was enabled again meanwhile
      if (isConcurrentChange(error)) {
        assertEnabled(await webhooks.find(caller, place))
      }
      throw error
    }
  }

  /** The event's number is known only after it is recorded. */
  async #record(
    { organizationId, principal }: Caller,
    webhook: { id: string; project_id: string; environment_id: string },
    at: number,
  ) {
    const { store } = this.parts
    const { environment_id: environmentId, project_id: projectId, id: webhookId } = webhook
    const id = newId('evt', at)
    let after = (await store.first(getHead(store, { environmentId })))?.sequence ?? 0
    await store.commit(
      recordEvent(store, {
        id,
        organizationId,
        projectId,
        environmentId,
        type: 'webhook.test',
        subject: { type: 'webhook', id: webhookId },
        actor: principal,
        data: { webhookId },
        at,
      }),
      organizationId,
    )
    for (;;) {
      const events = await store.all(listEventsAfter(store, { environmentId, after, limit: eventsMax }))
      const found = events.find((event) => event.id === id)
      if (found) return found
      const last = orNotFound(events.at(-1))
      after = last.sequence
    }
  }
}
