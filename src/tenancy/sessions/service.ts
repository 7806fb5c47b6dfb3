import type { BackgroundStore } from '../../../storage/store.ts'
import { deleteAccountTokens } from '../../../storage/tenancy/account-tokens.ts'
import {
  deleteExpiredSession,
  deleteOtherSessions,
  deleteSession,
  listExpiredSessions,
  listSessionsBeyond,
} from '../../../storage/tenancy/sessions.ts'
import {
  assertPasswordUnchanged,
  changePassword,
  findUser,
  listOrganizationsOfUser,
} from '../../../storage/tenancy/users.ts'
import { invalidCredentials, sessionExpired, wrongPassword } from '../../platform/http/answers/errors.ts'
import type { AuditSink } from '../../platform/http/changes/audit-trail.ts'
import { commitOr } from '../../platform/http/changes/commit.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import type { Identity } from '../../platform/http/guard/caller.ts'
import type { AddressFailures } from '../../platform/limits/failures.ts'
import type { SignInLimiter } from '../../platform/limits/sign-ins.ts'
import { forEach, inBatches } from '../../platform/operating/batches.ts'
import { candidatesOf, sharesAddress } from './candidates.ts'
import { assertGoodPassword } from './new-password.ts'
import { type OpeningParts, openSession } from './opening.ts'
import type { Origin } from './origin.ts'
import { PasswordCheck } from './password-check.ts'
import { passwordHashing } from './password-hashing.ts'
import { hashPassword } from './passwords.ts'
import { type PasswordChange, presentSession, type Session, type SignIn } from './schema.ts'
import { SessionAudit } from './session-audit.ts'

/** The most sessions of one user; a further sign-in ends the oldest. */
const sessionsMax = 100
/** The most sessions that one sign-in ends; later sign-ins end the rest. */
const endedAtOnceMax = 20

export interface SessionsParts extends OpeningParts {
  audit: AuditSink
  signIns: SignInLimiter
  failedAttempts: AddressFailures
}

/** A new session. */
export interface Begun {
  session: Session
  /** The `Set-Cookie` header. */
  cookie: string
}

export class Sessions {
  readonly #passwords: PasswordCheck
  readonly #trail: SessionAudit

  constructor(private readonly parts: SessionsParts) {
    this.#passwords = new PasswordCheck(parts)
    this.#trail = new SessionAudit(parts.audit)
  }

  /**
   * Starts a session of the account with this address and password. It replaces the browser's earlier session, and the user's
   * oldest ones above a hundred. Throws `invalid_credentials` (401), as fast for an unknown address as for a wrong password;
   * `rate_limited` (429) after too many failures.
   */
  async signIn({ email, password, organization }: SignIn, origin: Origin, earlierToken?: string): Promise<Begun> {
    const { store } = this.parts
    const account = email.toLowerCase()
    const { users, shared } = await candidatesOf(store, { email: account, organization })
    const candidates = users.map(({ id, password_hash: hash }) => ({ id, hash }))
    const meant = await this.#passwords.which({ account, password, candidates, shared }, origin)
    const user = users.find(({ id }) => id === meant?.id)
    if (!user) throw invalidCredentials()
    const act = { userId: user.id, operation: 'createSession', changed: [] } as const
    const organizations = await store.all(listOrganizationsOfUser(store, { userId: user.id }))
    const opening = openSession(this.parts, user.id, earlierToken, origin)
    const beyond = { userId: user.id, kept: sessionsMax - 1, limit: endedAtOnceMax }
    const ended = await store.all(listSessionsBeyond(store, beyond))
    await commitOr(store, { stale: invalidCredentials }, [
      assertPasswordUnchanged(store, { id: user.id, checkedHash: user.password_hash }),
      ...opening.writes,
      ...ended.map((session) => deleteSession(store, session)),
      ...this.#trail.allowed(act, organizations, origin),
    ])
    await Promise.all([
      opening.announce(),
      ...ended.map(({ id }) => this.parts.revocations.announce({ credentialId: id })),
    ])
    return { session: presentSession(user, organizations, opening.csrfToken), cookie: opening.cookie }
  }

  /** The session for its user. Throws `session_expired` (401) if the user is gone. */
  async get({ userId, csrfToken }: Identity): Promise<Session> {
    const { store } = this.parts
    const [user, organizations] = await Promise.all([
      store.first(findUser(store, { id: userId })),
      store.all(listOrganizationsOfUser(store, { userId })),
    ])
    if (!user || csrfToken === null) throw sessionExpired()
    return presentSession(user, organizations, csrfToken)
  }

  /** Ends the session, which invalidates its cookie. */
  async signOut({ userId, credentialId }: Identity, origin: Origin, record: RequestRecord): Promise<void> {
    const { store, revocations } = this.parts
    const organizations = await store.all(listOrganizationsOfUser(store, { userId }))
    await store.commit([
      deleteSession(store, { id: credentialId }),
      ...this.#trail.allowed({ userId, operation: 'deleteSession', changed: [] }, organizations, origin),
      ...record(undefined),
    ])
    await revocations.announce({ credentialId })
  }

  /**
   * Changes the user's password; ends the user's other sessions and mailed tokens for a new password. Throws as `signIn`
   * does, and `validation_failed` (422) for a weak password.
   */
  async changePassword(
    { userId, credentialId }: Identity,
    { current, new: chosen }: PasswordChange,
    origin: Origin,
    record: RequestRecord,
  ): Promise<void> {
    const { store, revocations } = this.parts
    const user = await store.first(findUser(store, { id: userId }))
    if (!user) throw sessionExpired()
    const { email: account, password_hash: hash } = user
    await assertGoodPassword(chosen, account, '/body/new')
    const shared = await sharesAddress(store, user)
    const attempt = { account, password: current, candidate: { id: userId, hash }, shared }
    const fits = await this.#passwords.fits(attempt, { ...origin, signedIn: true })
    if (!fits) throw wrongPassword()
    const act = { userId, operation: 'changePassword', changed: ['password'] } as const
    const organizations = await store.all(listOrganizationsOfUser(store, { userId }))
    await commitOr(store, { stale: wrongPassword }, [
      changePassword(store, {
        id: userId,
        checkedHash: hash,
        newHash: await hashPassword(chosen, passwordHashing.turn({ signal: origin.signal, known: true })),
      }),
      deleteOtherSessions(store, { userId, id: credentialId }),
      // who reads the mail of the account may have asked for one
      deleteAccountTokens(store, { userId, purpose: 'password-reset' }),
      ...this.#trail.allowed(act, organizations, origin),
      ...record(undefined),
    ])
    await revocations.announce({ userId })
  }
}

/** Deletes up to `limit` expired sessions; returns how many. Called periodically. */
export const pruneSessions = (store: BackgroundStore, now: number, limit: number): Promise<number> =>
  inBatches(limit, async (some) =>
    forEach(await store.all(listExpiredSessions(store, { now, limit: some })), ({ id }) =>
      store.commit([deleteExpiredSession(store, { id, now })]),
    ),
  )
