/** What people are told by mail. Rows as Kysely knows them: the migrations say the rest. */
export interface NoticeRow {
  id: string
  organization_id: string
  kind: 'budget.warning' | 'budget.exhausted' | 'webhook.disabled'
  /** The organization's or the webhook's id. */
  subject_id: string
  /** JSON. */
  data: string
  created_at: number
}

/** A notice that one user is to get. */
export interface NoticeMailRow {
  id: string
  notice_id: string
  organization_id: string
  user_id: string
  /** When it is tried next; null: it was sent, or given up. */
  mail_due_at: number | null
  mail_attempts: number
}

export interface NoticeTables {
  notices: NoticeRow
  notice_mails: NoticeMailRow
}
