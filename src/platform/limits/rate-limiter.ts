/** Limits the requests of each credential per minute. Source: contract 0, "Rate limits"; IETF draft on rate limit fields. */
import type { RateLimiterAbstract } from 'rate-limiter-flexible'
import { ApiError } from '../http/answers/errors.ts'
import type { Identity } from '../http/guard/caller.ts'
import type { RateLimiter, ResponseHeaders } from '../http/guard/parts.ts'
import type { RedisConnection } from '../redis/connection.ts'
import { count, counter } from './counter.ts'

const windowSeconds = 60

export class CredentialRateLimiter implements RateLimiter {
  readonly #requests: RateLimiterAbstract
  readonly #policy: string

  /** `requestsMax` per credential and minute, at least 1. Without a connection it counts in this process. */
  constructor(requestsMax: number, connection?: RedisConnection) {
    this.#requests = counter({ name: 'requests', points: requestsMax, windowSeconds }, connection)
    this.#policy = `"credential";q=${requestsMax};w=${windowSeconds}`
  }

  /** Rejects with `rate_limited` (429) above the limit. */
  async admit({ credentialId }: Pick<Identity, 'credentialId'>, responseHeaders: ResponseHeaders): Promise<void> {
    const { refused, remaining, seconds } = await count(this.#requests, credentialId)
    responseHeaders['ratelimit-policy'] = this.#policy
    responseHeaders.ratelimit = `"credential";r=${remaining};t=${seconds}`
    if (refused) throw new ApiError(429, 'rate_limited', 'Too many requests.', { retryAfterSeconds: seconds })
  }
}
