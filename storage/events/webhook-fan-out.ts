/**
 * Fans an Environment's history out to its webhooks: their subscriptions, and the position up to which deliveries have
 * been created. Source: requirement 6; contract 7.
 */
import { sql } from 'kysely'
import { inSlots } from '../by-engine.ts'
import { rowsOf } from '../rows.ts'
import type { OfSlots } from '../slots.ts'
import { query, write } from '../statement.ts'

const webhookEventTypes = rowsOf('webhook_event_types', 'environment_id', 'type', 'webhook_id')
const webhookPointers = rowsOf('webhook_pointers', 'environment_id')
const environmentSequences = rowsOf('environment_sequences', 'environment_id')

/** The last sequence number of the Environment's history, read in the same transaction. */
const head = (environmentId: string) =>
  sql<number>`coalesce((select sequence from environment_sequences where environment_id = ${environmentId}), 0)`

/** Starts fan-out at the current position, unless an earlier webhook has started it. */
export const insertPointer = write((db, values: { environmentId: string }) =>
  db
    .insertInto('webhook_pointers')
    .values({ environment_id: values.environmentId, sequence: head(values.environmentId) })
    .onConflict((conflict) => conflict.doNothing()),
)

/** Subscribes to an event type from now on; an existing subscription keeps its position. */
export const subscribe = write((db, values: { environmentId: string; webhookId: string; type: string }) =>
  db
    .insertInto('webhook_event_types')
    .values({
      environment_id: values.environmentId,
      type: values.type,
      webhook_id: values.webhookId,
      after_sequence: head(values.environmentId),
    })
    .onConflict((conflict) => conflict.doNothing()),
)

export const unsubscribe = webhookEventTypes.remove()

export const unsubscribeFromAll = webhookEventTypes.remove('webhook_id')

/** Skips the events that occurred while the webhook was disabled. Precedes the statement that enables it. */
export const skipMissed = write((db, values: { environmentId: string; webhookId: string }) =>
  db
    .updateTable('webhook_event_types')
    .set({ after_sequence: head(values.environmentId) })
    .where('webhook_id', '=', values.webhookId)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('webhooks').select('id').where('id', '=', values.webhookId).where('enabled', '=', 0)),
    ),
)

/** The position up to which deliveries have been created; undefined if the Environment never had a webhook. */
export const getPointer = webhookPointers.only('sequence').find()

/** Advances the position; `StaleWrite` if another process has. */
export const advancePointer = write(
  (db, values: { environmentId: string; from: number; to: number }) =>
    db
      .updateTable('webhook_pointers')
      .set({ sequence: values.to })
      .where('environment_id', '=', values.environmentId)
      .where('sequence', '=', values.from),
  1,
)

/** Environments with webhooks whose history is ahead of the position, by id. */
export const listBehind = query((db, values: OfSlots & { after: string; limit: number }) =>
  db
    .selectFrom('webhook_pointers as pointer')
    .innerJoin('environment_sequences as head', 'head.environment_id', 'pointer.environment_id')
    .select('pointer.environment_id')
    .whereRef('head.sequence', '>', 'pointer.sequence')
    .where('pointer.environment_id', '>', values.after)
    .where(inSlots('pointer.environment_id', values.slots))
    .orderBy('pointer.environment_id')
    .limit(values.limit),
)

/** The events after this sequence number, ascending, without their bodies. */
export const listEventsAfter = query((db, values: { environmentId: string; after: number; limit: number }) =>
  db
    .selectFrom('environment_events')
    .select(['sequence', 'id', 'type', 'at', 'trace'])
    .where('environment_id', '=', values.environmentId)
    .where('sequence', '>', values.after)
    .orderBy('sequence')
    .limit(values.limit),
)

/** The last sequence number of the history; its event may have been removed since. */
export const getHead = environmentSequences.only('sequence').find()

/**
 * The enabled webhooks that subscribe to an event type, each with the sequence number after which it receives events.
 */
export const listSubscribers = query((db, values: { environmentId: string; type: string }) =>
  db
    .selectFrom('webhook_event_types as subscription')
    .innerJoin('webhooks', 'webhooks.id', 'subscription.webhook_id')
    .select(['webhooks.id', 'webhooks.organization_id', 'webhooks.project_id', 'subscription.after_sequence'])
    .where('subscription.environment_id', '=', values.environmentId)
    .where('subscription.type', '=', values.type)
    .where('webhooks.enabled', '=', 1),
)
