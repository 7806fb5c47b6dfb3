/**
 * How organizations share the slots of the embedded runner. An organization takes a free slot only while it holds fewer
 * than seven times as many slots as are free: an eighth of the slots stays free beside one organization with long runs,
 * and while several have work, a slot that becomes free goes to those that hold less. An organization that is the only
 * one of the store takes all slots. Source: contract 5, "Slots of the embedded runner are shared".
 *
 * The rule is that of dynamic thresholds for shared buffers (A. K. Choudhury, E. L. Hahne, 1998). It needs only the
 * number of slots that the organization holds, and the number of those that are free.
 */

import type { Store } from '../../../../storage/store.ts'
import { firstOrganizations } from '../../../../storage/tenancy/organizations.ts'
import type { Clock } from '../../../platform/time/clock.ts'

/** The most slots that an organization holds for each one that is free. */
const heldPerFree = 7
/** How long it is relied on that the store has only one organization, or more. */
const reliedOnMs = 5_000

interface SlotSharesParts {
  store: Store
  clock: Pick<Clock, 'now'>
  slots: number
  /** Organizations that were refused may take a slot now. */
  onOpened(): void
  onError(error: unknown, what: string): void
}

export class SlotShares {
  /** The slots held, by organization. */
  readonly #held = new Map<string, number>()
  #free: number
  /** Whether the store had only one organization when it was looked at. */
  #wasAlone = false
  #lookedAt = Number.NEGATIVE_INFINITY
  #looking = false

  constructor(private readonly parts: SlotSharesParts) {
    this.#free = parts.slots
  }

  /** Whether a run of this organization may take a slot, if one is free. */
  isOpenTo(organizationId: string): boolean {
    if ((this.#held.get(organizationId) ?? 0) < heldPerFree * this.#free) return true
    if (this.#isRecent()) return this.#wasAlone
    void this.#look()
    return false
  }

  /** Whether a slot is free for a run of this organization. */
  isFreeFor(organizationId: string): boolean {
    return this.#free > 0 && this.isOpenTo(organizationId)
  }

  take(organizationId: string): void {
    this.#count(organizationId, 1)
  }

  leave(organizationId: string): void {
    this.#count(organizationId, -1)
    this.parts.onOpened()
  }

  #count(organizationId: string, change: 1 | -1): void {
    this.#free -= change
    const held = (this.#held.get(organizationId) ?? 0) + change
    if (held === 0) this.#held.delete(organizationId)
    else this.#held.set(organizationId, held)
  }

  #isRecent(): boolean {
    const sinceMs = this.parts.clock.now() - this.#lookedAt
    return sinceMs >= 0 && sinceMs < reliedOnMs
  }

  /** Looks whether the store has only one organization: only once an organization holds all that it may beside others. */
  async #look(): Promise<void> {
    if (this.#looking) return
    this.#looking = true
    const { store, clock, onOpened, onError } = this.parts
    const lookedAt = clock.now()
    try {
      const found = await store.all(firstOrganizations(store, { limit: 2 }))
      this.#wasAlone = found.length === 1
      this.#lookedAt = lookedAt
      if (this.#wasAlone) onOpened()
    } catch (error) {
      onError(error, 'the shares of the runner')
    } finally {
      this.#looking = false
    }
  }
}
