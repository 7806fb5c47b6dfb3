/**
 * Mails that are to be sent: the rows of invitations and account tokens say themselves when theirs is due. Taking one
 * sets when it is tried next, so that a mail is lost with no crash, and is sent by one server at a time.
 */
import { query, write } from './statement.ts'

/** A mail that is due, as both tables answer it. */
export interface DueMail {
  id: string
  token_hash: string
  mail_attempts: number
}

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
