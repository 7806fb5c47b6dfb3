/**
 * The list of runs. It walks one index; filters that the index does not serve are applied to one stretch of it after the
 * other, so that a page costs what it looks at and never holds up the event loop. Source: requirement 4.14, "List runs".
 */
import { isRunEnd } from '../../machines/run-states.ts'
import { DamagedRecord } from '../../storage/errors.ts'
import {
  type RunFilterColumn,
  type RunListShape,
  type RunListValues,
  type RunWalk,
  runListQueries,
  walkColumns,
} from '../../storage/run-lists.ts'
import type { Store } from '../../storage/store.ts'
import type { RunRow } from '../../storage/tables.ts'
import type { Caller } from '../http/caller.ts'
import type { Cursors, Position } from '../http/cursor.ts'
import { page } from '../http/pagination.ts'
import type { Permission } from '../http/permissions.ts'
import { partsReached } from '../http/reach.ts'
import { nextTurn } from '../runtime/next-turn.ts'
import { contextOf } from './context.ts'
import { type PresentedRun, presentRun } from './present.ts'

export interface RunListRequest {
  sort: 'createdAt' | 'updatedAt'
  order: 'asc' | 'desc'
  limit: number
  cursor?: string
  projectId?: string
  environmentId?: string
  agentId?: string
  agentJobId?: string
  createdBy?: string
  states?: string[]
}

/** The filters' columns, the one that leaves the fewest runs first. */
const filterColumns = {
  agentJobId: 'agent_job_id',
  environmentId: 'environment_id',
  agentId: 'agent_id',
  projectId: 'project_id',
  createdBy: 'created_by_id',
} as const satisfies Partial<Record<keyof RunListRequest, RunFilterColumn>>

const walkOf = Object.fromEntries(Object.entries(walkColumns).map(([walk, column]) => [column, walk])) as Record<
  RunFilterColumn,
  RunWalk
>

type Filters = Partial<Record<RunFilterColumn, string>>
type Last = Pick<RunRow, 'id' | 'updated_at'>

/** One index to walk: how, and what to filter beside. */
interface Walk {
  shape: Omit<RunListShape, 'resumed'>
  values: Omit<RunListValues, 'limit'>
}

const stretchLength = 1_000

/** How many stretches a page looks at before it goes on with the next turn of the event loop. */
const stretchesPerTurn = 4

export class RunLists {
  constructor(private readonly parts: { store: Store; cursors: Cursors; onDamaged(damage: Error): void }) {}

  /** A page of the runs that the caller reaches. Throws `invalid_cursor` (422). */
  async list(caller: Caller, request: RunListRequest) {
    const { sort, order, limit, cursor, states, ...asked } = request
    const { projectId, environmentId, agentId, agentJobId, createdBy } = asked
    const scope = {
      list: 'agent-runs',
      organizationId: caller.organizationId,
      filters: { projectId, environmentId, agentId, agentJobId, createdBy, states },
      order: `${sort} ${order}`,
    }
    const last = cursor === undefined ? undefined : lastOf(this.parts.cursors.open(scope, cursor))
    const walks = reachOf(caller, 'agent-runs:list', request).flatMap((filters) =>
      plan(caller.organizationId, filters, request),
    )
    const rows = walks.length > 0 ? await this.#find(walks, last, limit + 1) : []
    const { items, pagination } = page(rows, limit, ({ id, updated_at }) =>
      this.parts.cursors.seal(scope, [updated_at, id]),
    )
    return { agentRuns: items.flatMap((row) => this.#present(row)), pagination }
  }

  /** A run that cannot be read is left out, so that it does not take the page with it. */
  #present(row: RunRow): PresentedRun[] {
    try {
      return [presentRun(row, contextOf(row))]
    } catch (error) {
      if (!(error instanceof DamagedRecord)) throw error
      this.parts.onDamaged(error)
      return []
    }
  }

  /** The first runs of all walks together, in order. */
  async #find(walks: readonly Walk[], last: Last | undefined, wanted: number): Promise<RunRow[]> {
    const found = await Promise.all(walks.map((walk) => this.#walk(walk, last, wanted)))
    if (found.length === 1) return found[0] as RunRow[]
    const { walk, order } = (walks[0] as Walk).shape
    const key = ({ id, updated_at }: RunRow) =>
      walk === 'update' ? `${String(updated_at).padStart(16, '0')}${id}` : id
    const sign = order === 'asc' ? 1 : -1
    return found
      .flat()
      .sort((one, other) => (key(one) < key(other) ? -sign : sign))
      .slice(0, wanted)
  }

  async #walk({ shape, values }: Walk, from: Last | undefined, wanted: number): Promise<RunRow[]> {
    const { store } = this.parts
    const served = shape.filters.length === 0 && shape.states === 0
    const limit = served ? wanted : stretchLength
    const found: RunRow[] = []
    let last = from
    for (let stretches = 1; ; stretches += 1) {
      const { list, end } = runListQueries({ ...shape, resumed: last !== undefined })
      const given = { ...values, limit, ...(last && { id: last.id, updatedAt: last.updated_at }) }
      for (const row of await store.all<RunRow>(list(store, given))) if (found.length < wanted) found.push(row)
      if (served || found.length === wanted) return found
      last = await store.first<Last>(end(store, { ...given, skip: limit - 1 }))
      if (!last) return found
      if (stretches % stretchesPerTurn === 0) await nextTurn()
    }
  }
}

const lastOf = ([updatedAt, id]: Position): Last => ({ updated_at: updatedAt as number, id: id as string })

/** What a request narrows the runs to. */
type Narrowing = Pick<RunListRequest, keyof typeof filterColumns>

/** The filters in effect, for each Project apart where the caller reaches only some. */
export const reachOf = (caller: Caller, permission: Permission, request: Narrowing): Filters[] =>
  partsReached(caller, permission, request).map(filtersOf)

function filtersOf(narrowing: Narrowing): Filters {
  const filters: Filters = {}
  for (const [name, column] of Object.entries(filterColumns) as [keyof typeof filterColumns, RunFilterColumn][]) {
    const value = narrowing[name]
    if (value !== undefined) filters[column] = value
  }
  return filters
}

/** The indexes to walk: by update there is one; by creation that of a filter, or of each state where these have few runs. */
function plan(organizationId: string, filters: Filters, { sort, order, states: asked = [] }: RunListRequest): Walk[] {
  const states = [...new Set(asked)]
  const columns = Object.values(filterColumns).filter((column) => filters[column] !== undefined)
  const stateValues = Object.fromEntries(states.map((state, index) => [`state${index}`, state]))
  const values = { organizationId, ...filters }
  if (sort === 'updatedAt') {
    return [
      {
        shape: { walk: 'update', order, filters: columns, states: states.length },
        values: { ...values, ...stateValues },
      },
    ]
  }
  const [first, ...others] = columns
  // runs that have ended pile up; in all other states there are few
  if (states.length > 0 && (first === undefined || !states.some(isRunEnd))) {
    return states.map((state) => ({
      shape: { walk: 'state', order, filters: columns, states: 0 },
      values: { ...values, walked: state },
    }))
  }
  if (first === undefined) return [{ shape: { walk: 'creation', order, filters: [], states: 0 }, values }]
  return [
    {
      shape: { walk: walkOf[first], order, filters: others, states: states.length },
      values: { ...values, walked: filters[first] as string, ...stateValues },
    },
  ]
}
