/**
 * Sessions as credentials: a cookie with 256 random bits, stored as its hash. A session lives for 12 hours after its last use,
 * and for a week at most. Source: contract 1, "Session", "Keys and organizations".
 */
import { createHmac } from 'node:crypto'
import { newId } from '../../../storage/ids.ts'
import type { Store } from '../../../storage/store.ts'
import type { SessionRow } from '../../../storage/tables.ts'
import { listGrantsOfUser } from '../../../storage/tenancy/grants.ts'
import { findMembershipFor } from '../../../storage/tenancy/organizations.ts'
import { findSession, touchSession } from '../../../storage/tenancy/sessions.ts'
import { RecentlyUsed } from '../../platform/cache.ts'
import { ApiError, notFound } from '../../platform/http/answers/errors.ts'
import { type Caller, type Identity, unbound } from '../../platform/http/guard/caller.ts'
import type { ResponseHeaders } from '../../platform/http/guard/parts.ts'
import type { Logger } from '../../platform/operating/logger.ts'
import { hashSecret, newToken } from '../../platform/secrets/tokens.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { dayMs, hourMs } from '../../platform/time/durations.ts'
import type { Answer } from './answers.ts'
import { cookieIn, cookieName } from './cookies.ts'
import { grantsOf } from './grants.ts'
import { authorityOf } from './roles.ts'

const idleMs = 12 * hourMs
const lifeMs = 7 * dayMs
/** The cookie and the last use are renewed at most once in this time. */
const renewMs = 60_000
const tokenForm = /^[A-Za-z0-9_-]{43}$/

/** The facts of a session besides its user. */
interface Session {
  id: string
  createdAt: number
  lastSeenAt: number
}

type SessionIdentity = Identity & { session: Session }
export type SessionCaller = Caller & { session: Session }

interface SessionCredentialsParts {
  store: Store
  clock: Pick<Clock, 'now'>
  logger: Pick<Logger, 'warn'>
  /** Derives the CSRF tokens. */
  key: Uint8Array
  /** Whether the cookie is sent over TLS only. */
  secure: boolean
}

const notOfOrganization = () =>
  new ApiError(403, 'permission_denied', 'The user does not belong to this organization.', {
    details: { permission: 'organizations:get' },
  })

export class SessionCredentials {
  /** Times of the last renewals, which are stored a little later. */
  readonly #renewed = new RecentlyUsed<number>(10_000)

  readonly #cookieName: string

  constructor(private readonly parts: SessionCredentialsParts) {
    this.#cookieName = cookieName('troupe_session', parts.secure)
  }

  /** The session's token in the cookie; undefined if there is none of the right form. */
  tokenIn(request: Request): string | undefined {
    const token = cookieIn(request, this.#cookieName)
    return token && tokenForm.test(token) ? token : undefined
  }

  /** A new session to store, and its token for the cookie. */
  begin(userId: string, from: { address?: string | undefined; userAgent?: string | undefined } = {}) {
    const token = newToken()
    const now = this.parts.clock.now()
    const row: SessionRow = {
      id: hashSecret(token),
      public_id: newId('ses', now),
      user_id: userId,
      address: from.address ?? null,
      user_agent: from.userAgent ?? null,
      created_at: now,
      last_seen_at: now,
      expires_at: now + idleMs,
    }
    return { row, token }
  }

  /** The `Set-Cookie` header of a session with this life. */
  cookie(token: string, lifeSeconds = idleMs / 1000): string {
    const { secure } = this.parts
    const options = { httpOnly: true, sameSite: 'lax', path: '/', secure, maxAge: lifeSeconds } as const
    return new Bun.Cookie(this.#cookieName, token, options).serialize()
  }

  /** The CSRF token that the session sends as `X-CSRF-Token`. */
  csrfToken(sessionId: string): string {
    return createHmac('sha256', this.parts.key).update(`csrf\n${sessionId}`).digest('base64url')
  }

  /** The user of the session; undefined if it has ended. */
  findIdentity(token: string): Promise<SessionIdentity | undefined> {
    return this.#identity(hashSecret(token))
  }

  async #identity(sessionId: string): Promise<SessionIdentity | undefined> {
    const { store, clock } = this.parts
    const row = await store.first(findSession(store, { id: sessionId }))
    if (!row || row.expires_at <= clock.now()) return undefined
    return {
      principal: { type: 'user', id: row.user_id },
      credentialId: row.id,
      userId: row.user_id,
      organizationId: null,
      scope: unbound,
      sessionBeganAt: row.created_at,
      csrfToken: this.csrfToken(row.id),
      session: { id: row.id, createdAt: row.created_at, lastSeenAt: row.last_seen_at },
    }
  }

  /**
   * The caller with this token in this organization, by default the user's oldest one; undefined if the session has ended, or
   * was ended for that organization. If the user does not belong to the organization, throws `notFound` for one in the path and
   * `permission_denied` for one in the header.
   */
  async findCaller(
    token: string,
    organization: string | undefined,
    inPath: boolean,
  ): Promise<Answer<SessionCaller> | undefined> {
    const identity = await this.findIdentity(token)
    return identity && this.#caller(identity, organization, inPath)
  }

  /** The caller with this session in this organization, for open streams. Throws `permission_denied`. */
  async again(sessionId: string, organizationId: string): Promise<Answer<SessionCaller> | undefined> {
    const identity = await this.#identity(sessionId)
    return identity && this.#caller(identity, organizationId, false)
  }

  async #caller(identity: SessionIdentity, organization: string | undefined, inPath: boolean) {
    const { store, clock } = this.parts
    const { userId } = identity
    const found = await store.first(findMembershipFor(store, userId, organization, identity.session.createdAt))
    if (!found) throw inPath ? notFound() : notOfOrganization()
    // the session was ended for this organization only
    if (identity.session.createdAt <= (found.sessions_ended_at ?? -1)) return undefined
    const { organization_id: organizationId, role } = found
    const grants = role === 'member' ? await store.all(listGrantsOfUser(store, { organizationId, userId })) : []
    const known: SessionCaller = {
      ...identity,
      organizationId,
      organization: { slug: found.slug, status: found.status },
      role,
      ...authorityOf(role, grantsOf(grants)),
    }
    return { known, endsAt: Math.min(clock.now() + idleMs, identity.session.createdAt + lifeMs) }
  }

  /** Renews the session periodically in the background, and records where it is used. */
  renew(session: Session, token: string, headers: ResponseHeaders, address: () => string | undefined): void {
    const { store, clock, logger } = this.parts
    const at = clock.now()
    const seenAt = Math.max(session.lastSeenAt, this.#renewed.get(session.id) ?? 0)
    if (at - seenAt < renewMs) return
    this.#renewed.set(session.id, at)
    const expiresAt = Math.min(at + idleMs, session.createdAt + lifeMs)
    headers['set-cookie'] = this.cookie(token, Math.floor((expiresAt - at) / 1000))
    store
      .commit([touchSession(store, { id: session.id, at, expiresAt, address: address() ?? null })], null)
      .catch((error: unknown) => logger.warn({ err: error }, 'the use of a session was not noted'))
  }
}
