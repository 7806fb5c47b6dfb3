/**
 * From an Environment's history to its webhooks: who hears of which kind of event, and how far the history has been turned
 * into deliveries. Source: requirement 6; contract 7.
 */
import { sql } from 'kysely'
import { inSlots } from '../by-engine.ts'
import { rowsOf } from '../rows.ts'
import type { OfSlots } from '../slots.ts'
import { query, write } from '../statement.ts'

const webhookEventTypes = rowsOf('webhook_event_types', 'environment_id', 'type', 'webhook_id')
const webhookPointers = rowsOf('webhook_pointers', 'environment_id')
const environmentSequences = rowsOf('environment_sequences', 'environment_id')

/** The last number of the Environment's history, in the transaction that asks. */
const head = (environmentId: string) =>
  sql<number>`coalesce((select sequence from environment_sequences where environment_id = ${environmentId}), 0)`

/** The history counts from here on, if it does not already for an earlier webhook. */
export const insertPointer = write((db, values: { environmentId: string }) =>
  db
    .insertInto('webhook_pointers')
    .values({ environment_id: values.environmentId, sequence: head(values.environmentId) })
    .onConflict((conflict) => conflict.doNothing()),
)

/** Events of this kind from now on; a kind that the webhook has heard of before goes on as it was. */
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

/** What has happened while the webhook was disabled is not for it. Comes before what enables it. */
export const skipMissed = write((db, values: { environmentId: string; webhookId: string }) =>
  db
    .updateTable('webhook_event_types')
    .set({ after_sequence: head(values.environmentId) })
    .where('webhook_id', '=', values.webhookId)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('webhooks').select('id').where('id', '=', values.webhookId).where('enabled', '=', 0)),
    ),
)

/** How far the history of this Environment has been turned into deliveries; undefined when it never had a webhook. */
export const getPointer = webhookPointers.only('sequence').find()

/** Moves the pointer, unless another process has. */
export const advancePointer = write(
  (db, values: { environmentId: string; from: number; to: number }) =>
    db
      .updateTable('webhook_pointers')
      .set({ sequence: values.to })
      .where('environment_id', '=', values.environmentId)
      .where('sequence', '=', values.from),
  1,
)

/** Environments with webhooks whose history is ahead of the pointer, in the order of their ids. */
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

/** The history behind a number, ascending, without its bodies. */
export const listEventsAfter = query((db, values: { environmentId: string; after: number; limit: number }) =>
  db
    .selectFrom('environment_events')
    .select(['sequence', 'id', 'type', 'at', 'trace'])
    .where('environment_id', '=', values.environmentId)
    .where('sequence', '>', values.after)
    .orderBy('sequence')
    .limit(values.limit),
)

/** The last number of the history; it may stand for an event that has been removed since. */
export const getHead = environmentSequences.only('sequence').find()

/** Who is to hear of this kind of event, from which number on. */
export const listSubscribers = query((db, values: { environmentId: string; type: string }) =>
  db
    .selectFrom('webhook_event_types as subscription')
    .innerJoin('webhooks', 'webhooks.id', 'subscription.webhook_id')
    .select(['webhooks.id', 'webhooks.organization_id', 'webhooks.project_id', 'subscription.after_sequence'])
    .where('subscription.environment_id', '=', values.environmentId)
    .where('subscription.type', '=', values.type)
    .where('webhooks.enabled', '=', 1),
)
