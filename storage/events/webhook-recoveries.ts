/** Recoveries of webhooks, and the deliveries that they restore. Source: contract 7. */
import { rowsOf } from '../rows.ts'
import { rare } from '../sqlite/fragments.ts'
import { query } from '../statement.ts'

const webhookRecoveries = rowsOf('webhook_recoveries', 'id')
const webhookEventTypes = rowsOf('webhook_event_types', 'environment_id', 'type', 'webhook_id')

/** `UniqueViolation` while the webhook has a running recovery. */
export const insertRecovery = webhookRecoveries.insert()

export const updateRecovery = webhookRecoveries.move()

export const getRecovery = webhookRecoveries.find()

/** The recovery at this path; undefined if it does not exist or belongs elsewhere. */
export const findRecovery = webhookRecoveries.find('id', 'webhook_id', 'environment_id', 'organization_id')

/** The Project and Environment of a recovery in the organization. */
export const findPlaceOfRecovery = webhookRecoveries.only('project_id', 'environment_id').find('id', 'organization_id')

/** Newest first, ids below `before`. */
export const listRecoveries = webhookRecoveries.newest('id', 'webhook_id')

/** Dead letters, oldest first. */
export const listDeadLetters = query(
  (db, values: { webhookId: string; after: string; before: string; limit: number }) =>
    db
      .selectFrom('deliveries')
      .select(['id', 'event_at'])
      .where('webhook_id', '=', values.webhookId)
      .where(({ eb }) => rare(db, eb('state', '=', 'dead-letter')))
      .where('id', '>', values.after)
      .where('id', '<', values.before)
      .orderBy('id')
      .limit(values.limit),
)

/** The sequence numbers of the events for which the webhook has deliveries. */
export const listDelivered = query((db, values: { webhookId: string; after: number; upTo: number }) =>
  db
    .selectFrom('deliveries')
    .select('event_sequence')
    .distinct()
    .where('webhook_id', '=', values.webhookId)
    .where('event_sequence', '>', values.after)
    .where('event_sequence', '<=', values.upTo),
)

/** The event types to which the webhook subscribes. */
export const listKindsOfWebhook = webhookEventTypes.only('type').find('webhook_id')
