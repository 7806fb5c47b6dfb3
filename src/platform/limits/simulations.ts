/** Limits how often one address (IPv6: one /64 network) can simulate a statechart, which needs no credential. */
import type { RateLimiterAbstract } from 'rate-limiter-flexible'
import { ApiError } from '../http/answers/errors.ts'
import { networkOf } from '../http/guard/client-address.ts'
import type { RedisConnection } from '../redis/connection.ts'
import { counter, refusedFor } from './counter.ts'

/** By one address, in a minute. */
export const simulationsMax = 120
const windowSeconds = 60
const message =
  `An address may simulate statecharts ${simulationsMax} times a minute. Send several events in one request, or try ` +
  'again later.'

export class SimulationLimiter {
  readonly #simulations: RateLimiterAbstract | undefined

  /**
   * @param isOn whether requests are limited at all
   * @param connection omitted: counts in this process
   */
  constructor(isOn: boolean, connection?: RedisConnection) {
    if (isOn) this.#simulations = counter({ name: 'simulations', points: simulationsMax, windowSeconds }, connection)
  }

  /** Counts one from this address. Rejects with `rate_limited` (429) when it is one too many. */
  async admit(address: string | undefined): Promise<void> {
    if (!this.#simulations) return
    const seconds = await refusedFor(this.#simulations, networkOf(address ?? ''))
    if (seconds > 0) throw new ApiError(429, 'rate_limited', message, { retryAfterSeconds: seconds })
  }
}
