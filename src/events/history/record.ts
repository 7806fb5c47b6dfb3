/**
 * Writes an Environment's history. An event commits with its change and gets its number in that transaction: 1, 2, 3 …
 * for each Environment, without gaps. Source: requirement 6; contract 7, `Event`.
 */
import {
  insertEvent,
  insertEventIfSubscribed,
  takeSequence,
  takeSequenceIfSubscribed,
} from '../../../storage/events/events.ts'
import { newId } from '../../../storage/ids.ts'
import type { Store, Write } from '../../../storage/store.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import type { By } from '../../runtime/kind.ts'
import { type EventSubject, isFurther, type RecordedKind } from '../kinds/kinds.ts'
import { boundedData, eventBytesMax } from './bound.ts'
import { notifyListeners } from './listeners.ts'

/** The most bytes of everything but the data. */
const envelopeBytesMax = 4 * 1024

export interface NewEvent {
  /** Default: a new id. */
  id?: string
  organizationId: string
  projectId: string
  environmentId: string
  type: RecordedKind
  subject: EventSubject
  /** The actor of the event. */
  actor: By
  /** Ids, old and new states: never a secret, never the inputs and outputs of Agents. Large data is reduced. */
  data: Record<string, unknown>
  /** Epoch milliseconds. */
  at: number
  /** The id of an audit line: the event is recorded only if the same unit of work has written that line. */
  ifAudited?: string
  /** The span of the event's subject, as stored; the spans of its deliveries are its children. */
  trace?: string | null
}

/** The statements that record the event, in this order, for the unit of work of the change. */
export function recordEvent(store: Store, event: NewEvent): Write[] {
  const { organizationId, projectId, environmentId, type, subject, actor, data, at } = event
  const id = event.id ?? newId('evt', at)
  // the text is stored as it is shown and delivered; only the number is added in the transaction
  const before = JSON.stringify({ id, type, timestamp: timestamp(at) })
  const place = JSON.stringify({ organizationId, projectId, environmentId, subject, actor })
  const after = `${place.slice(0, -1)},"data":${boundedData(data, eventBytesMax - envelopeBytesMax)}}`
  const numberless = {
    environment_id: environmentId,
    id,
    type,
    head: `${before.slice(0, -1)},"sequence":`,
    tail: `,${after.slice(1)}`,
    trace: event.trace ?? null,
  }
  const committed = () => notifyListeners(store, environmentId)
  if (!isFurther(type))
    return [takeSequence(store, { environmentId, at }), { ...insertEvent(store, numberless), committed }]
  const condition = { type, organizationId, auditId: event.ifAudited ?? null }
  return [
    takeSequenceIfSubscribed(store, { environmentId, at, ...condition }),
    { ...insertEventIfSubscribed(store, { ...numberless, ...condition }), committed },
  ]
}
