/** The sources of mail: invitations, account tokens, notices. Each has its own lane, so that none delays another. */
import {
  dueAccountMails,
  dueInvitationMails,
  dueNoticeMails,
  nextAccountMail,
  nextInvitationMail,
  nextNoticeMail,
  settleAccountMail,
  settleInvitationMail,
  settleNoticeMail,
  takeAccountMail,
  takeInvitationMail,
  takeNoticeMail,
} from '../../../storage/platform/mails.ts'
import type { Query, Store, Write } from '../../../storage/store.ts'
import { hashSecret } from '../secrets/tokens.ts'
import { invitationMail, type Letter, passwordResetMail, verificationMail } from './messages.ts'
import { noticeMail, type PathOf } from './notice-messages.ts'
import type { MailSource, Outgoing, Unsendable } from './outbox.ts'
import type { Mail } from './smtp.ts'

export interface SourceParts {
  store: Store
  /** The console's origin; known once the server listens. */
  consoleUrl(): string
  /** The path of a console page. */
  pathOf: PathOf
  /** The token in the mail of this record. */
  tokenOf(id: string): string
}

const attempted = ({ id, attempts }: Outgoing, nextAt: number | null) => ({
  id,
  attempts,
  attempt: attempts + 1,
  nextAt,
})

/** The columns that all sources have. */
interface DueRow {
  id: string
  mail_attempts: number
}

interface Statements<Row extends DueRow> {
  due(store: Store, values: { now: number; limit: number }): Query<Row>
  next(store: Store, values: { now: number }): Query<{ mail_due_at: number | null }>
  take(store: Store, values: ReturnType<typeof attempted>): Write
  settle(store: Store, values: { id: string }): Write
  /** Composes the mail of a row. */
  compose(row: Row, parts: SourceParts): Mail | Unsendable
}

const source =
  <Row extends DueRow>(name: string, { due, next, take, settle, compose }: Statements<Row>) =>
  (parts: SourceParts): MailSource => {
    const { store } = parts
    return {
      name,
      async due(now, limit) {
        const rows = await store.all(due(store, { now, limit }))
        return rows.map((row) => ({ id: row.id, attempts: row.mail_attempts, compose: () => compose(row, parts) }))
      },
      async nextAt(now) {
        return (await store.first(next(store, { now })))?.mail_due_at ?? undefined
      },
      take: (mail, nextAt) => take(store, attempted(mail, nextAt)),
      settle: ({ id }) => settle(store, { id }),
    }
  }

interface TokenRow extends DueRow {
  token_hash: string
  expires_at: number
}

/** The mail with the token in its link, unless the token can no longer be derived. */
const withToken =
  <Row extends TokenRow>(compose: (row: Row, letter: Omit<Letter, 'to'>) => Mail) =>
  (row: Row, { consoleUrl, tokenOf }: SourceParts): Mail | Unsendable => {
    const token = tokenOf(row.id)
    return hashSecret(token) === row.token_hash
      ? compose(row, { consoleUrl: consoleUrl(), token, expiresAt: row.expires_at })
      : { because: 'its token was derived from another master key' }
  }

export const invitationMails = source('invitations', {
  due: dueInvitationMails,
  next: nextInvitationMail,
  take: takeInvitationMail,
  settle: settleInvitationMail,
  compose: withToken((row, letter) => invitationMail({ to: row.recipient as string, ...letter }, row.organization)),
})

export const accountMails = source('account tokens', {
  due: dueAccountMails,
  next: nextAccountMail,
  take: takeAccountMail,
  settle: settleAccountMail,
  compose: withToken(({ recipient: to, purpose }, letter) =>
    purpose === 'verification' ? verificationMail({ to, ...letter }) : passwordResetMail({ to, ...letter }),
  ),
})

export const noticeMails = source('notices', {
  due: dueNoticeMails,
  next: nextNoticeMail,
  take: takeNoticeMail,
  settle: settleNoticeMail,
  compose: (row, { consoleUrl, pathOf }) => noticeMail(row, (...page) => consoleUrl() + pathOf(...page)),
})
