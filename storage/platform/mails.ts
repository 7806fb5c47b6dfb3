/**
 * Mails that are to be sent: the rows of invitations, account tokens and notices say themselves when theirs is due. Taking one
 * sets when it is tried next, so that a mail is lost with no crash, and is sent by one server at a time.
 */
import { query, write } from '../statement.ts'

/** Mails of invitations that can still be accepted, the longest due first. */
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

/** When the next mail of an invitation is due; no row when there is none. */
export const nextInvitationMail = query((db, values: { now: number }) =>
  db
    .selectFrom('invitations')
    .select('mail_due_at')
    .where('mail_due_at', 'is not', null)
    .where('expires_at', '>', values.now)
    .orderBy('mail_due_at')
    .limit(1),
)

/** Takes an attempt at the mail: fails the unit of work when another has, or there is nothing to send any more. */
export const takeInvitationMail = write(
  (db, values: { id: string; attempts: number; attempt: number; nextAt: number | null }) =>
    db
      .updateTable('invitations')
      .set({ mail_attempts: values.attempt, mail_due_at: values.nextAt })
      .where('id', '=', values.id)
      .where('mail_attempts', '=', values.attempts)
      .where('mail_due_at', 'is not', null),
  1,
)

/** The mail is sent, or never will be. */
export const settleInvitationMail = write((db, values: { id: string }) =>
  db.updateTable('invitations').set({ mail_due_at: null }).where('id', '=', values.id),
)

/** Mails of account tokens that can still be used, the longest due first. */
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

/** When the next mail of an account token is due; no row when there is none. */
export const nextAccountMail = query((db, values: { now: number }) =>
  db
    .selectFrom('account_tokens')
    .select('mail_due_at')
    .where('mail_due_at', 'is not', null)
    .where('expires_at', '>', values.now)
    .orderBy('mail_due_at')
    .limit(1),
)

/** As `takeInvitationMail`. */
export const takeAccountMail = write(
  (db, values: { id: string; attempts: number; attempt: number; nextAt: number | null }) =>
    db
      .updateTable('account_tokens')
      .set({ mail_attempts: values.attempt, mail_due_at: values.nextAt })
      .where('id', '=', values.id)
      .where('mail_attempts', '=', values.attempts)
      .where('mail_due_at', 'is not', null),
  1,
)

/** As `settleInvitationMail`. */
export const settleAccountMail = write((db, values: { id: string }) =>
  db.updateTable('account_tokens').set({ mail_due_at: null }).where('id', '=', values.id),
)

/** Mails of notices, the longest due first, with what the notice is about as it is now. */
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
    .leftJoin('environments', 'environments.id', 'webhooks.environment_id')
    .leftJoin('projects', 'projects.id', 'webhooks.project_id')
    .select(['notice_mails.id', 'notice_mails.mail_attempts', 'users.email as recipient', 'memberships.role'])
    .select(['notices.kind', 'notices.data', 'notices.created_at'])
    .select(['organizations.name as organization', 'organizations.slug as organization_slug'])
    .select(['webhooks.id as webhook_id', 'webhooks.endpoint_url', 'environments.id as environment_id'])
    .select(['environments.name as environment', 'projects.id as project_id', 'projects.name as project'])
    .where('notice_mails.mail_due_at', '<=', values.now)
    .orderBy('notice_mails.mail_due_at')
    .limit(values.limit),
)

/** When the next mail of a notice is due; no row when there is none. */
export const nextNoticeMail = query((db, _values: object) =>
  db
    .selectFrom('notice_mails')
    .select('mail_due_at')
    .where('mail_due_at', 'is not', null)
    .orderBy('mail_due_at')
    .limit(1),
)

/** As `takeInvitationMail`. */
export const takeNoticeMail = write(
  (db, values: { id: string; attempts: number; attempt: number; nextAt: number | null }) =>
    db
      .updateTable('notice_mails')
      .set({ mail_attempts: values.attempt, mail_due_at: values.nextAt })
      .where('id', '=', values.id)
      .where('mail_attempts', '=', values.attempts)
      .where('mail_due_at', 'is not', null),
  1,
)

/** As `settleInvitationMail`. */
export const settleNoticeMail = write((db, values: { id: string }) =>
  db.updateTable('notice_mails').set({ mail_due_at: null }).where('id', '=', values.id),
)
