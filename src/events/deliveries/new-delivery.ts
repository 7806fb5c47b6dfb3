/** Creates deliveries from events of the history. Source: requirement 6.1; contract 7. */
import { newId } from '../../../storage/ids.ts'
import type { Write } from '../../../storage/store.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Actors } from '../../runtime/actors.ts'
import { system } from '../../runtime/kind.ts'
import { type DeliverySeed, deliveryAddress } from './actor.ts'
import type { DeliveryTraces } from './delivery-traces.ts'

interface NewDeliveryParts {
  actors: Pick<Actors, 'prepareCreate' | 'prepareCreateAndSend'>
  clock: Pick<Clock, 'now'>
  /** null or omitted: traces are disabled. */
  traces?: Pick<DeliveryTraces, 'begin'> | null
}

interface RecordedEvent {
  sequence: number
  id: string
  type: string
  at: number
  /** The span of the event's subject, as stored. */
  trace?: string | null
}

/** The webhook that gets it. */
interface Addressee {
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

/** A new delivery, and the statements that create it. */
interface NewDelivery {
  id: string
  /** Whether it is created as claimed. */
  isClaimed: boolean
  writes: Write[]
}

/**
 * The statements that create a delivery, for the caller's unit of work. `claims` decides whether it is created as
 * claimed; its attempt then begins with the commit.
 */
export async function newDelivery(
  { actors, clock, traces }: NewDeliveryParts,
  event: RecordedEvent,
  webhook: Addressee,
  claims: (id: string) => boolean = () => false,
): Promise<NewDelivery> {
  const at = clock.now()
  const seed = { ...seedOf(event, webhook, at), trace: traces?.begin(event.trace ?? null) ?? null }
  const { id } = seed
  const creation = { input: { at }, seed, named: 'create' }
  const isClaimed = claims(id)
  const { writes } = isClaimed
    ? await actors.prepareCreateAndSend(deliveryAddress(id), creation, [{ type: 'claimed' }])
    : await actors.prepareCreate(deliveryAddress(id), creation, system)
  return { id, isClaimed, writes }
}
