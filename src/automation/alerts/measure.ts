/** Measures the condition of a rule: along indexes, place by place, up to its threshold. */
import {
  type CountedActors,
  countInState,
  countQueuedSince,
  countWaitingSince,
} from '../../../storage/automation/alerts.ts'
import type { FleetKind } from '../../../storage/runtime/fleet.ts'
import type { Store } from '../../../storage/store.ts'
import { minuteMs } from '../../platform/time/durations.ts'
import { nextTurn } from '../../platform/time/next-turn.ts'
import { countsIn } from '../../runtime/statecharts/fleet/reach.ts'
import type { BudgetStanding } from '../budget.ts'
import { type Condition, thresholdOf } from './condition.ts'

interface MeasureParts {
  store: Store
  budgetOf(organizationId: string): Promise<BudgetStanding>
}

/** The place that a rule watches: an Environment, or the whole organization. */
interface Watched {
  organizationId: string
  environmentId: string | null
}

export interface Measured {
  /** A count, which stops at the threshold, or a percentage. */
  value: number
  isBreached: boolean
}

const forever = { from: Number.MIN_SAFE_INTEGER, until: Number.MAX_SAFE_INTEGER }
/** The reads before yielding to other work. */
const looksAtOnce = 20

interface Look {
  kind: FleetKind & CountedActors
  states: readonly string[]
  from: number
  until: number
}

const working = ['queued', 'acquiring', 'starting', 'running', 'canceling']
const awaiting = ['awaitingToolResult', 'awaitingDelegateResult']

function looksOf(condition: Exclude<Condition, { type: 'budget' }>, now: number): Look[] {
  switch (condition.type) {
    case 'failing': {
      const from = now - condition.withinMinutes * minuteMs
      return [{ kind: 'run', states: ['failed', 'expired'], ...forever, from }]
    }
    case 'undelivered': {
      const from = now - condition.withinMinutes * minuteMs
      return [{ kind: 'delivery', states: ['dead-letter'], ...forever, from }]
    }
    case 'stuck': {
      const until = now - condition.forMinutes * minuteMs
      return [{ kind: 'run', states: working, ...forever, until }]
    }
    default: {
      const until = now - condition.forMinutes * minuteMs
      return [
        { kind: 'operation-invocation', states: ['pending_approval'], ...forever, until },
        { kind: 'run', states: awaiting, ...forever, until },
      ]
    }
  }
}

export async function measure(parts: MeasureParts, watched: Watched, condition: Condition, now: number) {
  const threshold = thresholdOf(condition)
  const value =
    condition.type === 'budget'
      ? ((await parts.budgetOf(watched.organizationId)).percent ?? 0)
      : await counted(parts.store, watched, looksOf(condition, now), threshold)
  return { value, isBreached: value >= threshold } satisfies Measured
}

async function counted(store: Store, watched: Watched, looks: readonly Look[], threshold: number): Promise<number> {
  const { organizationId, environmentId } = watched
  const part = { organizationId, ...(environmentId !== null && { environmentId }) }
  // the state of a run does not show whether it waits for a person, so waiting runs are counted once for each place
  const waitedAt = new Set<string>()
  let sum = 0
  let taken = 0
  for (const { kind, states, from, until } of looks) {
    for (const { place, state } of await countsIn(store, kind, part)) {
      if (!states.includes(state)) continue
      const limit = threshold - sum
      if (state === 'queued') sum += await countQueuedSince(store, { place, until, limit })
      else if (!awaiting.includes(state)) sum += await countInState(store, kind, { place, state, from, until, limit })
      else if (!waitedAt.has(place)) sum += await countWaitingSince(store, { place, until, limit })
      if (awaiting.includes(state)) waitedAt.add(place)
      if (sum >= threshold) return sum
      taken += 1
      if (taken % looksAtOnce === 0) await nextTurn()
    }
  }
  return sum
}
