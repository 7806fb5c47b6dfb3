/** Statistics of deliveries: the dead letters in a caller's scope, and the Environments with the most. */
import type { CountScope } from '../../../../storage/count-scope.ts'
import { firstDeadLetter, walkDeadLetters } from '../../../../storage/events/dead-letters.ts'
import type { Store } from '../../../../storage/store.ts'
import { assertSpansAgents, partsInScope } from '../../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../../platform/http/guard/caller.ts'
import { nextTurn } from '../../../platform/time/next-turn.ts'
import type { DeliveryWork } from '../../deliveries/delivery-work.ts'

export interface DeliveryStatisticsParts {
  store: Store
  deliveryWork: DeliveryWork
}

interface DeliveryStatisticsRequest {
  projectId?: string
  environmentId?: string
}

/** The dead letters of one Environment. */
interface Tally {
  projectId: string
  environmentId: string
  deadLetters: number
}

/** By the Environment's id. */
type Tallies = Map<string, Tally>

export const environmentsMax = 20

/** Dead letters that are counted before yielding to other work. */
const stretchLength = 2_000

const permission = 'analytics:read'

export class DeliveryStatistics {
  constructor(private readonly parts: DeliveryStatisticsParts) {}

  /**
   * Counts the dead letters in the credential's scope. Throws `permission_denied` for a credential of one Agent,
   * because deliveries do not belong to Agents.
   */
  async of(caller: Caller, request: DeliveryStatisticsRequest) {
    assertSpansAgents(caller, permission)
    const { organizationId } = caller
    const tallies: Tallies = new Map()
    for (const { projectId, environmentId } of partsInScope(caller, permission, request)) {
      const scope = {
        organizationId,
        ...(projectId !== undefined && { project_id: projectId }),
        ...(environmentId !== undefined && { environment_id: environmentId }),
      }
      await this.#count(scope, tallies)
    }
    const worst = [...tallies.values()].sort(worstFirst)
    return {
      deadLetters: worst.reduce((sum, { deadLetters }) => sum + deadLetters, 0),
      environments: worst.slice(0, environmentsMax),
    }
  }

  async #count(scope: CountScope, tallies: Tallies): Promise<void> {
    const { store, deliveryWork } = this.parts
    const eventsUntil = deliveryWork.eventsUntil()
    for (let after = firstDeadLetter; ; ) {
      const found = await store.all(walkDeadLetters(store, { ...scope, after, eventsUntil, limit: stretchLength }))
      for (const { project_id: projectId, environment_id: environmentId, kept, isThere } of found) {
        if (isThere && Number(kept) > 0) add(tallies, { projectId, environmentId, deadLetters: Number(kept) })
      }
      const last = found.at(-1)
      const walked = found.reduce((sum, { walked }) => sum + Number(walked), 0)
      if (last === undefined || walked < stretchLength) return
      after = last
      await nextTurn()
    }
  }
}

function add(tallies: Tallies, { environmentId, deadLetters, ...place }: Tally): void {
  const known = tallies.get(environmentId)
  if (known) known.deadLetters += deadLetters
  else tallies.set(environmentId, { ...place, environmentId, deadLetters })
}

/** Ties are sorted by id, so that the order is stable. */
const worstFirst = (one: Tally, other: Tally): number =>
  other.deadLetters - one.deadLetters || (one.environmentId < other.environmentId ? -1 : 1)
