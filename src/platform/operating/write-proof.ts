/** Checks that the store can be written, which fails on a full disk. Source: contract 9, "`/readyz` proves a write". */
import { proofOfWrite } from '../../../storage/platform/readiness.ts'
import type { Store } from '../../../storage/store.ts'
import type { Clock } from '../time/clock.ts'

/** At most one write in this time, however often the check is called. */
const everyMs = 1_000

export class WriteProof {
  #begunAt = Number.NEGATIVE_INFINITY
  #proof: Promise<void> = Promise.resolve()

  constructor(private readonly parts: { store: Store; clock: Pick<Clock, 'now'> }) {}

  /** Writes, or returns the result of the write within the last second. Rejects if the store cannot be written. */
  readonly check = (): Promise<void> => {
    const { store, clock } = this.parts
    const now = clock.now()
    if (Math.abs(now - this.#begunAt) < everyMs) return this.#proof
    this.#begunAt = now
    this.#proof = store.commit(proofOfWrite(store, now), null)
    // the caller handles the rejection
    this.#proof.catch(() => {})
    return this.#proof
  }
}
