/** Deliveries of webhooks. The row is the actor's: every change of it grows `version`. Source: contract 7. */

import { inSlots, isNull } from '../by-engine.ts'
import { perFilters } from '../per-filters.ts'
import { insertFrom, rowsOf } from '../rows.ts'
import type { OfSlots } from '../slots.ts'
import { rare } from '../sqlite/fragments.ts'
import { query, write } from '../statement.ts'
import type { Store } from '../store.ts'
import type { DeliveryRow } from '../tables.ts'

const deliveries = rowsOf('deliveries', 'id')
const environmentEvents = rowsOf('environment_events', 'environment_id', 'sequence')

/** To a webhook that is there, and is enabled unless this is a replay; else `StaleWrite`. */
export const insertDelivery = write(
  (db, row: DeliveryRow) =>
    insertFrom(
      db,
      'deliveries',
      row,
      db
        .selectFrom('webhooks')
        .where('webhooks.id', '=', row.webhook_id)
        .where('webhooks.environment_id', '=', row.environment_id)
        .where('webhooks.deleted_at', 'is', null)
        .where(({ or, eb, not }) => or([eb('webhooks.enabled', '=', 1), not(isNull(row.replay_of))])),
    ),
  1,
)

const whatChanges = ['attempts', 'due_at', 'attempt_history', 'delivered_at'] as const

export const updateDelivery = deliveries.moveWithUnit(...whatChanges)

/** The same for a claim: only while the webhook is enabled. */
export const claimDelivery = deliveries
  .where(({ exists, selectFrom }) =>
    exists(
      selectFrom('webhooks')
        .select('webhooks.id')
        .whereRef('webhooks.id', '=', 'deliveries.webhook_id')
        .where('webhooks.enabled', '=', 1),
    ),
  )
  .moveWithUnit(...whatChanges)

/** Any delivery, for the runtime; a request looks it up with its organization. */
export const getDelivery = deliveries.find()

/** A delivery, named by its path; those of events from `eventsUntil` or earlier have expired. */
export interface DeliveryKey {
  organizationId: string
  environmentId: string
  webhookId: string
  id: string
  eventsUntil: number
}

/** The delivery at this path, or undefined: absent, foreign and expired look the same. */
export const findDelivery = query((db, values: DeliveryKey) =>
  db
    .selectFrom('deliveries')
    .innerJoin('webhooks', 'webhooks.id', 'deliveries.webhook_id')
    .selectAll('deliveries')
    .where('deliveries.id', '=', values.id)
    .where('deliveries.webhook_id', '=', values.webhookId)
    .where('deliveries.environment_id', '=', values.environmentId)
    .where('deliveries.organization_id', '=', values.organizationId)
    .where('deliveries.event_at', '>', values.eventsUntil)
    .where('webhooks.deleted_at', 'is', null),
)

/** Where a delivery of the organization lives. */
export const findPlaceOfDelivery = query((db, values: { organizationId: string; id: string; eventsUntil: number }) =>
  db
    .selectFrom('deliveries')
    .innerJoin('webhooks', 'webhooks.id', 'deliveries.webhook_id')
    .select(['deliveries.project_id', 'deliveries.environment_id'])
    .where('deliveries.id', '=', values.id)
    .where('deliveries.organization_id', '=', values.organizationId)
    .where('deliveries.event_at', '>', values.eventsUntil)
    .where('webhooks.deleted_at', 'is', null),
)

export interface DeliveryList {
  organizationId: string
  webhookId: string
  /** From below this id, and not below the other: ids sort by creation. */
  before: string
  from: string
  eventsUntil: number
  limit: number
}

/** Each along an index of its own. */
const lists = perFilters(['state', 'event_type'], (by) =>
  query((db, values: DeliveryList & { state: string | undefined; event_type: string | undefined }) =>
    db
      .selectFrom('deliveries')
      .selectAll()
      .where('webhook_id', '=', values.webhookId)
      .where('organization_id', '=', values.organizationId)
      .where('id', '<', values.before)
      .where('id', '>=', values.from)
      .where('event_at', '>', values.eventsUntil)
      .where(({ and, eb }) => and(by.map((column) => rare(db, eb(column, '=', values[column] as string)))))
      .orderBy('id', 'desc')
      .limit(values.limit),
  ),
)

/** Newest first; of those in this state, and of this kind of event, where these are given. */
export function listDeliveries(
  store: Store,
  { state, eventType, ...others }: DeliveryList & { state?: string | undefined; eventType?: string | undefined },
) {
  const values = { ...others, state, event_type: eventType }
  return lists(values)(store, values)
}

interface Waiting {
  webhookId: string
  now: number
  eventsUntil: number
}

/** What waits to be claimed; nothing of a webhook that is disabled. */
const waiting = (db: Store['db'], values: Waiting) =>
  db
    .selectFrom('deliveries')
    .innerJoin('webhooks', 'webhooks.id', 'deliveries.webhook_id')
    .where('deliveries.webhook_id', '=', values.webhookId)
    .where('deliveries.event_at', '>', values.eventsUntil)
    .where('webhooks.enabled', '=', 1)
    .orderBy('deliveries.due_at')

/** What may be claimed now, the longest due first. */
export const listDueDeliveries = query((db, values: Waiting & { limit: number }) =>
  waiting(db, values).select('deliveries.id').where('deliveries.due_at', '<=', values.now).limit(values.limit),
)

/** What may be claimed next. */
export const nextDueDelivery = query((db, values: Waiting) =>
  waiting(db, values).select('deliveries.due_at').where('deliveries.due_at', '>', values.now).limit(1),
)

/** The next webhook, by id, that deliveries wait for. */
export const nextWaitingWebhook = query((db, values: OfSlots & { after: string }) =>
  db
    .selectFrom('deliveries')
    .select('webhook_id')
    .where('due_at', 'is not', null)
    .where('webhook_id', '>', values.after)
    .where(inSlots('webhook_id', values.slots))
    .orderBy('webhook_id')
    .limit(1),
)

/** Deliveries of a webhook that are being attempted. */
export const listInFlight = deliveries
  .where(({ eb }) => eb('state', '=', 'in-flight'))
  .only('id')
  .find('webhook_id')

/** The text that is delivered: the event as it stands in the history. */
export const getEventBody = environmentEvents.only('body').find()

/** Deliveries of events that are no longer kept. */
export const listExpiredDeliveries = query((db, values: { eventsUntil: number; limit: number }) =>
  db.selectFrom('deliveries').select('id').where('event_at', '<=', values.eventsUntil).limit(values.limit),
)

/** Deliveries of webhooks that have been deleted; not a join, which would begin with all deliveries. */
export const listOrphanedDeliveries = query((db, values: { limit: number }) =>
  db
    .selectFrom('deliveries')
    .select('id')
    .where('webhook_id', 'in', ({ selectFrom }) =>
      selectFrom('webhooks').select('webhooks.id').where('webhooks.deleted_at', 'is not', null),
    )
    .limit(values.limit),
)

export const deleteDelivery = deliveries.remove()
