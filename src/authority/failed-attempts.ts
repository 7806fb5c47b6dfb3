/**
 * Counts failed authentications by client address, so that guessing gets slow. Only failures count, and only failures
 * are refused: a valid key works from any address. Source: contract 0, "Rate limits".
 */
import { RecentlyUsed } from '../runtime/cache.ts'
import type { Clock } from '../runtime/clock.ts'

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
  readonly #windows: RecentlyUsed<Window>

  constructor({ clock, failuresMax = 20, addressesMax = 10_000 }: FailedAttemptsOptions) {
    this.#clock = clock
    this.#failuresMax = failuresMax
    this.#windows = new RecentlyUsed(addressesMax)
  }

  /** Counts one failure. Answers after how many seconds (at least 1) to come back when it is one too many, else 0. */
  count(address: string): number {
    if (this.#failuresMax === 0) return 0
    const now = this.#clock.now()
    let window = this.#windows.get(address)
    if (!window || now - window.startedAt >= windowMs || now < window.startedAt) {
      window = { failures: 0, startedAt: now }
      this.#windows.set(address, window)
    }
    window.failures += 1
    if (window.failures <= this.#failuresMax) return 0
    return Math.ceil((window.startedAt + windowMs - now) / 1000)
  }

  /** Addresses in mind. */
  get size(): number {
    return this.#windows.size
  }
}
