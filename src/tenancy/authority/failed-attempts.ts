/**
 * Counts failed authentications by client address (IPv6: by /64 network) to slow down guessing. Keys and tokens are counted
 * when they fail; a valid one works from any address. Passwords, which are expensive to check, are counted before the check
 * and uncounted on success. The two counts are separate, so that a program with an invalid key does not lock out people
 * behind the same address. This process counts for itself; with Redis `SharedFailures` counts for all servers. Source: contract
 * 0, "Rate limits"; contract 1, "Session".
 */

import { RecentlyUsed } from '../../platform/cache.ts'
import type { ApiError } from '../../platform/http/answers/errors.ts'
import { networkOf } from '../../platform/http/guard/client-address.ts'
import { type AddressFailures, refusalAfter } from '../../platform/limits/failures.ts'
import type { Clock } from '../../platform/time/clock.ts'

interface FailedAttemptsOptions {
  clock: Pick<Clock, 'now'>
  /** Failures allowed per address and minute; 0 is unlimited. */
  failuresMax?: number
  /** Addresses tracked; beyond that, the least recently seen ones are dropped. */
  addressesMax?: number
}

const windowMs = 60_000

interface Window {
  failures: number
  startedAt: number
}

export class FailedAttempts implements AddressFailures {
  readonly #clock: Pick<Clock, 'now'>
  readonly #failuresMax: number
  /** Windows of failed keys and tokens. */
  readonly #windows: RecentlyUsed<Window>
  /** Windows of password attempts. */
  readonly #attempts: RecentlyUsed<Window>

  constructor({ clock, failuresMax = 20, addressesMax = 10_000 }: FailedAttemptsOptions) {
    this.#clock = clock
    this.#failuresMax = failuresMax
    this.#windows = new RecentlyUsed(addressesMax)
    this.#attempts = new RecentlyUsed(addressesMax)
  }

  /** Counts one failure. Returns the seconds to wait (at least 1) above the limit, else 0. */
  count(address: string): number {
    return this.#count(this.#windows, address)
  }

  refuse(address: string | undefined, what: string, refusal: () => ApiError): ApiError {
    return refusalAfter(address === undefined ? 0 : this.count(address), what, refusal)
  }

  attempt(address: string): number {
    return this.#count(this.#attempts, address)
  }

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

  /** Tracked addresses. */
  get size(): number {
    return this.#windows.size + this.#attempts.size
  }
}
