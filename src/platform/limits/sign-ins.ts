/**
 * Slows down the guessing of passwords. An attempt counts before its password is looked at, so that many at once get no
 * more than one after the other. In a quarter of an hour there are
 *
 * - ten attempts for each account from each address; the one that succeeds forgets those before it;
 * - a hundred attempts for each account from all addresses together, right or wrong: thousands of addresses guess no
 *   faster than that;
 * - ten attempts for each account from each browser that has signed in to it before. They need neither of the other two,
 *   so that nobody is locked out of their own browser by those who guess elsewhere.
 *
 * Somebody who is signed in and proves it again (to change the password) has a hundred attempts apart from strangers'.
 * Source: contract 1, "Session"; OWASP, "Slow Down Online Guessing Attacks with Device Cookies".
 */
import { createHash } from 'node:crypto'
import type { RateLimiterAbstract } from 'rate-limiter-flexible'
import { networkOf } from '../http/guard/client-address.ts'
import type { RedisConnection } from '../redis/connection.ts'
import { count, counter } from './counter.ts'

const failuresMax = 10
const attemptsMax = 100
const windowSeconds = 15 * 60

/** Neither accounts nor addresses are to be read in Redis; and the key is short, whatever was sent. */
const keyOf = (account: string, from: string): string =>
  createHash('sha256').update(`${account.trim().toLowerCase()}\n${from}`).digest('base64url')

const keyAt = (account: string, address: string | undefined): string => keyOf(account, networkOf(address ?? ''))

export class SignInLimiter {
  readonly #failures: RateLimiterAbstract
  readonly #attempts: RateLimiterAbstract
  readonly #devices: RateLimiterAbstract

  /** Without a connection, for a process of its own. */
  constructor(connection?: RedisConnection) {
    this.#failures = counter({ name: 'sign-ins', points: failuresMax, windowSeconds }, connection)
    this.#attempts = counter({ name: 'sign-ins-of-account', points: attemptsMax, windowSeconds }, connection)
    this.#devices = counter({ name: 'sign-ins-of-device', points: failuresMax, windowSeconds }, connection)
  }

  /** Counts an attempt; to be called before the password is checked. 0, or the seconds (at least 1) to wait. */
  async attempt(account: string, address: string | undefined): Promise<number> {
    const { refused, seconds } = await count(this.#failures, keyAt(account, address))
    return refused ? seconds : 0
  }

  /** The same for the account from all addresses together. */
  async attemptAnywhere(account: string, { signedIn = false } = {}): Promise<number> {
    const { refused, seconds } = await count(this.#attempts, keyOf(account, signedIn ? 'signed in' : 'stranger'))
    return refused ? seconds : 0
  }

  /** Counts an attempt from a browser that has signed in to the account before; false when it has had its ten. */
  async attemptFromDevice(account: string, device: string): Promise<boolean> {
    return !(await count(this.#devices, keyOf(account, device))).refused
  }

  /** The password was right: what was counted so far is forgotten. */
  async succeeded(account: string, address: string | undefined): Promise<void> {
    await this.#failures.delete(keyAt(account, address))
  }

  /**
   * The password was not looked at after all, or was right and says nothing about the attempts before: the attempt from
   * this address does not count.
   */
  async takeBack(account: string, address: string | undefined): Promise<void> {
    await this.#failures.reward(keyAt(account, address), 1)
  }
}
