/** Notices by mail. Row types for Kysely; the migrations define the tables. */
export interface NoticeRow {
  id: string
  organization_id: string
  kind: 'budget.warning' | 'budget.exhausted' | 'webhook.disabled' | 'alert.firing' | 'alert.resolved'
  /** The organization's, the webhook's or the alert rule's id. */
  subject_id: string
  /** JSON. */
  data: string
  created_at: number
}

/** The mail of a notice to one user. */
interface NoticeMailRow {
  id: string
  notice_id: string
  organization_id: string
  user_id: string
  /** When the next attempt is due; null once it was sent or abandoned. */
  mail_due_at: number | null
  mail_attempts: number
}

/** An alert rule; the actor is the alert. */
export interface AlertRuleRow {
  id: string
  organization_id: string
  project_id: string | null
  /** null: the organization as a whole. */
  environment_id: string | null
  name: string
  /** JSON: the condition to watch for. */
  condition: string
  hold_ms: number
  cool_down_ms: number
  tells_webhooks: 0 | 1
  tells_mail: 0 | 1
  state: string
  version: number
  machine_version: string
  context: string
  created_by_type: 'user' | 'apiKey'
  created_by_id: string
  created_at: number
  updated_at: number
}

/** A period in which a rule was firing. */
export interface AlertIncidentRow {
  id: string
  alert_rule_id: string
  fired_at: number
  /** The value measured when it fired. */
  value: number
  resolved_at: number | null
  resolution: 'cleared' | 'changed' | 'disabled' | null
}

export interface NoticeTables {
  alert_rules: AlertRuleRow
  alert_incidents: AlertIncidentRow
  notices: NoticeRow
  notice_mails: NoticeMailRow
}
