/**
 * Signing secrets of webhooks: the current one, and replaced ones for a day. Source: contract 7, "Standard Webhooks".
 */
import { rowsOf } from '../rows.ts'
import { query, write } from '../statement.ts'
import type { WebhookKey } from './webhooks.ts'

const webhookSecrets = rowsOf('webhook_secrets', 'webhook_id', 'version')

export const insertSecret = webhookSecrets.insert()

/** Makes `version` the current one; `StaleWrite` if its predecessor no longer is, or `oldMax` others are valid. */
export const advanceSecret = write(
  (db, values: WebhookKey & { version: number; was: number; oldMax: number; at: number }) =>
    db
      .updateTable('webhooks')
      .set({ secret_version: values.version, updated_at: values.at })
      .where('id', '=', values.id)
      .where('environment_id', '=', values.environmentId)
      .where('organization_id', '=', values.organizationId)
      .where('deleted_at', 'is', null)
      .where('secret_version', '=', values.was)
      .where(
        ({ selectFrom, fn }) =>
          selectFrom('webhook_secrets')
            .select(fn.countAll<number>().as('count'))
            .where('webhook_id', '=', values.id)
            .where('expires_at', '>', values.at),
        '<',
        values.oldMax,
      ),
  1,
)

export const expireSecret = write(
  (db, values: { webhookId: string; version: number; expiresAt: number }) =>
    db
      .updateTable('webhook_secrets')
      .set({ expires_at: values.expiresAt })
      .where('webhook_id', '=', values.webhookId)
      .where('version', '=', values.version),
  1,
)

/** Number of earlier secrets that are valid. */
export const countOldSecrets = query((db, values: { webhookId: string; now: number }) =>
  db
    .selectFrom('webhook_secrets')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('webhook_id', '=', values.webhookId)
    .where('expires_at', '>', values.now),
)

/** All valid secrets, the current one first. */
export const listSecretsInForce = query((db, values: { webhookId: string; now: number }) =>
  db
    .selectFrom('webhook_secrets')
    .selectAll()
    .where('webhook_id', '=', values.webhookId)
    .where(({ or, eb }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', values.now)]))
    .orderBy('version', 'desc'),
)

export const deleteSecrets = webhookSecrets.remove('webhook_id')

export const listEndedSecrets = webhookSecrets.only('webhook_id', 'version').due('expires_at')

export const deleteEndedSecret = write((db, values: { webhookId: string; version: number; now: number }) =>
  db
    .deleteFrom('webhook_secrets')
    .where('webhook_id', '=', values.webhookId)
    .where('version', '=', values.version)
    .where('expires_at', '<=', values.now),
)
