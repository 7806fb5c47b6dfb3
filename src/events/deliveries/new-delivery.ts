/** Creates deliveries from events of the history. Source: requirement 6.1; contract 7. */
import { newId } from '../../../storage/ids.ts'
import type { Write } from '../../../storage/store.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Actors } from '../../runtime/actors.ts'
import { system } from '../../runtime/kind.ts'
import { type DeliverySeed, deliveryAddress } from './actor.ts'
import type { DeliveryTraces } from './delivery-traces.ts'

export interface NewDeliveryParts {
  actors: Pick<Actors, 'prepareCreate'>
  clock: Pick<Clock, 'now'>
  /** Null or omitted: without traces. */
  traces?: Pick<DeliveryTraces, 'begin'> | null
}

export interface RecordedEvent {
  sequence: number
  id: string
  type: string
  at: number
  /** The span of what it is about, as stored. */
  trace?: string | null
}

/** The webhook that gets it. */
export interface Addressee {
  id: string
  organization_id: string
  project_id: string
  environment_id: string
}

/** The row of a new delivery of this event. */
export const seedOf = (event: RecordedEvent, webhook: Addressee, at: number): DeliverySeed => ({
  id: newId('dlv', at),
  organization_id: webhook.organization_id,
  project_id: webhook.project_id,
  environment_id: webhook.environment_id,
  webhook_id: webhook.id,
  event_id: event.id,
  event_type: event.type,
  event_sequence: event.sequence,
  event_at: event.at,
  replay_of: null,
  trace: null,
})

/** The statements that create a delivery, for the caller's unit of work. */
export async function newDelivery(
  { actors, clock, traces }: NewDeliveryParts,
  event: RecordedEvent,
  webhook: Addressee,
): Promise<Write[]> {
  const at = clock.now()
  const seed = { ...seedOf(event, webhook, at), trace: traces?.begin(event.trace ?? null) ?? null }
  const { writes } = await actors.prepareCreate(
    deliveryAddress(seed.id),
    { input: { at }, seed, named: 'create' },
    system,
  )
  return writes
}
