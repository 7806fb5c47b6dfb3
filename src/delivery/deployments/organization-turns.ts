/**
 * Work of an organization, one piece after another. Only a few pieces wait for their turn; the others are told to come
 * again, so that an organization with any number of them leaves the runtime's places to the others.
 */
import type { Clock } from '../../platform/time/clock.ts'
import { InTurn } from '../../platform/time/in-turn.ts'
import type { Again } from '../../runtime/kind.ts'

/** The most pieces of an organization that wait, including the one in progress. */
const waitingMax = 20
/** The time after which the first one that found no place comes again; the next ones spread behind it. */
const awayMs = 1_000

interface Queue {
  length: number
  /** When the last one that found no place comes again. */
  nextAt: number
}

export class OrganizationTurns {
  readonly #queues = new Map<string, Queue>()
  readonly #turns = new InTurn()

  constructor(private readonly clock: Clock) {}

  /** Does the work when its turn comes, and throws as it does; or answers when to come again. */
  async take(organizationId: string, work: () => Promise<void>): Promise<Again | undefined> {
    const queue = this.#queues.get(organizationId) ?? { length: 0, nextAt: 0 }
    if (queue.length === waitingMax) {
      const now = this.clock.now()
      queue.nextAt = Math.max(queue.nextAt + awayMs / waitingMax, now + awayMs)
      return { againMs: queue.nextAt - now }
    }
    this.#queues.set(organizationId, queue)
    queue.length += 1
    try {
      await this.#turns.take(organizationId, work)
    } finally {
      queue.length -= 1
      if (queue.length === 0) this.#queues.delete(organizationId)
    }
    return undefined
  }
}
