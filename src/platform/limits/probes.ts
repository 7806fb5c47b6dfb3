/** Limits how often an organization can probe providers: each probe is a request to a third party. Source: trust 2.10. */
import type { RateLimiterAbstract } from 'rate-limiter-flexible'
import { ApiError } from '../http/answers/errors.ts'
import type { RedisConnection } from '../redis/connection.ts'
import { counter, refusedFor } from './counter.ts'

const probesMax = 60
const windowSeconds = 60
const message =
  `Providers are asked at most ${probesMax} times a minute for one organization: at each registration, rotation and ` +
  'verification of an integration. TROUPE_RATE_LIMIT_PER_MINUTE=0 takes this limit away, with the others.'

export class ProbeLimiter {
  readonly #probes: RateLimiterAbstract | undefined

  /**
   * @param isOn whether requests are limited at all
   * @param connection omitted: counts in this process
   */
  constructor(isOn: boolean, connection?: RedisConnection) {
    if (isOn) this.#probes = counter({ name: 'probes', points: probesMax, windowSeconds }, connection)
  }

  /** Counts one. Rejects with `rate_limited` (429) when it is one too many. */
  async admit(organizationId: string): Promise<void> {
    if (!this.#probes) return
    const seconds = await refusedFor(this.#probes, organizationId)
    if (seconds > 0) throw new ApiError(429, 'rate_limited', message, { retryAfterSeconds: seconds })
  }
}
