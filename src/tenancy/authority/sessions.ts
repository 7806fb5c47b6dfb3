/**
 * Sessions as credentials: a cookie with 256 random bits, of which the store knows the hash. A session lives for 12 hours
 * after its last use, and for a week at most. Source: contract 1, "Session", "Keys and organizations".
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
import type { Answer } from './answers.ts'
import { cookieIn, cookieName } from './cookies.ts'
import { grantsOf } from './grants.ts'
import { authorityOf } from './roles.ts'

const hour = 3_600_000
const idleMs = 12 * hour
const lifeMs = 7 * 24 * hour
/** The cookie is set again, and the use noted, at most once in this time. */
const renewMs = 60_000
const tokenForm = /^[A-Za-z0-9_-]{43}$/

/** What is known of a session besides who it is of. */
export interface Session {
  id: string
  createdAt: number
  lastSeenAt: number
}

export type SessionIdentity = Identity & { session: Session }
export type SessionCaller = Caller & { session: Session }

export interface SessionCredentialsParts {
  store: Store
  clock: Pick<Clock, 'now'>
  logger: Pick<Logger, 'warn'>
  /** Signs the tokens that changes carry. */
  key: Uint8Array
  /** Whether browsers are to send the cookie over TLS only. */
  secure: boolean
}

const notOfOrganization = () =>
  new ApiError(403, 'permission_denied', 'The user does not belong to this organization.', {
    details: { permission: 'organizations:get' },
  })

export class SessionCredentials {
  /** When sessions were renewed last: the store hears of it a little later. */
  readonly #renewed = new RecentlyUsed<number>(10_000)

  readonly #cookieName: string

  constructor(private readonly parts: SessionCredentialsParts) {
    this.#cookieName = cookieName('troupe_session', parts.secure)
  }

  /** The session's token in the cookie; undefined when there is none of the right form. */
  tokenIn(request: Request): string | undefined {
    const token = cookieIn(request, this.#cookieName)
    return token && tokenForm.test(token) ? token : undefined
  }

  /** A new session, to be stored, and its token, to be set as a cookie. */
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

  /** The `Set-Cookie` header of a session that lives for so long. */
  cookie(token: string, lifeSeconds = idleMs / 1000): string {
    const { secure } = this.parts
    const options = { httpOnly: true, sameSite: 'lax', path: '/', secure, maxAge: lifeSeconds } as const
    return new Bun.Cookie(this.#cookieName, token, options).serialize()
  }

  /** What a session's changes carry as `X-CSRF-Token`. */
  csrfToken(sessionId: string): string {
    return createHmac('sha256', this.parts.key).update(`csrf\n${sessionId}`).digest('base64url')
  }

  /** Whose session it is; undefined when it is over. */
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
   * Who calls with this token in this organization, by default the user's oldest one; undefined when the session is over,
   * or was ended for that organization. Throws `notFound` for an organization in the path, `permission_denied` for one in
   * the header, that the user does not belong to.
   */
  async findCaller(
    token: string,
    organization: string | undefined,
    inPath: boolean,
  ): Promise<Answer<SessionCaller> | undefined> {
    const identity = await this.findIdentity(token)
    return identity && this.#caller(identity, organization, inPath)
  }

  /** Who calls with this session in this organization, for what the session has opened. Throws `permission_denied`. */
  async again(sessionId: string, organizationId: string): Promise<Answer<SessionCaller> | undefined> {
    const identity = await this.#identity(sessionId)
    return identity && this.#caller(identity, organizationId, false)
  }

  async #caller(identity: SessionIdentity, organization: string | undefined, inPath: boolean) {
    const { store, clock } = this.parts
    const { userId } = identity
    const found = await store.first(findMembershipFor(store, userId, organization, identity.session.createdAt))
    if (!found) throw inPath ? notFound() : notOfOrganization()
    // its sessions were ended there, and elsewhere they go on
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

  /** Lets the session live on, now and then, and notes where it is used. Nobody waits for it. */
  renew(session: Session, token: string, headers: ResponseHeaders, address: () => string | undefined): void {
    const { store, clock, logger } = this.parts
    const at = clock.now()
    const seenAt = Math.max(session.lastSeenAt, this.#renewed.get(session.id) ?? 0)
    if (at - seenAt < renewMs) return
    this.#renewed.set(session.id, at)
    const expiresAt = Math.min(at + idleMs, session.createdAt + lifeMs)
    headers['set-cookie'] = this.cookie(token, Math.floor((expiresAt - at) / 1000))
    store
      .commit([touchSession(store, { id: session.id, at, expiresAt, address: address() ?? null })])
      .catch((error: unknown) => logger.warn({ err: error }, 'the use of a session was not noted'))
  }
}
