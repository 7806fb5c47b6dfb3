/**
 * Counts failed authentications by client address (IPv6: by /64 network) for all servers that share a Redis. While Redis is down
 * each server counts for itself. Source: contract 0, "Rate limits".
 */
import { createHash } from 'node:crypto'
import type { RateLimiterAbstract } from 'rate-limiter-flexible'
import { RecentlyUsed } from '../cache.ts'
import { ApiError } from '../http/answers/errors.ts'
import { networkOf } from '../http/guard/client-address.ts'
import type { RedisConnection } from '../redis/connection.ts'
import { counter, refusedFor } from './counter.ts'

/** Keys and tokens are counted when they fail, passwords before they are checked. */
export interface AddressFailures {
  /**
   * Counts one failure if the address is known, and returns the answer: the refusal, or `rate_limited` (429) above the limit.
   * `what` names the credential in the message, as in "an invalid API key".
   */
  refuse(address: string | undefined, what: string, refusal: () => ApiError): ApiError | Promise<ApiError>
  /** Counts an attempt before its password is checked. Returns 0, or the seconds (at least 1) to wait: then do not check. */
  attempt(address: string): number | Promise<number>
  /** Uncounts the attempt: the password was right, or was not checked. */
  takeBack(address: string): void | Promise<void>
}

/** The answer after a failure that was counted: `seconds` to wait, 0 within the limit. */
export const refusalAfter = (seconds: number, what: string, refusal: () => ApiError): ApiError =>
  seconds === 0
    ? refusal()
    : new ApiError(429, 'rate_limited', `Too many requests with ${what}.`, { retryAfterSeconds: seconds })

const windowSeconds = 60
const addressesMax = 10_000

/** Hashes the network, so that Redis holds no address and keys are short. */
const keyOf = (address: string): string => createHash('sha256').update(networkOf(address)).digest('base64url')

export class SharedFailures implements AddressFailures {
  readonly #keys: RateLimiterAbstract
  readonly #passwords: RateLimiterAbstract
  /** Until when an address is refused, by `performance.now`: a flood from it does not reach Redis. */
  readonly #refused = new RecentlyUsed<number>(addressesMax)

  /** `failuresMax` per address and minute, at least 1. */
  constructor(failuresMax: number, connection: RedisConnection) {
    const terms = { points: failuresMax, windowSeconds }
    this.#keys = counter({ name: 'failed-keys', ...terms }, connection)
    this.#passwords = counter({ name: 'failed-passwords', ...terms }, connection)
  }

  async refuse(address: string | undefined, what: string, refusal: () => ApiError): Promise<ApiError> {
    return refusalAfter(address === undefined ? 0 : await this.#count(keyOf(address)), what, refusal)
  }

  attempt(address: string): Promise<number> {
    return refusedFor(this.#passwords, keyOf(address))
  }

  async takeBack(address: string): Promise<void> {
    await this.#passwords.reward(keyOf(address), 1)
  }

  async #count(key: string): Promise<number> {
    const left = (this.#refused.get(key) ?? 0) - performance.now()
    if (left > 0) return Math.ceil(left / 1_000)
    const seconds = await refusedFor(this.#keys, key)
    if (seconds > 0) this.#refused.set(key, performance.now() + seconds * 1_000)
    return seconds
  }
}
