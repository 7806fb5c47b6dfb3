/** Limits on requested mails: they protect mailboxes from floods and the server's quota from a single user. */
import { createHash } from 'node:crypto'
import type { RateLimiterAbstract } from 'rate-limiter-flexible'
import { networkOf } from '../http/guard/client-address.ts'
import type { RedisConnection } from '../redis/connection.ts'
import { counter, refusedFor } from './counter.ts'

const quarterSeconds = 15 * 60
const hourSeconds = 60 * 60

/** Hashes the address, so that Redis holds none and keys are short. */
const keyOf = (...parts: readonly string[]): string => createHash('sha256').update(parts.join('\n')).digest('base64url')

/** Each method counts one request; returns 0, or the seconds (at least 1) to wait. */
export class MailLimiter {
  readonly #byInviter: RateLimiterAbstract
  readonly #toInvited: RateLimiterAbstract
  readonly #verifications: RateLimiterAbstract
  readonly #resetsByClient: RateLimiterAbstract
  readonly #resetsToAddress: RateLimiterAbstract

  /** Without a connection it counts in this process. */
  constructor(connection?: RedisConnection) {
    const limit = (name: string, points: number, windowSeconds: number) =>
      counter({ name: `mails-${name}`, points, windowSeconds }, connection)
    this.#byInviter = limit('by-inviter', 100, hourSeconds)
    this.#toInvited = limit('to-invited', 5, hourSeconds)
    this.#verifications = limit('verifications', 5, hourSeconds)
    this.#resetsByClient = limit('resets-by', 10, quarterSeconds)
    this.#resetsToAddress = limit('resets-to', 3, hourSeconds)
  }

  /** An invitation of an address or an account to an organization by this user. */
  async invitation(inviter: string, organizationId: string, invited: string): Promise<number> {
    const seconds = await refusedFor(this.#toInvited, keyOf(organizationId, invited))
    return seconds > 0 ? seconds : refusedFor(this.#byInviter, inviter)
  }

  verification(userId: string): Promise<number> {
    return refusedFor(this.#verifications, userId)
  }

  /** A password reset requested from this address of a client (IPv6: from its /64 network). */
  resetBy(clientAddress: string | undefined): Promise<number> {
    return refusedFor(this.#resetsByClient, keyOf(networkOf(clientAddress ?? '')))
  }

  /** A password reset that is mailed to this address. */
  resetTo(email: string): Promise<number> {
    return refusedFor(this.#resetsToAddress, keyOf(email))
  }
}
