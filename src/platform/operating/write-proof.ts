/** Proves that the store can be written, which a full disk cannot. Source: contract 9, "`/readyz` proves a write". */
import { proveWrite } from '../../../storage/platform/readiness.ts'
import type { Store } from '../../../storage/store.ts'
import type { Clock } from '../time/clock.ts'

/** However often anybody asks, the store is written so often at most. */
const everyMs = 1_000

export class WriteProof {
  #begunAt = Number.NEGATIVE_INFINITY
  #proof: Promise<void> = Promise.resolve()

  constructor(private readonly parts: { store: Store; clock: Pick<Clock, 'now'> }) {}

  /** Writes, or answers as the write of the last second did. Rejects when the store cannot be written. */
  readonly check = (): Promise<void> => {
    const { store, clock } = this.parts
    const now = clock.now()
    if (Math.abs(now - this.#begunAt) < everyMs) return this.#proof
    this.#begunAt = now
    this.#proof = store.commit([proveWrite(store, { at: now })]).then(() => {})
    // whoever asks is told; nobody else has to be
    this.#proof.catch(() => {})
    return this.#proof
  }
}
