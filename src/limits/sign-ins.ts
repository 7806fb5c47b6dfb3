/**
 * Slows down the guessing of passwords: ten failures in a quarter of an hour for each account from each address. An
 * attempt counts before its password is looked at, so that many at once get no more than one after the other; the one
 * that succeeds forgets those before it. Source: contract 1, "Session".
 */
import { createHash } from 'node:crypto'
import type { RateLimiterAbstract } from 'rate-limiter-flexible'
import type { RedisConnection } from '../redis/connection.ts'
import { count, counter } from './counter.ts'

const failuresMax = 10
const windowSeconds = 15 * 60

/** Neither accounts nor addresses are to be read in Redis; and the key is short, whatever was sent. */
const keyOf = (account: string, address: string | undefined): string =>
  createHash('sha256')
    .update(`${account.trim().toLowerCase()}\n${address ?? ''}`)
    .digest('base64url')

export class SignInLimiter {
  readonly #failures: RateLimiterAbstract

  /** Without a connection, for a process of its own. */
  constructor(connection?: RedisConnection) {
    this.#failures = counter({ name: 'sign-ins', points: failuresMax, windowSeconds }, connection)
  }

  /** Counts an attempt; to be called before the password is checked. 0, or the seconds (at least 1) to wait. */
  async attempt(account: string, address: string | undefined): Promise<number> {
    const { refused, seconds } = await count(this.#failures, keyOf(account, address))
    return refused ? seconds : 0
  }

  /** The password was right: what was counted so far is forgotten. */
  async succeeded(account: string, address: string | undefined): Promise<void> {
    await this.#failures.delete(keyOf(account, address))
  }
}
