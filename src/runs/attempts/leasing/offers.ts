/** Offers queued runs to the runners of this server first, then to the other servers. */
import type { Hints } from '../../../platform/bus/hints.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { RunQueue } from './queue.ts'
import type { SlotShares } from './slot-shares.ts'

/**
 * How long a run waits for a free slot of this server before others hear of it. The embedded runner takes one run after
 * the other, and gives way to starts, so that a run often waits although a slot is free; another server that takes it
 * meanwhile conflicts with this one.
 */
const ownMs = 1_000

interface OfferParts {
  queue: Pick<RunQueue, 'offer' | 'has'>
  /** Omitted: there are no other servers. */
  hints?: Pick<Hints, 'tell' | 'isShared'> | undefined
  clock: Clock
  /** Whether only runners of the organization execute its runs. */
  isExclusive(organizationId: string): boolean
}

export class Offers {
  /** The slots of the embedded runner; undefined: there is none. */
  own: Pick<SlotShares, 'isFreeFor'> | undefined
  /** What tells others of the runs that wait for a free slot. */
  readonly #later = new Set<() => void>()

  constructor(private readonly parts: OfferParts) {}

  /** A run was queued and may be leased from `availableAt`. */
  offer(runId: string, organizationId: string, availableAt: number): void {
    const { queue, hints, clock, isExclusive } = this.parts
    queue.offer(runId, organizationId, availableAt)
    if (!hints?.isShared) return
    const tell = () => hints.tell('queued', organizationId)
    const isForOthers = isExclusive(organizationId) || !this.own?.isFreeFor(organizationId)
    if (availableAt > clock.now() || (isForOthers && queue.has(runId))) tell()
    else if (queue.has(runId)) {
      const later = (): void => {
        if (this.#later.delete(later) && queue.has(runId)) tell()
      }
      this.#later.add(later)
      clock.after(ownMs, later)
    }
  }

  /** This server takes no more runs. */
  retire(): void {
    this.own = undefined
    for (const later of this.#later) later()
  }
}
