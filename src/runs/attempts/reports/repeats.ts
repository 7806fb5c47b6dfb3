/**
 * Repeated reports: a runner that did not receive an answer repeats its report with the same `Idempotency-Key`. The
 * answer is stored in the report's transaction and kept longer than a lease can last. Source: contract 0,
 * "Idempotency-Key"; contract 5, "Runner protocol".
 */
import { UniqueViolation } from '../../../../storage/errors.ts'
import { findAnswer, insertAnswer } from '../../../../storage/platform/idempotency.ts'
import type { Store } from '../../../../storage/store.ts'
import { keyReused } from '../../../platform/http/answers/errors.ts'
import { digestOfLarge } from '../../../platform/http/digest.ts'
import type { AttemptClaims } from '../../../platform/http/guard/caller.ts'
import { hourMs } from '../../../platform/time/durations.ts'
import type { Remember } from './parts.ts'

const keptMs = hourMs

export class ReportRepeats {
  /** `assertCurrent` runs before a stored answer is returned, and throws if the attempt is no longer current. */
  constructor(
    private readonly store: Store,
    private readonly assertCurrent: (claims: AttemptClaims) => Promise<void>,
  ) {}

  /**
   * The answer to a report: of `work`, or of the first report with the same key. `body` identifies the report. Throws
   * `idempotency_key_reused` (422).
   */
  async once<Answer>(
    claims: AttemptClaims,
    request: Request,
    body: unknown,
    work: (remember?: Remember<Answer>) => Promise<Answer>,
  ): Promise<Answer> {
    const key = request.headers.get('idempotency-key')
    if (key === null) return work()
    const scope = `attempt\n${claims.attemptId}\n${key}`
    const fingerprint = await digestOfLarge(body)
    const kept = await this.#find<Answer>(scope, fingerprint)
    if (kept) {
      await this.assertCurrent(claims)
      return kept.answer
    }
    try {
      return await work((answer) => {
        const now = Date.now()
        const row = { scope, fingerprint, status: 200, body: JSON.stringify(answer) }
        return [insertAnswer(this.store, { ...row, created_at: now, expires_at: now + keptMs })]
      })
    } catch (error) {
      // The first request was still in progress.
      const first = error instanceof UniqueViolation ? await this.#find<Answer>(scope, fingerprint) : undefined
      if (!first) throw error
      return first.answer
    }
  }

  async #find<Answer>(scope: string, fingerprint: string): Promise<{ answer: Answer } | undefined> {
    const row = await this.store.first(findAnswer(this.store, { scope }))
    if (row && row.fingerprint !== fingerprint) {
      throw keyReused('This Idempotency-Key was already used for a different report. Use a new key.')
    }
    return row && { answer: JSON.parse(row.body) as Answer }
  }
}
