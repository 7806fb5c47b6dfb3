/**
 * Limits the API keys that one address (IPv6: one /64 network) may request, so that no client can fill the list of
 * pending requests.
 */
import type { RateLimiterAbstract } from 'rate-limiter-flexible'
import { networkOf } from '../http/guard/client-address.ts'
import type { RedisConnection } from '../redis/connection.ts'
import { counter, refusedFor } from './counter.ts'

const askedMax = 30
const windowSeconds = 15 * 60

export class DeviceAuthorizationLimiter {
  readonly #requests: RateLimiterAbstract

  /** Omitted: counts in this process. */
  constructor(connection?: RedisConnection) {
    this.#requests = counter({ name: 'device-authorizations', points: askedMax, windowSeconds }, connection)
  }

  /** Counts one request from this address; returns 0, or the seconds (at least 1) to wait. */
  count(address: string | undefined): Promise<number> {
    return refusedFor(this.#requests, networkOf(address ?? ''))
  }
}
