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
import type { Store } from '../../storage/store.ts'
import { invitationMail, type Letter, passwordResetMail, verificationMail } from './messages.ts'
import type { MailSource, Outgoing } from './outbox.ts'

type ConsoleUrl = () => string

const attempted = ({ id, attempts }: Outgoing, nextAt: number | null) => ({
  id,
  attempts,
  attempt: attempts + 1,
  nextAt,
})

export const invitationMails = (store: Store, consoleUrl: ConsoleUrl): MailSource => ({
  name: 'invitations',
  async due(now, limit) {
    const rows = await store.all(dueInvitationMails(store, { now, limit }))
    return rows.map((row) => ({
      id: row.id,
      tokenHash: row.token_hash,
      attempts: row.mail_attempts,
      compose: (token) =>
        invitationMail(
          { to: row.recipient as string, consoleUrl: consoleUrl(), token, expiresAt: row.expires_at },
          row.organization,
        ),
    }))
  },
  async nextAt(now) {
    return (await store.first(nextInvitationMail(store, { now })))?.mail_due_at ?? undefined
  },
  take: (mail, nextAt) => takeInvitationMail(store, attempted(mail, nextAt)),
  settle: ({ id }) => settleInvitationMail(store, { id }),
})

export const accountMails = (store: Store, consoleUrl: ConsoleUrl): MailSource => ({
  name: 'account tokens',
  async due(now, limit) {
    const rows = await store.all(dueAccountMails(store, { now, limit }))
    return rows.map((row) => ({
      id: row.id,
      tokenHash: row.token_hash,
      attempts: row.mail_attempts,
      compose(token) {
        const letter: Letter = { to: row.recipient, consoleUrl: consoleUrl(), token, expiresAt: row.expires_at }
        return row.purpose === 'verification' ? verificationMail(letter) : passwordResetMail(letter)
      },
    }))
  },
  async nextAt(now) {
    return (await store.first(nextAccountMail(store, { now })))?.mail_due_at ?? undefined
  },
  take: (mail, nextAt) => takeAccountMail(store, attempted(mail, nextAt)),
  settle: ({ id }) => settleAccountMail(store, { id }),
})
