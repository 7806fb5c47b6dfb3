/** Access to `/metrics`: open, or with the operator's token. Source: contract 9. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { invalidMetricsToken, metricsTokenRequired } from '../http/answers/errors.ts'
import type { AddressFailures } from '../limits/failures.ts'
import type { Secret } from './secret.ts'

interface MetricsAccessParts {
  /** Null: `/metrics` is open. */
  token: Secret | null
  /** Wrong tokens count as failed authentications. */
  failedAttempts: Pick<AddressFailures, 'refuse'>
  /** The client's address. */
  addressOf(request: Request): string | undefined
}

const digest = (text: string) => createHash('sha256').update(text).digest()

export class MetricsAccess {
  readonly #expected: Buffer | undefined

  constructor(private readonly parts: MetricsAccessParts) {
    this.#expected = parts.token === null ? undefined : digest(parts.token.reveal())
  }

  /** Rejects with 401 without the token, and with `rate_limited` (429) after too many wrong ones. */
  async assert(request: Request): Promise<void> {
    if (!this.#expected) return
    const [, given] = /^Bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '') ?? []
    if (given === undefined) throw metricsTokenRequired()
    // digests have equal lengths, so that the comparison takes constant time
    if (timingSafeEqual(digest(given), this.#expected)) return
    const { failedAttempts, addressOf } = this.parts
    throw await failedAttempts.refuse(addressOf(request), 'a wrong token', invalidMetricsToken)
  }
}
