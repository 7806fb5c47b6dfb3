/** Recoveries of webhooks, and what they look for. Source: contract 7. */
import { rare } from '../sqlite/fragments.ts'
import { query, write } from '../statement.ts'
import type { WebhookRecoveryRow } from '../tables.ts'

/** `UniqueViolation` while the webhook has one that runs. */
export const insertRecovery = write((db, row: WebhookRecoveryRow) => db.insertInto('webhook_recoveries').values(row))

export const updateRecovery = write(
  (
    db,
    row: Pick<WebhookRecoveryRow, 'id' | 'state' | 'version' | 'machine_version' | 'context' | 'updated_at'> & {
      from: number
    },
  ) =>
    db
      .updateTable('webhook_recoveries')
      .set({
        state: row.state,
        version: row.version,
        machine_version: row.machine_version,
        context: row.context,
        updated_at: row.updated_at,
      })
      .where('id', '=', row.id)
      .where('version', '=', row.from),
  1,
)

export const getRecovery = query((db, values: { id: string }) =>
  db.selectFrom('webhook_recoveries').selectAll().where('id', '=', values.id),
)

/** The recovery at this path, or undefined: absent and foreign look the same. */
export const findRecovery = query(
  (db, values: { organizationId: string; environmentId: string; webhookId: string; id: string }) =>
    db
      .selectFrom('webhook_recoveries')
      .selectAll()
      .where('id', '=', values.id)
      .where('webhook_id', '=', values.webhookId)
      .where('environment_id', '=', values.environmentId)
      .where('organization_id', '=', values.organizationId),
)

/** Where a recovery of the organization is. */
export const findPlaceOfRecovery = query((db, values: { organizationId: string; id: string }) =>
  db
    .selectFrom('webhook_recoveries')
    .select(['project_id', 'environment_id'])
    .where('id', '=', values.id)
    .where('organization_id', '=', values.organizationId),
)

/** Newest first, from below this id. */
export const listRecoveries = query((db, values: { webhookId: string; before: string; limit: number }) =>
  db
    .selectFrom('webhook_recoveries')
    .selectAll()
    .where('webhook_id', '=', values.webhookId)
    .where('id', '<', values.before)
    .orderBy('id', 'desc')
    .limit(values.limit),
)

export const deleteRecovery = write((db, values: { id: string }) =>
  db.deleteFrom('webhook_recoveries').where('id', '=', values.id),
)

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
export const listKindsOfWebhook = query((db, values: { webhookId: string }) =>
  db.selectFrom('webhook_event_types').select('type').where('webhook_id', '=', values.webhookId),
)
