/** Limits of one operation by one caller in a minute, apart from the limit on all requests of a credential. */
import type { RateLimiterAbstract } from 'rate-limiter-flexible'
import { ApiError } from '../http/answers/errors.ts'
import type { RedisConnection } from '../redis/connection.ts'
import { counter, refusedFor } from './counter.ts'

const windowSeconds = 60

interface MinuteLimit {
  /** Part of the keys in Redis. */
  name: string
  /** How often, in a minute. */
  max: number
  /** What a refused caller reads. */
  message: string
}

const probesMax = 60
/** Probes of providers, by organization: each is a request to a third party. Source: trust 2.10. */
export const probes: MinuteLimit = {
  name: 'probes',
  max: probesMax,
  message:
    `Providers are asked at most ${probesMax} times a minute for one organization: at each registration, rotation and ` +
    'verification of an integration. TROUPE_RATE_LIMIT_PER_MINUTE=0 takes this limit away, with the others.',
}

const simulationsMax = 120
/** Simulations of statecharts, by network address: they need no credential. */
export const simulations: MinuteLimit = {
  name: 'simulations',
  max: simulationsMax,
  message:
    `An address may simulate statecharts ${simulationsMax} times a minute. Send several events in one request, or ` +
    'try again later.',
}

export class MinuteLimiter {
  readonly #counter: RateLimiterAbstract | undefined

  /**
   * @param isOn whether requests are limited at all
   * @param connection omitted: counts in this process
   */
  constructor(
    private readonly limit: MinuteLimit,
    isOn: boolean,
    connection?: RedisConnection,
  ) {
    const { name, max: points } = limit
    if (isOn) this.#counter = counter({ name, points, windowSeconds }, connection)
  }

  /** Counts one of this caller. Rejects with `rate_limited` (429) when it is one too many. */
  async admit(caller: string): Promise<void> {
    if (!this.#counter) return
    const seconds = await refusedFor(this.#counter, caller)
    if (seconds > 0) throw new ApiError(429, 'rate_limited', this.limit.message, { retryAfterSeconds: seconds })
  }
}
