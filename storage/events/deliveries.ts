/** Deliveries of webhooks. The row is the actor's: every change increases `version`. Source: contract 7. */
import { type RawBuilder, sql } from 'kysely'
import { isNull } from '../by-engine.ts'
import { perFilters } from '../per-filters.ts'
import { insertFrom, rowsOf } from '../rows.ts'
import { rare } from '../sqlite/fragments.ts'
import { query, write } from '../statement.ts'
import type { Store } from '../store.ts'
import type { DeliveryRow } from '../tables.ts'

const deliveries = rowsOf('deliveries', 'id')
const environmentEvents = rowsOf('environment_events', 'environment_id', 'sequence')

/** `StaleWrite` if the webhook was deleted or, except for a replay, is disabled. */
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

export const updateDelivery = deliveries.move(...whatChanges)

/** The same for a claim; `StaleWrite` if the webhook is disabled. */
export const claimDelivery = deliveries
  .where(({ exists, selectFrom }) =>
    exists(
      selectFrom('webhooks')
        .select('webhooks.id')
        .whereRef('webhooks.id', '=', 'deliveries.webhook_id')
        .where('webhooks.enabled', '=', 1),
    ),
  )
  .move(...whatChanges)

/** Any delivery, for the runtime; requests also filter by organization. */
export const getDelivery = deliveries.find()

/** The path of a delivery; deliveries of events from `eventsUntil` or earlier have expired. */
interface DeliveryKey {
  organizationId: string
  environmentId: string
  webhookId: string
  id: string
  eventsUntil: number
}

/** The delivery at this path; undefined if it does not exist, has expired or belongs elsewhere. */
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

/** The Project and Environment of a delivery in the organization. */
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

interface DeliveryList {
  organizationId: string
  webhookId: string
  /** Ids below `before`, down to and including `from`: ids sort by creation. */
  before: string
  from: string
  eventsUntil: number
  limit: number
}

/** Each combination of filters is served by its own index. */
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

/** Newest first; optionally only in one state, or of one event type. */
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

/** Deliveries that wait to be claimed, without those of disabled webhooks. */
const waiting = (db: Store['db'], values: Waiting) =>
  db
    .selectFrom('deliveries')
    .innerJoin('webhooks', 'webhooks.id', 'deliveries.webhook_id')
    .where('deliveries.webhook_id', '=', values.webhookId)
    .where('deliveries.event_at', '>', values.eventsUntil)
    .where('webhooks.enabled', '=', 1)
    .orderBy('deliveries.due_at')

/** Deliveries that are due, longest due first. */
export const listDueDeliveries = query((db, values: Waiting & { limit: number }) =>
  waiting(db, values)
    .select(['deliveries.id', 'webhooks.organization_id'])
    .where('deliveries.due_at', '<=', values.now)
    .limit(values.limit),
)

/** The next delivery to become due. */
export const nextDueDelivery = query((db, values: Waiting) =>
  waiting(db, values).select('deliveries.due_at').where('deliveries.due_at', '>', values.now).limit(1),
)

/**
 * The next webhooks by id with waiting deliveries, in order. From one webhook to the next it skips the deliveries in
 * between, of which there may be any number.
 */
export const listWaitingWebhooks = query((db, values: { after: string; limit: number }) => {
  const nextAfter = (id: RawBuilder<unknown>) => sql`(select webhook_id from deliveries
    where due_at is not null and webhook_id > ${id} order by webhook_id limit 1)`
  return {
    compile: () =>
      sql<Pick<DeliveryRow, 'webhook_id'>>`
        with recursive waiting (webhook_id, number) as (
          select ${nextAfter(sql`${values.after}`)}, 1
          union all
          select ${nextAfter(sql`waiting.webhook_id`)}, number + 1 from waiting
          where waiting.webhook_id is not null and number < ${values.limit})
        select webhook_id from waiting where webhook_id is not null`.compile(db),
  }
})

/** Deliveries of a webhook that are in flight. */
export const listInFlight = deliveries
  .where(({ eb }) => eb('state', '=', 'in-flight'))
  .only('id')
  .find('webhook_id')

/** The delivered text: the event as stored in the history. */
export const getEventBody = environmentEvents.only('body').find()

/** Deliveries of events that have expired. */
export const listExpiredDeliveries = query((db, values: { eventsUntil: number; limit: number }) =>
  db
    .selectFrom('deliveries')
    .select(['id', 'event_at'])
    .where('event_at', '<=', values.eventsUntil)
    .orderBy('event_at')
    .limit(values.limit),
)

/** Deliveries of deleted webhooks. Not a join, which would scan all deliveries first. */
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
