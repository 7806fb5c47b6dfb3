/**
 * Statistics of the runs within a caller's authorization scope: ended runs by time and state, queue and work times, and
 * active runs. They are read from tallies, so that their cost does not depend on the number of stored runs.
 */
import { liveRunStates, type RunEnd, runEnds } from '../../../machines/run/states.ts'
import type { CostOwner } from '../../../storage/billing/costs.ts'
import type { CountScope } from '../../../storage/count-scope.ts'
import { histogramOf, sumTallies, tallyColumns } from '../../../storage/runs/run-tallies.ts'
import type { Store } from '../../../storage/store.ts'
import type { RunPhase, TallyColumn } from '../../../storage/tables.ts'
import { assertSpansAgents } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { timestamp, timestampOrNull } from '../../platform/http/timestamp.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { hourMs } from '../../platform/time/durations.ts'
import { nextTurn } from '../../platform/time/next-turn.ts'
import { scopeOf } from '../records/lists.ts'
import { costStatistics } from './cost-statistics.ts'
import { countLive, type LiveRuns } from './live.ts'
import { percentilesOf } from './percentiles.ts'
import { lengthOf, type Window, type WindowRequest, windowOf } from './window.ts'

interface StatisticsRequest extends WindowRequest {
  projectId?: string
  environmentId?: string
  /** The dimension by which costs are split. */
  by?: CostOwner
}

type Tally = Record<TallyColumn, number>

/** The time span summed up before yielding to other requests. */
const stretchMs = 48 * hourMs

const empty = (): Tally => Object.fromEntries(tallyColumns.map((column) => [column, 0])) as Tally
const outcomesOf = (tally: Tally) =>
  Object.fromEntries(runEnds.map((end) => [end, tally[end]])) as Record<RunEnd, number>
const timesOf = (tally: Tally, phase: RunPhase) => percentilesOf(histogramOf(phase).map((column) => tally[column] ?? 0))

function addTo(tally: Tally, more: Tally) {
  for (const column of tallyColumns) tally[column] += Number(more[column])
}

const permission = 'analytics:read'

export class RunStatistics {
  constructor(private readonly parts: { store: Store; clock: Clock }) {}

  /**
   * Statistics of the caller's scope. Throws `validation_failed`, and `permission_denied` for a credential of one
   * Agent, because tallies do not distinguish Agents.
   */
  async of(caller: Caller, { projectId, environmentId, by, ...asked }: StatisticsRequest) {
    assertSpansAgents(caller, permission)
    const now = this.parts.clock.now()
    const window = windowOf(asked, now)
    const { organizationId } = caller
    const scopes = scopeOf(caller, permission, {
      ...(projectId && { projectId }),
      ...(environmentId && { environmentId }),
    }).map((filters) => ({ organizationId, ...filters }))
    const tallies = await this.#tallies(scopes, window)
    const costs = await costStatistics(this.parts.store, scopes, window, by)
    const total = empty()
    for (const tally of tallies.values()) addTo(total, tally)
    return {
      from: timestamp(window.from),
      to: timestamp(window.to),
      interval: window.interval,
      buckets: bucketsOf(window, tallies).map((bucket, place) => ({ ...bucket, ...costs.of(place) })),
      totals: outcomesOf(total),
      ...costs.total.show(),
      ...(costs.items && { items: costs.items }),
      queueTime: timesOf(total, 'queue'),
      workTime: timesOf(total, 'work'),
      current: await this.#current(scopes, now),
    }
  }

  /** Tallies by interval index; none for an interval without ends. */
  async #tallies(scopes: readonly CountScope[], { from, to, interval }: Window): Promise<Map<number, Tally>> {
    const { store } = this.parts
    const tallies = new Map<number, Tally>()
    for (let start = from; start < to; start += stretchMs) {
      if (start > from) await nextTurn()
      const stretch = { origin: from, intervalMs: lengthOf[interval], from: start, to: Math.min(start + stretchMs, to) }
      for (const scope of scopes) {
        for (const { interval: place, ...sums } of await store.all(sumTallies(store, { ...scope, ...stretch }))) {
          const tally = tallies.get(place) ?? empty()
          tallies.set(place, tally)
          addTo(tally, sums as Tally)
        }
      }
    }
    return tallies
  }

  async #current(scopes: readonly CountScope[], now: number) {
    const counts = Object.fromEntries(liveRunStates.map((state) => [state, 0])) as LiveRuns['counts']
    let oldest: number | null = null
    for (const scope of scopes) {
      const live = await countLive(this.parts.store, scope, now)
      for (const state of liveRunStates) counts[state] += live.counts[state]
      oldest = Math.min(oldest ?? Number.POSITIVE_INFINITY, live.oldestQueuedAt ?? Number.POSITIVE_INFINITY)
      if (oldest === Number.POSITIVE_INFINITY) oldest = null
    }
    return { ...counts, oldestQueuedAt: timestampOrNull(oldest) }
  }
}

function bucketsOf({ from, to, interval }: Window, tallies: ReadonlyMap<number, Tally>) {
  const length = lengthOf[interval]
  return Array.from({ length: (to - from) / length }, (_, place) => {
    const start = from + place * length
    return {
      from: timestamp(start),
      to: timestamp(start + length),
      ...outcomesOf(tallies.get(place) ?? empty()),
    }
  })
}
