/** Webhooks: the subscriptions to an Environment's history. Source: requirement 2, 4.13; contract 7. */
import { type Kysely, sql } from 'kysely'
import { activeEnvironment } from '../active-parents.ts'
import { insertFrom, rowsOf } from '../rows.ts'
import { write } from '../statement.ts'
import type { Tables, WebhookRow } from '../tables.ts'

const webhooks = rowsOf('webhooks', 'id')
/** Webhooks that were not deleted. */
const standing = webhooks.where(({ eb }) => eb('deleted_at', 'is', null))
const webhookFailures = rowsOf('webhook_failures', 'webhook_id', 'at', 'delivery_id', 'attempt')

/** The path of a webhook. */
export interface WebhookKey {
  organizationId: string
  environmentId: string
  id: string
}

/** `StaleWrite` if the Environment is being deleted or has `webhooksMax` webhooks. */
export const insertWebhook = write(
  (db, { webhooksMax, ...row }: WebhookRow & { webhooksMax: number }) =>
    insertFrom(
      db,
      'webhooks',
      row,
      activeEnvironment(db, row)
        .where('projects.id', '=', row.project_id)
        .where(standing.fewerThan(webhooksMax, 'environment_id', row.environment_id)),
    ),
  1,
)

/** Number of webhooks in the Environment. */
export const countWebhooks = standing.count('environment_id')

/** The webhook at this path; undefined if it does not exist or belongs elsewhere. */
export const findWebhook = standing.find('id', 'environment_id', 'organization_id')

/** A webhook by its id alone, for delivery. */
export const getWebhook = standing.find()

/** Newest first, ids below `before`. */
export const listWebhooks = standing.newest('id', 'environment_id', 'organization_id')

/** The changes; null leaves a field as it is. */
interface WebhookUpdate extends WebhookKey {
  endpointUrl: string | null
  /** JSON. */
  eventTypes: string | null
  enabled: 0 | 1 | null
  captureResponses: 0 | 1 | null
  at: number
}

/** Enabling it, or changing its endpoint, restarts its failure window. */
export const updateWebhook = write(
  (db, values: WebhookUpdate) =>
    db
      .updateTable('webhooks')
      .set({
        failing_since: sql<number | null>`case
          when coalesce(${values.enabled}, enabled) > enabled or coalesce(${values.endpointUrl}, endpoint_url) <> endpoint_url
          then null else failing_since end`,
        disabled_reason: sql<'failing' | null>`case when ${values.enabled} = 1 then null else disabled_reason end`,
        enabled: sql<0 | 1>`coalesce(${values.enabled}, enabled)`,
        endpoint_url: sql<string>`coalesce(${values.endpointUrl}, endpoint_url)`,
        event_types: sql<string>`coalesce(${values.eventTypes}, event_types)`,
        capture_responses: sql<0 | 1>`coalesce(${values.captureResponses}, capture_responses)`,
        updated_at: values.at,
      })
      .where('id', '=', values.id)
      .where('environment_id', '=', values.environmentId)
      .where('organization_id', '=', values.organizationId)
      .where('deleted_at', 'is', null),
  1,
)

/** Marks a webhook as deleted; its row is removed with the last of its deliveries. */
export const markWebhookDeleted = write(
  (db, values: WebhookKey & { at: number }) =>
    db
      .updateTable('webhooks')
      .set({ enabled: 0, disabled_reason: null, updated_at: values.at, deleted_at: values.at })
      .where('id', '=', values.id)
      .where('environment_id', '=', values.environmentId)
      .where('organization_id', '=', values.organizationId)
      .where('deleted_at', 'is', null),
  1,
)

/** Deletes the rows of deleted webhooks that have no deliveries. */
export const deleteEmptiedWebhooks = write((db, _values: object) =>
  db
    .deleteFrom('webhooks')
    .where('deleted_at', 'is not', null)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('deliveries').select('id').whereRef('deliveries.webhook_id', '=', 'webhooks.id'))),
    ),
)

/** Records a failed attempt; the time of the first failure since the last success is kept. */
export const noteFailure = write((db, values: { webhookId: string; at: number }) =>
  db
    .updateTable('webhooks')
    .set({ failing_since: values.at })
    .where('id', '=', values.webhookId)
    .where('failing_since', 'is', null),
)

/** Number of consecutive failed attempts within the window that disables a webhook. */
const failuresMin = 10

