/**
 * Who calls with an API key. An answer is good for two seconds at most and never beyond the key's expiry; within that
 * time it costs one look into a map. A revocation that this process knows of works on the next request.
 * Source: requirement 5.1, 5.2; contract 1, "API key".
 */
import { findApiKey, noteApiKeyUse } from '../../storage/keys.ts'
import type { Store } from '../../storage/store.ts'
import type { Authenticator, Caller } from '../http/caller.ts'
import { ApiError, invalidApiKey, unauthenticated } from '../http/errors.ts'
import type { Logger } from '../operating/logger.ts'
import type { Clock } from '../runtime/clock.ts'
import type { FailedAttempts } from './failed-attempts.ts'
import { effectivePermissions } from './roles.ts'
import { hashSecret, isWellFormed } from './secret.ts'

export interface ApiKeyAuthenticatorOptions {
  store: Store
  clock: Pick<Clock, 'now'>
  logger: Pick<Logger, 'warn'>
  /** Left out: failures are not counted. */
  failedAttempts?: FailedAttempts
  /** The client's address; asked for only when a request has failed. Without an address nothing is counted. */
  addressOf?: (request: Request) => string | undefined
  /** How many answers are kept in mind. */
  answersMax?: number
}

/** How long an answer is good for: what other processes and the membership say is noticed within this time. */
const answerMs = 2_000
/** `lastUsedAt` is written at most once in this time. */
const useNotedMs = 60_000

/** The one form of a bearer token; two headers that were joined by a comma do not have it. */
const bearer = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i

interface Answer {
  caller: Caller
  checkedAt: number
  /** From here on, the store is asked again. */
  goodUntil: number
}

export class ApiKeyAuthenticator implements Authenticator {
  readonly #store: Store
  readonly #clock: Pick<Clock, 'now'>
  readonly #logger: Pick<Logger, 'warn'>
  readonly #failedAttempts: FailedAttempts | undefined
  readonly #addressOf: (request: Request) => string | undefined
  readonly #answersMax: number
  /** By the whole header, so that a hit needs no parsing. In the order in which they were given. */
  readonly #answers = new Map<string, Answer>()
  /** Look-ups under way, by header: requests with the same key wait for the same one. */
  #lookUps = new Map<string, Promise<Caller | undefined>>()

  constructor(options: ApiKeyAuthenticatorOptions) {
    this.#store = options.store
    this.#clock = options.clock
    this.#logger = options.logger
    this.#failedAttempts = options.failedAttempts
    this.#addressOf = options.addressOf ?? (() => undefined)
    this.#answersMax = options.answersMax ?? 10_000
  }

  /**
   * Throws or rejects with `unauthenticated` (401) without a bearer token; `invalidApiKey` (401), the same for a key
   * that is malformed, unknown, expired, revoked or of somebody who has left; `rate_limited` (429) instead of that
   * after too many failures; `StoreUnavailable`.
   */
  authenticate(authorization: string | null, request?: Request): Caller | Promise<Caller> {
    if (authorization === null) throw unauthenticated()
    const answer = this.#answers.get(authorization)
    if (answer !== undefined) {
      const now = this.#clock.now()
      // a clock that was set back must not make answers live longer
      if (now < answer.goodUntil && now >= answer.checkedAt) return answer.caller
    }
    return this.#ask(authorization, request)
  }

  /**
   * Forgets what is known of a key; to be called once its change is committed. Look-ups under way may have read what was
   * true before: nobody else joins them.
   */
  invalidate(keyId: string): void {
    for (const [authorization, { caller }] of this.#answers) {
      if (caller.principal.id === keyId) this.#answers.delete(authorization)
    }
    this.#lookUps = new Map()
  }

  /** Answers in mind. */
  get size(): number {
    return this.#answers.size
  }

  #ask(authorization: string, request: Request | undefined): Promise<Caller> {
    const secret = bearer.exec(authorization)?.[1]
    if (secret === undefined) throw unauthenticated()
    if (!isWellFormed(secret)) throw this.#refusal(request)
    return (this.#lookUps.get(authorization) ?? this.#beginLookUp(authorization, secret)).then((caller) => {
      if (!caller) throw this.#refusal(request)
      return caller
    })
  }

  #beginLookUp(authorization: string, secret: string): Promise<Caller | undefined> {
    const lookUps = this.#lookUps
    const lookUp = this.#lookUp(secret)
      .then((answer) => {
        // after an invalidation this one may be outdated: good for those who wait for it, not for others
        if (lookUps === this.#lookUps) this.#keep(authorization, answer)
        return answer?.caller
      })
      .finally(() => lookUps.delete(authorization))
    lookUps.set(authorization, lookUp)
    return lookUp
  }

  async #lookUp(secret: string): Promise<Answer | undefined> {
    const checkedAt = this.#clock.now()
    const key = await this.#store.first(findApiKey(this.#store, { secretHash: hashSecret(secret) }))
    if (!key || key.expires_at <= checkedAt || key.status !== 'active') return undefined
    if (checkedAt - (key.last_used_at ?? 0) >= useNotedMs) this.#noteUse(key.id, checkedAt)
    const caller: Caller = {
      principal: { type: 'apiKey', id: key.id },
      userId: key.created_by,
      organizationId: key.organization_id,
      permissions: effectivePermissions(JSON.parse(key.operations) as string[], key.role),
      scope: { projectId: key.project_id, environmentId: key.environment_id, agentId: key.agent_id },
    }
    return { caller, checkedAt, goodUntil: Math.min(checkedAt + answerMs, key.expires_at) }
  }

  #keep(authorization: string, answer: Answer | undefined): void {
    this.#answers.delete(authorization)
    if (!answer) return
    this.#answers.set(authorization, answer)
    if (this.#answers.size <= this.#answersMax) return
    const oldest = this.#answers.keys().next().value
    if (oldest !== undefined) this.#answers.delete(oldest)
  }

  /** Nobody waits for it, and nobody is refused when it fails. */
  #noteUse(keyId: string, at: number): void {
    this.#store
      .commit([noteApiKeyUse(this.#store, { id: keyId, at, unlessAfter: at - useNotedMs })])
      .catch((error: unknown) => this.#logger.warn({ keyId, err: error }, 'the last use of an API key was not noted'))
  }

  /** What a request with an invalid key is told. */
  #refusal(request: Request | undefined): ApiError {
    const address = request && this.#failedAttempts ? this.#addressOf(request) : undefined
    const seconds = address === undefined ? 0 : (this.#failedAttempts?.count(address) ?? 0)
    return seconds === 0
      ? invalidApiKey()
      : new ApiError(429, 'rate_limited', 'Too many requests with an invalid API key.', undefined, seconds)
  }
}
