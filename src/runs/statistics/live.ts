/** Counts the active runs of a scope by state, and finds the longest-waiting queued run. */
import { type LiveRunState, liveRunStates } from '../../../machines/run/states.ts'
import type { CountScope } from '../../../storage/count-scope.ts'
import { oldestQueuedIn, walkState } from '../../../storage/runs/live-runs.ts'
import type { Store } from '../../../storage/store.ts'
import { nextTurn } from '../../platform/time/next-turn.ts'

export interface LiveRuns {
  counts: Record<LiveRunState, number>
  /** When the longest-waiting queued run became available; null if none is queued. */
  oldestQueuedAt: number | null
}

/** The number of runs read before yielding to other requests. */
const stretchLength = 2_000

export async function countLive(store: Store, scope: CountScope, now: number): Promise<LiveRuns> {
  const counts = {} as LiveRuns['counts']
  for (const state of liveRunStates) counts[state] = await countState(store, scope, state)
  const oldest = counts.queued > 0 ? await store.first(oldestQueuedIn(store, { ...scope, now })) : undefined
  return { counts, oldestQueuedAt: oldest?.available_at ?? null }
}

async function countState(store: Store, scope: CountScope, state: LiveRunState): Promise<number> {
  let found = 0
  for (let after = ''; ; ) {
    const stretch = await store.first(walkState(store, { ...scope, state, after, limit: stretchLength }))
    if (!stretch) return found
    found += Number(stretch.found)
    if (stretch.last === null || Number(stretch.walked) < stretchLength) return found
    after = stretch.last
    await nextTurn()
  }
}