/** Stores a failed attempt, which counts towards `failuresMin`. */
export const insertFailure = webhookFailures.insertOrKeep()

/** Removes all but the last `failuresMin` failures of a webhook; only these count. */
export const pruneFailures = write((db, values: { webhookId: string }) =>
  db
    .deleteFrom('webhook_failures')
    .where('webhook_id', '=', values.webhookId)
    .where('at', '<', ({ selectFrom }) =>
      selectFrom('webhook_failures')
        .select('at')
        .where('webhook_id', '=', values.webhookId)
        .orderBy('at', 'desc')
        .limit(1)
        .offset(failuresMin - 1),
    ),
)

/**
 * Whether enough attempts have failed. Failures before the last success do not count, nor do those before the window.
 */
const hasFailedOften = ({ webhookId, since }: { webhookId: string; since: number }) =>
  sql<boolean>`(select count(*) from webhook_failures
    where webhook_failures.webhook_id = ${webhookId} and webhook_failures.at >= ${since}
      and webhook_failures.at >= webhooks.failing_since) >= ${failuresMin}`

export const noteSuccess = write((db, values: { webhookId: string }) =>
  db
    .updateTable('webhooks')
    .set({ failing_since: null })
    .where('id', '=', values.webhookId)
    .where('failing_since', 'is not', null),
)

/** Fields of the audit event for a disabled webhook. */
interface DisablingLine {
  webhookId: string
  /** The id of the audit event. */
  id: string
  requestId: string
  at: number
}

const auditColumns = [
  'organization_id',
  'id',
  'actor_type',
  'actor_id',
  'ip',
  'operation',
  'resource_type',
  'resource_id',
  'outcome',
  'request_id',
  'changed',
  'at',
] as const

/** Selects the audit event, if the webhook is enabled. */
const disablingLine = (db: Kysely<Tables>, { webhookId, id, requestId, at }: DisablingLine) =>
  db
    .selectFrom('webhooks')
    .select([
      'organization_id',
      sql<string>`${id}`.as('id'),
      sql<string>`'server'`.as('actor_type'),
      sql<string>`'webhooks'`.as('actor_id'),
      sql<string | null>`null`.as('ip'),
      sql<string>`'disableWebhook'`.as('operation'),
      sql<string>`'webhook'`.as('resource_type'),
      'id as resource_id',
      sql<'allowed'>`'allowed'`.as('outcome'),
      sql<string>`${requestId}`.as('request_id'),
      sql<string>`'["disabledReason","enabled"]'`.as('changed'),
      sql<number>`${at}`.as('at'),
    ])
    .where('id', '=', webhookId)
    .where('enabled', '=', 1)

/** Writes the audit event for `disableFailing`, which follows in the same unit of work. */
export const auditFailing = write((db, values: DisablingLine & { since: number }) =>
  db
    .insertInto('audit_events')
    .columns(auditColumns)
    .expression(disablingLine(db, values).where('failing_since', '<=', values.since).where(hasFailedOften(values))),
)

/** The same for `disableGone`. */
export const auditGone = write((db, values: DisablingLine & { attemptedAt: number }) =>
  db
    .insertInto('audit_events')
    .columns(auditColumns)
    .expression(disablingLine(db, values).where('updated_at', '<=', values.attemptedAt)),
)

/** Disables a webhook if all attempts have failed since `since` or earlier, and at least `failuresMin` since then. */
export const disableFailing = write((db, values: { webhookId: string; since: number; at: number }) =>
  db
    .updateTable('webhooks')
    .set({ enabled: 0, disabled_reason: 'failing', updated_at: values.at })
    .where('id', '=', values.webhookId)
    .where('enabled', '=', 1)
    .where('failing_since', '<=', values.since)
    .where(hasFailedOften(values)),
)

/**
 * Disables a webhook whose endpoint responded 410 Gone. A webhook that was changed after the attempt began may have
 * another endpoint now, and stays enabled.
 */
export const disableGone = write((db, values: { webhookId: string; attemptedAt: number; at: number }) =>
  db
    .updateTable('webhooks')
    .set({ enabled: 0, disabled_reason: 'endpoint_gone', updated_at: values.at })
    .where('id', '=', values.webhookId)
    .where('enabled', '=', 1)
    .where('updated_at', '<=', values.attemptedAt),
)
