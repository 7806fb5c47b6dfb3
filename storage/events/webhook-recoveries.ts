/** Recoveries of webhooks, and what they look for. Source: contract 7. */
import { rowsOf } from '../rows.ts'
import { rare } from '../sqlite/fragments.ts'
import { query } from '../statement.ts'

const webhookRecoveries = rowsOf('webhook_recoveries', 'id')
const webhookEventTypes = rowsOf('webhook_event_types', 'environment_id', 'type', 'webhook_id')

/** `UniqueViolation` while the webhook has one that runs. */
export const insertRecovery = webhookRecoveries.insert()

export const updateRecovery = webhookRecoveries.move()

export const getRecovery = webhookRecoveries.find()

/** The recovery at this path, or undefined: absent and foreign look the same. */
export const findRecovery = webhookRecoveries.find('id', 'webhook_id', 'environment_id', 'organization_id')

/** Where a recovery of the organization is. */
export const findPlaceOfRecovery = webhookRecoveries.only('project_id', 'environment_id').find('id', 'organization_id')

/** Newest first, from below this id. */
export const listRecoveries = webhookRecoveries.newest('id', 'webhook_id')

/** Dead letters in the order in which they were made. */
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

/** The numbers of the events that the webhook has deliveries of. */
export const listDelivered = query((db, values: { webhookId: string; after: number; upTo: number }) =>
  db
    .selectFrom('deliveries')
    .select('event_sequence')
    .distinct()
    .where('webhook_id', '=', values.webhookId)
    .where('event_sequence', '>', values.after)
    .where('event_sequence', '<=', values.upTo),
)

/** What the webhook is for now. */
export const listKindsOfWebhook = webhookEventTypes.only('type').find('webhook_id')
