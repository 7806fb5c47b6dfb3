/**
 * Resets a password with a mailed token. Only a verified address gets one: reading the mail of an address that an account
 * merely claims gives no right to the account. Source: contract 1, "Session".
 */

import type { Store } from '../../../storage/store.ts'
import { deleteAccountTokens, findAccountToken, spendAccountToken } from '../../../storage/tenancy/account-tokens.ts'
import { deleteSessionsOf } from '../../../storage/tenancy/sessions.ts'
import { findUser, findVerifiedUser, listOrganizationsOfUser, resetPassword } from '../../../storage/tenancy/users.ts'
import { ApiError, notFound, orNotFound } from '../../platform/http/answers/errors.ts'
import type { AuditSink } from '../../platform/http/changes/audit-trail.ts'
import { commitOr } from '../../platform/http/changes/commit.ts'
import type { MailLimiter } from '../../platform/limits/mails.ts'
import { isMailable } from '../../platform/mail/address.ts'
import type { Mails } from '../../platform/mail/mails.ts'
import type { Logger } from '../../platform/operating/logger.ts'
import { hashSecret } from '../../platform/secrets/tokens.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { hourMs } from '../../platform/time/durations.ts'
import type { Revocations } from '../authority/revocations.ts'
import { assertGoodPassword } from '../sessions/new-password.ts'
import type { Origin } from '../sessions/origin.ts'
import { passwordHashing } from '../sessions/password-hashing.ts'
import { hashPassword } from '../sessions/passwords.ts'
import { SessionAudit } from '../sessions/session-audit.ts'
import type { ResetRequest } from './schema.ts'
import { mailedToken } from './tokens.ts'

const lifeMs = hourMs
/** The delay between answer and look-up for every address, so that timing does not distinguish them. */
const lookAfterMs = 100
/** The most requests that wait for the look-up; more are dropped. */
const waitingMax = 1_000

export interface PasswordResetParts {
  store: Store
  clock: Clock
  audit: AuditSink
  revocations: Revocations
  logger: Logger
  mails: Mails | null
  mailLimiter: Pick<MailLimiter, 'resetBy' | 'resetTo'>
}

export class PasswordReset {
  readonly #trail: SessionAudit
  #waiting = 0

  constructor(private readonly parts: PasswordResetParts) {
    this.#trail = new SessionAudit(parts.audit)
  }

  /**
   * Mails a token if the address is an account's verified one. The answer says whether this server sends mail, and nothing about
   * the address. Throws `rate_limited` (429) for a client with too many requests.
   */
  async request(email: string, { address }: Origin): Promise<{ mail: boolean }> {
    const { clock, logger, mails, mailLimiter } = this.parts
    const seconds = await mailLimiter.resetBy(address)
    if (seconds > 0)
      throw new ApiError(429, 'rate_limited', 'Too many requests; try again later.', { retryAfterSeconds: seconds })
    if (!mails) return { mail: false }
    if (this.#waiting < waitingMax) {
      this.#waiting += 1
      clock.after(lookAfterMs, () => {
        this.#waiting -= 1
        this.#mail(email.toLowerCase(), mails).catch((error: unknown) =>
          logger.error({ err: error }, 'a password reset could not be mailed'),
        )
      })
    }
    return { mail: true }
  }

  async #mail(email: string, mails: Mails): Promise<void> {
    const { store, clock, mailLimiter } = this.parts
    // further mails would only hide the earlier ones, which remain valid
    if ((await mailLimiter.resetTo(email)) > 0) return
    const user = await store.first(findVerifiedUser(store, { email }))
    if (!user || !isMailable(user.email)) return
    const token = { userId: user.id, purpose: 'password-reset', now: clock.now(), lifeMs } as const
    await store.commit([mailedToken(store, mails, token)])
  }

  /** Throws `notFound` for a token that is unknown, used or expired. */
  async find(token: string) {
    const { store, clock } = this.parts
    const tokenHash = hashSecret(token)
    return orNotFound(
      await store.first(findAccountToken(store, { tokenHash, purpose: 'password-reset', now: clock.now() })),
    )
  }

  /**
   * Sets the password and ends all sessions of the account; its API keys continue. Works once. Throws `notFound` for an unknown,
   * used or expired token; `validation_failed` (422).
   */
  async reset(token: string, { password }: ResetRequest, origin: Origin): Promise<void> {
    const { store, revocations } = this.parts
    const found = await this.find(token)
    const { user_id: userId } = found
    const user = orNotFound(await store.first(findUser(store, { id: userId })))
    await assertGoodPassword(password, user.email, '/body/password')
    const newHash = await hashPassword(password, passwordHashing.turn({ signal: origin.signal }))
    const organizations = await store.all(listOrganizationsOfUser(store, { userId }))
    const act = { userId, operation: 'resetPassword', changed: ['password'] } as const
    await commitOr(store, { stale: notFound }, [
      spendAccountToken(store, found),
      deleteAccountTokens(store, { userId, purpose: 'password-reset' }),
      resetPassword(store, { id: userId, newHash }),
      deleteSessionsOf(store, { userId }),
      ...this.#trail.allowed(act, organizations, origin),
    ])
    await revocations.announce({ userId })
  }
}
