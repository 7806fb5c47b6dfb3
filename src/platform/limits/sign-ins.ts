/**
 * Slows down password guessing. An attempt is counted before its password is checked, so that parallel attempts gain
 * nothing. Within a quarter of an hour there are
 *
 * - ten attempts per account and address; a success resets them;
 * - a hundred attempts per account from all addresses together, right or wrong;
 * - ten attempts per account from each browser that has signed in to it before. They bypass the other two limits, so that
 *   guessing from elsewhere does not lock users out of their own browser.
 *
 * A signed-in user who confirms the password (to change it) has a hundred attempts apart from those of strangers. Source:
 * contract 1, "Session"; OWASP, "Slow Down Online Guessing Attacks with Device Cookies".
 */
import { createHash } from 'node:crypto'
import type { RateLimiterAbstract } from 'rate-limiter-flexible'
import { networkOf } from '../http/guard/client-address.ts'
import type { RedisConnection } from '../redis/connection.ts'
import { count, counter, refusedFor } from './counter.ts'

const failuresMax = 10
const attemptsMax = 100
const windowSeconds = 15 * 60

/** Hashes account and address, so that Redis holds neither and keys are short. */
const keyOf = (account: string, from: string): string =>
  createHash('sha256').update(`${account.trim().toLowerCase()}\n${from}`).digest('base64url')

const keyAt = (account: string, address: string | undefined): string => keyOf(account, networkOf(address ?? ''))

export class SignInLimiter {
  readonly #failures: RateLimiterAbstract
  readonly #attempts: RateLimiterAbstract
  readonly #devices: RateLimiterAbstract

  /** Without a connection it counts in this process. */
  constructor(connection?: RedisConnection) {
    this.#failures = counter({ name: 'sign-ins', points: failuresMax, windowSeconds }, connection)
    this.#attempts = counter({ name: 'sign-ins-of-account', points: attemptsMax, windowSeconds }, connection)
    this.#devices = counter({ name: 'sign-ins-of-device', points: failuresMax, windowSeconds }, connection)
  }

  /** Counts an attempt before the password is checked. Returns 0, or the seconds (at least 1) to wait. */
  attempt(account: string, address: string | undefined): Promise<number> {
    return refusedFor(this.#failures, keyAt(account, address))
  }

  /** The same for the account from all addresses together. */
  attemptAnywhere(account: string, { signedIn = false } = {}): Promise<number> {
    return refusedFor(this.#attempts, keyOf(account, signedIn ? 'signed in' : 'stranger'))
  }

  /** Counts an attempt from a browser that has signed in to the account before; false above the limit. */
  async attemptFromDevice(account: string, device: string): Promise<boolean> {
    return !(await count(this.#devices, keyOf(account, device))).refused
  }

  /** The password was right: resets the count. */
  async succeeded(account: string, address: string | undefined): Promise<void> {
    await this.#failures.delete(keyAt(account, address))
  }

  /**
   * Uncounts an attempt whose password was not checked, or was right without saying anything about the earlier attempts.
   */
  async takeBack(account: string, address: string | undefined): Promise<void> {
    await this.#failures.reward(keyAt(account, address), 1)
  }
}
