/**
 * Mails to send. The rows of invitations, account tokens and notice mails hold the due time of their mail. Claiming an
 * attempt sets the due time of the next one, so that a crash loses no mail, and only one server sends a mail at a time.
 */
import { query, write } from '../statement.ts'

/** The statements for the mails of such a table: claim an attempt, and end a mail. */
const attempts = (table: 'invitations' | 'account_tokens' | 'notice_mails') => ({
  /** Claims an attempt; fails the unit of work if another server has claimed it, or the mail has ended. */
  take: write(
    (db, values: { id: string; attempts: number; attempt: number; nextAt: number | null }) =>
      db
        .updateTable(table)
        .set({ mail_attempts: values.attempt, mail_due_at: values.nextAt })
        .where('id', '=', values.id)
        .where('mail_attempts', '=', values.attempts)
        .where('mail_due_at', 'is not', null),
    1,
  ),
  /** Ends the mail after it was sent or given up. */
  settle: write((db, values: { id: string }) =>
    db.updateTable(table).set({ mail_due_at: null }).where('id', '=', values.id),
  ),
})

/** The due time of the next mail that has not expired; no row if there is none. */
const nextMail = (table: 'invitations' | 'account_tokens') =>
  query((db, values: { now: number }) =>
    db
      .selectFrom(table)
      .select('mail_due_at')
      .where('mail_due_at', 'is not', null)
      .where('expires_at', '>', values.now)
      .orderBy('mail_due_at')
      .limit(1),
  )

/** Due mails of invitations that have not expired, longest overdue first. */
export const dueInvitationMails = query((db, values: { now: number; limit: number }) =>
  db
    .selectFrom('invitations')
    .innerJoin('organizations', 'organizations.id', 'invitations.organization_id')
    .leftJoin('users', 'users.id', 'invitations.user_id')
    .select(['invitations.id', 'invitations.token_hash', 'invitations.mail_attempts', 'invitations.expires_at'])
    .select(({ fn }) => fn.coalesce('invitations.email', 'users.email').as('recipient'))
    .select('organizations.name as organization')
    .where('invitations.mail_due_at', '<=', values.now)
    .where('invitations.expires_at', '>', values.now)
    .orderBy('invitations.mail_due_at')
    .limit(values.limit),
)

export const nextInvitationMail = nextMail('invitations')

export const { take: takeInvitationMail, settle: settleInvitationMail } = attempts('invitations')

/** Due mails of account tokens that have not expired, longest overdue first. */
export const dueAccountMails = query((db, values: { now: number; limit: number }) =>
  db
    .selectFrom('account_tokens')
    .innerJoin('users', 'users.id', 'account_tokens.user_id')
    .select(['account_tokens.id', 'account_tokens.token_hash', 'account_tokens.mail_attempts'])
    .select(['account_tokens.purpose', 'account_tokens.expires_at', 'users.email as recipient'])
    .where('account_tokens.mail_due_at', '<=', values.now)
    .where('account_tokens.expires_at', '>', values.now)
    .orderBy('account_tokens.mail_due_at')
    .limit(values.limit),
)

export const nextAccountMail = nextMail('account_tokens')

export const { take: takeAccountMail, settle: settleAccountMail } = attempts('account_tokens')

/** Due mails of notices, longest overdue first, with the current row of each notice's subject. */
export const dueNoticeMails = query((db, values: { now: number; limit: number }) =>
  db
    .selectFrom('notice_mails')
    .innerJoin('notices', 'notices.id', 'notice_mails.notice_id')
    .innerJoin('organizations', 'organizations.id', 'notice_mails.organization_id')
    .innerJoin('users', 'users.id', 'notice_mails.user_id')
    .innerJoin('memberships', (join) =>
      join
        .onRef('memberships.organization_id', '=', 'notice_mails.organization_id')
        .onRef('memberships.user_id', '=', 'notice_mails.user_id'),
    )
    .leftJoin('webhooks', (join) =>
      join.onRef('webhooks.id', '=', 'notices.subject_id').on('webhooks.deleted_at', 'is', null),
    )
    .leftJoin('alert_rules', 'alert_rules.id', 'notices.subject_id')
    .leftJoin('environments', (join) =>
      join.on('environments.id', '=', ({ fn }) => fn.coalesce('webhooks.environment_id', 'alert_rules.environment_id')),
    )
    .leftJoin('projects', 'projects.id', 'environments.project_id')
    .select(['notice_mails.id', 'notice_mails.mail_attempts', 'users.email as recipient', 'memberships.role'])
    .select(['notices.kind', 'notices.data', 'notices.created_at'])
    .select(['organizations.name as organization', 'organizations.slug as organization_slug'])
    .select(['webhooks.id as webhook_id', 'webhooks.endpoint_url', 'environments.id as environment_id'])
    .select('alert_rules.id as alert_rule_id')
    .select(['environments.name as environment', 'projects.id as project_id', 'projects.name as project'])
    .where('notice_mails.mail_due_at', '<=', values.now)
    .orderBy('notice_mails.mail_due_at')
    .limit(values.limit),
)

/** The due time of the next notice mail; no row if there is none. */
export const nextNoticeMail = query((db, _values: object) =>
  db
    .selectFrom('notice_mails')
    .select('mail_due_at')
    .where('mail_due_at', 'is not', null)
    .orderBy('mail_due_at')
    .limit(1),
)

export const { take: takeNoticeMail, settle: settleNoticeMail } = attempts('notice_mails')
