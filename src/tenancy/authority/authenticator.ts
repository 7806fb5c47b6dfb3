/**
 * Authenticates requests by the API key in the header or the session in the cookie. A key takes precedence over a cookie, and
 * an invalid key is refused whatever the cookie is. Source: requirement 5.1, 5.2; contract 1.
 */

import {
  type ApiError,
  invalidApiKey,
  notFound,
  sessionExpired,
  unauthenticated,
} from '../../platform/http/answers/errors.ts'
import type { Authenticator, Caller, CredentialHolder, Identity } from '../../platform/http/guard/caller.ts'
import type { ResponseHeaders } from '../../platform/http/guard/parts.ts'
import type { AddressFailures } from '../../platform/limits/failures.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { type Answer, Answers } from './answers.ts'
import type { ApiKeyCredentials } from './api-keys.ts'
import type { Change, Revocations } from './revocations.ts'
import type { SessionCaller, SessionCredentials } from './sessions.ts'

export interface AuthenticatorOptions {
  apiKeys: ApiKeyCredentials
  sessions: SessionCredentials
  revocations: Revocations
  clock: Pick<Clock, 'now'>
  /** Omitted: failures are not counted. */
  failedAttempts?: AddressFailures
  /** The client's address, for failures and renewed sessions. Without it failures are not counted. */
  addressOf?: (request: Request) => string | undefined
  /** The most cached answers of each kind. */
  answersMax?: number
}

const speaksFor = ({ organizationId, organization }: Caller, idOrSlug: string | undefined): boolean =>
  idOrSlug === undefined || idOrSlug === organizationId || idOrSlug === organization.slug

export class RequestAuthenticator implements Authenticator {
  readonly #options: AuthenticatorOptions
  /** By the whole header in its usual form, so that a hit needs no parsing. */
  readonly #keys: Answers<Caller>
  /** By cookie and organization. */
  readonly #sessions: Answers<SessionCaller>
  #changes = 0

  constructor(options: AuthenticatorOptions) {
    this.#options = options
    const { clock, revocations, answersMax = 10_000 } = options
    const known = { clock, sizeMax: answersMax, isHearing: () => revocations.isHearing() }
    this.#keys = new Answers(known)
    this.#sessions = new Answers(known)
    revocations.listen((change) => this.forget(change))
  }

  /**
   * Throws or rejects with `unauthenticated` (401) without a credential; `invalidApiKey` (401) for a malformed, unknown, expired
   * or revoked key and for one whose user left, or `rate_limited` (429) after too many of these; `sessionExpired` (401); the
   * errors of `Authenticator` about the organization; `StoreUnavailable`.
   */
  authenticate(
    authorization: string | null,
    request: Request,
    organization?: string,
    responseHeaders?: ResponseHeaders,
  ): Caller | Promise<Caller> {
    if (authorization === null) return this.#session(request, organization, responseHeaders)
    const known = this.#keys.get(authorization)
    if (known === undefined) {
      return this.#askKey(authorization, request).then((caller) => {
        if (!speaksFor(caller, organization)) throw notFound()
        return caller
      })
    }
    if (!speaksFor(known, organization)) throw notFound()
    return known
  }

  identify(authorization: string | null, request: Request, responseHeaders?: ResponseHeaders) {
    if (authorization === null) return this.#identity(request, responseHeaders)
    return this.#keys.get(authorization) ?? this.#askKey(authorization, request)
  }

  /** Revalidates the caller's credential; undefined if it has ended. Throws `permission_denied`. */
  again({ principal, credentialId, organizationId }: CredentialHolder): Promise<Answer<Caller> | undefined> {
    const { apiKeys, sessions } = this.#options
    return principal.type === 'apiKey' ? apiKeys.again(credentialId) : sessions.again(credentialId, organizationId)
  }

  get changes(): number {
    return this.#changes
  }

  /** Invalidates the answers that a change may affect. */
  forget(change: Change): void {
    this.#changes += 1
    this.#keys.forget(change)
    this.#sessions.forget(change)
  }

  /** Cached answers. */
  get size(): number {
    return this.#keys.size + this.#sessions.size
  }

  async #askKey(authorization: string, request: Request): Promise<Caller> {
    const { apiKeys } = this.#options
    const secret = apiKeys.secretIn(authorization)
    if (secret === undefined) throw unauthenticated()
    // all spellings share one answer
    const key = `Bearer ${secret}`
    const caller = apiKeys.isWellFormed(secret)
      ? (this.#keys.get(key) ?? (await this.#keys.ask(key, () => apiKeys.find(secret))))
      : undefined
    if (!caller) throw await this.#refusal(request)
    return caller
  }

  #session(request: Request, organization: string | undefined, responseHeaders?: ResponseHeaders) {
    const { sessions, addressOf } = this.#options
    const token = sessions.tokenIn(request)
    if (token === undefined) throw unauthenticated()
    const asked = organization ?? request.headers.get('x-troupe-organization') ?? ''
    const inPath = organization !== undefined
    // an organization in the path is refused differently from one in the header
    const key = `${token}\n${inPath ? '/' : ''}${asked}`
    const answered = (caller: SessionCaller): Caller => {
      if (responseHeaders) sessions.renew(caller.session, token, responseHeaders, () => addressOf?.(request))
      return caller
    }
    const known = this.#sessions.get(key)
    if (known) return answered(known)
    return this.#sessions
      .ask(key, () => sessions.findCaller(token, asked === '' ? undefined : asked, inPath))
      .then((caller) => {
        if (!caller) throw sessionExpired()
        return answered(caller)
      })
  }

  async #identity(request: Request, responseHeaders?: ResponseHeaders): Promise<Identity> {
    const { sessions, addressOf } = this.#options
    const token = sessions.tokenIn(request)
    if (token === undefined) throw unauthenticated()
    const found = await sessions.findIdentity(token)
    if (!found) throw sessionExpired()
    if (responseHeaders) sessions.renew(found.session, token, responseHeaders, () => addressOf?.(request))
    return found
  }

  /** The answer to an invalid key. */
  #refusal(request: Request): ApiError | Promise<ApiError> {
    const { failedAttempts, addressOf } = this.#options
    if (!failedAttempts) return invalidApiKey()
    return failedAttempts.refuse(addressOf?.(request), 'an invalid API key', invalidApiKey)
  }
}
