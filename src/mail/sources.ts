/** Whose mails there are: invitations, and tokens of accounts. Each has a lane of its own, so that neither waits for the other. */
import {
  dueAccountMails,
  dueInvitationMails,
  nextAccountMail,
  nextInvitationMail,
  settleAccountMail,
  settleInvitationMail,
  takeAccountMail,
  takeInvitationMail,
} from '../../storage/mails.ts'
import type { Query, Store, Write } from '../../storage/store.ts'
import { invitationMail, type Letter, passwordResetMail, verificationMail } from './messages.ts'
import type { MailSource, Outgoing } from './outbox.ts'
import type { Mail } from './smtp.ts'

type ConsoleUrl = () => string

const attempted = ({ id, attempts }: Outgoing, nextAt: number | null) => ({
  id,
  attempts,
  attempt: attempts + 1,
  nextAt,
})

/** What a source's rows have in common. */
interface DueRow {
  id: string
  token_hash: string
  mail_attempts: number
  expires_at: number
}

interface Statements<Row extends DueRow> {
  due(store: Store, values: { now: number; limit: number }): Query<Row>
  next(store: Store, values: { now: number }): Query<{ mail_due_at: number | null }>
  take(store: Store, values: ReturnType<typeof attempted>): Write
  settle(store: Store, values: { id: string }): Write
  /** To whom, and with which words. */
  compose(row: Row, letter: Omit<Letter, 'to'>): Mail
}

const source =
  <Row extends DueRow>(name: string, { due, next, take, settle, compose }: Statements<Row>) =>
  (store: Store, consoleUrl: ConsoleUrl): MailSource => ({
    name,
    async due(now, limit) {
      const rows = await store.all(due(store, { now, limit }))
      return rows.map((row) => ({
        id: row.id,
        tokenHash: row.token_hash,
        attempts: row.mail_attempts,
        compose: (token) => compose(row, { consoleUrl: consoleUrl(), token, expiresAt: row.expires_at }),
      }))
    },
    async nextAt(now) {
      return (await store.first(next(store, { now })))?.mail_due_at ?? undefined
    },
    take: (mail, nextAt) => take(store, attempted(mail, nextAt)),
    settle: ({ id }) => settle(store, { id }),
  })

export const invitationMails = source('invitations', {
  due: dueInvitationMails,
  next: nextInvitationMail,
  take: takeInvitationMail,
  settle: settleInvitationMail,
  compose: (row, letter) => invitationMail({ to: row.recipient as string, ...letter }, row.organization),
})

export const accountMails = source('account tokens', {
  due: dueAccountMails,
  next: nextAccountMail,
  take: takeAccountMail,
  settle: settleAccountMail,
  compose: ({ recipient: to, purpose }, letter) =>
    purpose === 'verification' ? verificationMail({ to, ...letter }) : passwordResetMail({ to, ...letter }),
})
