/** Webhooks and their deliveries. Row types for Kysely; the migrations define the tables. */
export interface WebhookRow {
  id: string
  organization_id: string
  project_id: string
  environment_id: string
  endpoint_url: string
  /** JSON: kinds of events. */
  event_types: string
  enabled: 0 | 1
  disabled_reason: 'endpoint_gone' | 'failing' | null
  failing_since: number | null
  secret_version: number
  created_at: number
  updated_at: number
  deleted_at: number | null
  /** Whether the first KiB of the body of refusals is stored. */
  capture_responses: 0 | 1
}

/** A failed delivery attempt. */
interface WebhookFailureRow {
  webhook_id: string
  at: number
  delivery_id: string
  attempt: number
}

/** A range of the history in which the webhook was disabled. */
export interface WebhookPauseRow {
  webhook_id: string
  /** Events after this number. */
  from_sequence: number
  /** Up to this number; null while it is disabled. */
  to_sequence: number | null
}

/** A recovery of the deliveries that a webhook missed. */
export interface WebhookRecoveryRow {
  id: string
  organization_id: string
  project_id: string
  environment_id: string
  webhook_id: string
  since: number
  up_to: string
  head: number
  state: string
  version: number
  machine_version: string
  context: string
  created_at: number
  updated_at: number
}

/** A webhook that gets events of this type after this sequence number of the Environment's history. */
interface WebhookEventTypeRow {
  environment_id: string
  type: string
  webhook_id: string
  after_sequence: number
}

export interface WebhookSecretRow {
  webhook_id: string
  version: number
  sealed: string
  created_at: number
  /** null: the current one. */
  expires_at: number | null
}

/** How far an Environment's history has been turned into deliveries. */
interface WebhookPointerRow {
  environment_id: string
  sequence: number
}

export interface DeliveryRow {
  id: string
  organization_id: string
  project_id: string
  environment_id: string
  webhook_id: string
  event_id: string
  event_type: string
  event_sequence: number
  event_at: number
  replay_of: string | null
  state: string
  version: number
  machine_version: string
  context: string
  attempts: number
  due_at: number | null
  /** JSON: the last 20 attempts. */
  attempt_history: string
  delivered_at: number | null
  /** The span that contains its attempts (`own-span.ts`); null without a trace. */
  trace: string | null
  created_at: number
  updated_at: number
}

export interface WebhookTables {
  webhooks: WebhookRow
  webhook_event_types: WebhookEventTypeRow
  webhook_secrets: WebhookSecretRow
  webhook_pointers: WebhookPointerRow
  deliveries: DeliveryRow
  webhook_failures: WebhookFailureRow
  webhook_pauses: WebhookPauseRow
  webhook_recoveries: WebhookRecoveryRow
}
