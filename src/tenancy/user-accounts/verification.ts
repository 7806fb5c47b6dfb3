/**
 * Verifies the address of the signed-in account with a mailed token.
 *
 * It requires both session and token: an account with another person's address has no token, and the reader of that person's
 * mail has no session. Source: contract 1.
 */

import type { Store } from '../../../storage/store.ts'
import type { UserRow } from '../../../storage/tables.ts'
import { deleteAccountTokens, findAccountToken, spendAccountToken } from '../../../storage/tenancy/account-tokens.ts'
import { findUser, listOrganizationsOfUser, verifyAddress } from '../../../storage/tenancy/users.ts'
import {
  ApiError,
  addressTaken,
  addressVerified,
  mailUnconfigured,
  notFound,
  sessionExpired,
} from '../../platform/http/answers/errors.ts'
import type { AuditSink } from '../../platform/http/changes/audit-trail.ts'
import { commitOr } from '../../platform/http/changes/commit.ts'
import type { Identity } from '../../platform/http/guard/caller.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import type { MailLimiter } from '../../platform/limits/mails.ts'
import { isMailable } from '../../platform/mail/address.ts'
import type { Mails } from '../../platform/mail/mails.ts'
import { hashSecret } from '../../platform/secrets/tokens.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { dayMs } from '../../platform/time/durations.ts'
import type { Origin } from '../sessions/origin.ts'
import { SessionAudit } from '../sessions/session-audit.ts'
import type { Address } from './schema.ts'
import { mailedToken } from './tokens.ts'

const lifeMs = dayMs

export interface VerificationParts {
  store: Store
  clock: Pick<Clock, 'now'>
  audit: AuditSink
  mails: Mails | null
  mailLimiter: Pick<MailLimiter, 'verification'>
}

const tooMany = (seconds: number) =>
  new ApiError(
    429,
    'rate_limited',
    'Too many mails were sent to this address; the newest one remains valid. Try again later.',
    { retryAfterSeconds: seconds },
  )

export class Verification {
  readonly #trail: SessionAudit

  constructor(private readonly parts: VerificationParts) {
    this.#trail = new SessionAudit(parts.audit)
  }

  /** The address of the session's account and its status. */
  async get(identity: Identity): Promise<Address> {
    return this.#present(await this.#find(identity))
  }

  /**
   * Mails a token to the address. Throws `address_verified` (409), `rate_limited` (429), `mail_unconfigured` (503). Reveals nothing
   * about other accounts with the address, because the user may not be its owner.
   */
  async request(identity: Identity): Promise<Address> {
    const { store, clock, mails, mailLimiter } = this.parts
    const user = await this.#find(identity)
    if (user.email_verified_at !== null) throw addressVerified()
    if (!mails || !isMailable(user.email)) throw mailUnconfigured()
    const seconds = await mailLimiter.verification(user.id)
    if (seconds > 0) throw tooMany(seconds)
    const token = { userId: user.id, purpose: 'verification', now: clock.now(), lifeMs } as const
    await store.commit([mailedToken(store, mails, token)])
    return this.#present(user)
  }

  /**
   * Verifies the address. Works once. Throws `notFound` for a token that is unknown, used, expired or another account's;
   * `address_taken` (409) if another account has verified the address.
   */
  async verify(identity: Identity, token: string, origin: Origin): Promise<Address> {
    const { store, clock } = this.parts
    const now = clock.now()
    const { user, found } = await this.find(identity, token)
    const organizations = await store.all(listOrganizationsOfUser(store, { userId: user.id }))
    const act = { userId: user.id, operation: 'verifyAddress', changed: [] } as const
    await commitOr(store, { unique: addressTaken, stale: notFound }, [
      spendAccountToken(store, found),
      deleteAccountTokens(store, { userId: user.id, purpose: 'verification' }),
      verifyAddress(store, { id: user.id, at: now }),
      ...this.#trail.allowed(act, organizations, origin),
    ])
    return this.#present({ ...user, email_verified_at: user.email_verified_at ?? now })
  }

  /** The session's account, and its token. Throws `notFound`, as `verify` does. */
  async find(identity: Identity, token: string) {
    const { store, clock } = this.parts
    const tokenHash = hashSecret(token)
    const [user, found] = await Promise.all([
      this.#find(identity),
      store.first(findAccountToken(store, { tokenHash, purpose: 'verification', now: clock.now() })),
    ])
    if (found?.user_id !== user.id) throw notFound()
    return { user, found }
  }

  async #find({ userId }: Identity): Promise<UserRow> {
    const { store } = this.parts
    const user = await store.first(findUser(store, { id: userId }))
    if (!user) throw sessionExpired()
    return user
  }

  #present({ email, email_verified_at: verifiedAt }: UserRow): Address {
    return {
      email,
      verifiedAt: verifiedAt === null ? null : timestamp(verifiedAt),
      mail: this.parts.mails !== null && isMailable(email),
    }
  }
}
