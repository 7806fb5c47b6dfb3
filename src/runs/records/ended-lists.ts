/** Lists runs in the order of their ends, from the places that have such runs. Source: contract 9, "Decided since". */
import { type RunState, runEnds } from '../../../machines/run/states.ts'
import { listEndedRuns } from '../../../storage/runs/lists/ended-runs.ts'
import { countsAt, countsInOrganization, countsInProject } from '../../../storage/runtime/fleet.ts'
import type { Store } from '../../../storage/store.ts'
import { unsupportedFilter } from '../../platform/http/answers/errors.ts'
import { nextTurn } from '../../platform/time/next-turn.ts'
import { type RunFilter, servedByEnd } from './served-lists.ts'
import { orderOf, type Position } from './walks.ts'

/** A part of the organization that the caller reaches. */
interface EndedPart {
  projectId?: string
  environmentId?: string
}

interface EndedRequest {
  organizationId: string
  states: readonly RunState[]
  order: 'asc' | 'desc'
  from: Position | undefined
  endedSince: string | undefined
  endedUntil: string | undefined
  count: number
}

/** The places read before yielding to other requests. */
const looksAtOnce = 50

/** Throws `unsupported_filter` (422) unless the list filters only by place and end states. */
export function assertServedByEnd(
  filters: readonly RunFilter[],
  states: readonly RunState[],
  named: readonly string[],
) {
  if (servedByEnd({ filters, states })) return
  throw unservedByEnd([...named, 'states'])
}

export const unservedByEnd = (named: readonly string[]) =>
  unsupportedFilter(
    named,
    'A list by the time of the end is sorted by endedAt and takes projectId, environmentId and states in which a run ends, ' +
      'and no other filter.',
  )

/** The positions of the first runs, in order. */
export async function endedPositions(
  store: Store,
  parts: readonly EndedPart[],
  { organizationId, states, order, from, count, ...time }: EndedRequest,
): Promise<Position[]> {
  const wanted: ReadonlySet<string> = new Set(states.length === 0 ? runEnds : states)
  const found: Position[] = []
  let looks = 0
  for (const part of parts) {
    for (const { place, state } of await placesOf(store, organizationId, part)) {
      if (!wanted.has(state)) continue
      const at =
        from ??
        (order === 'asc'
          ? { updated_at: Number.MIN_SAFE_INTEGER, id: '' }
          : { updated_at: Number.MAX_SAFE_INTEGER, id: '~' })
      const values = { place, organizationId, state, at: at.updated_at, id: at.id, limit: count, ...rangeOf(time) }
      found.push(...(await store.all<Position>(listEndedRuns[order](store, values))))
      looks += 1
      if (looks % looksAtOnce === 0) await nextTurn()
    }
  }
  return found.sort(orderOf({ sort: 'updatedAt', order })).slice(0, count)
}

const rangeOf = ({ endedSince, endedUntil }: Pick<EndedRequest, 'endedSince' | 'endedUntil'>) => ({
  from: endedSince === undefined ? 0 : Date.parse(endedSince),
  to: endedUntil === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(endedUntil),
})

/** Whether a run with a known id matches the list. */
export function hasEnded(endedAt: number | null, state: string, asked: Omit<EndedRequest, 'from' | 'count'>): boolean {
  const { from, to } = rangeOf(asked)
  const states: readonly string[] = asked.states.length === 0 ? runEnds : asked.states
  return endedAt !== null && endedAt >= from && endedAt < to && states.includes(state)
}

/** The places of the part that have runs, with the states of those runs. */
async function placesOf(store: Store, organizationId: string, { projectId, environmentId }: EndedPart) {
  const kind = 'run'
  if (environmentId !== undefined) return store.all(countsAt(store, { kind, place: environmentId }))
  if (projectId !== undefined) return store.all(countsInProject(store, { kind, id: projectId }))
  const [within, outside] = await Promise.all([
    store.all(countsInOrganization(store, { kind, id: organizationId })),
    store.all(countsAt(store, { kind, place: organizationId })),
  ])
  return [...within, ...outside]
}
