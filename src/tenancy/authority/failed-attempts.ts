/**
 * Counts failed authentications by client address (for IPv6 by its /64 network), so that guessing gets slow. Keys and
 * tokens are counted once they have failed, and a valid one works from any address. Passwords, whose check is expensive,
 * are counted before it, and what was counted is taken back when the password was right. Each of the two has a count of
 * its own: a program with an invalid key does not keep people behind the same address from signing in.
 * Source: contract 0, "Rate limits"; contract 1, "Session".
 */

import { RecentlyUsed } from '../../platform/cache.ts'
import { ApiError } from '../../platform/http/answers/errors.ts'
import { networkOf } from '../../platform/http/guard/client-address.ts'
import type { Clock } from '../../platform/time/clock.ts'

export interface FailedAttemptsOptions {
  clock: Pick<Clock, 'now'>
  /** Failures that one address has free in a minute; 0 counts nothing and refuses nothing. */
  failuresMax?: number
  /** Addresses kept in mind; beyond that, the ones quiet for longest are forgotten. */
  addressesMax?: number
}

const windowMs = 60_000

interface Window {
  failures: number
  startedAt: number
}

export class FailedAttempts {
  readonly #clock: Pick<Clock, 'now'>
  readonly #failuresMax: number
  /** Of keys and tokens. */
  readonly #windows: RecentlyUsed<Window>
  /** Of passwords. */
  readonly #attempts: RecentlyUsed<Window>

  constructor({ clock, failuresMax = 20, addressesMax = 10_000 }: FailedAttemptsOptions) {
    this.#clock = clock
    this.#failuresMax = failuresMax
    this.#windows = new RecentlyUsed(addressesMax)
    this.#attempts = new RecentlyUsed(addressesMax)
  }

  /** Counts one failure. Answers after how many seconds (at least 1) to come back when it is one too many, else 0. */
  count(address: string): number {
    return this.#count(this.#windows, address)
  }

  /**
   * Counts one failure, of a client whose address is known, and answers what it is told: the refusal, or `rate_limited`
   * (429) when it is one too many. `what` it sends too many of is named as in "an invalid API key".
   */
  refuse(address: string | undefined, what: string, refusal: () => ApiError): ApiError {
    const seconds = address === undefined ? 0 : this.count(address)
    return seconds === 0
      ? refusal()
      : new ApiError(429, 'rate_limited', `Too many requests with ${what}.`, { retryAfterSeconds: seconds })
  }

  /** Counts an attempt with a password, before it is looked at. Answers as `count`: when it is not 0, do not look. */
  attempt(address: string): number {
    return this.#count(this.#attempts, address)
  }

  /** Takes the attempt back: the password was right, or was not looked at. */
  takeBack(address: string): void {
    const window = this.#attempts.get(networkOf(address))
    if (window && window.failures > 0) window.failures -= 1
  }

  #count(windows: RecentlyUsed<Window>, address: string): number {
    if (this.#failuresMax === 0) return 0
    const now = this.#clock.now()
    const network = networkOf(address)
    let window = windows.get(network)
    if (!window || now - window.startedAt >= windowMs || now < window.startedAt) {
      window = { failures: 0, startedAt: now }
      windows.set(network, window)
    }
    window.failures += 1
    if (window.failures <= this.#failuresMax) return 0
    return Math.ceil((window.startedAt + windowMs - now) / 1000)
  }

  /** Addresses in mind. */
  get size(): number {
    return this.#windows.size + this.#attempts.size
  }
}
