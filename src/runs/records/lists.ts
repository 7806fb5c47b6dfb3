/**
 * Lists runs, one page at a time, by the indexes in `served-lists.ts`. Active runs may be scanned, in stretches, so
 * that a page never blocks the event loop. Source: requirement 4.14, "List runs".
 */
import type { RunState } from '../../../machines/run-states.ts'
import { DamagedRecord } from '../../../storage/errors.ts'
import {
  environmentIdsOf,
  environmentsOfAgent,
  type RunColumn,
  type RunListShape,
  type RunListValues,
  type RunWalk,
  runListQueries,
  runsById,
  runWalks,
} from '../../../storage/runs/run-lists.ts'
import type { Query, Store } from '../../../storage/store.ts'
import type { RunRow } from '../../../storage/tables.ts'
import type { Cursors, Position } from '../../platform/http/cursor.ts'
import { partsInScope } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Permission } from '../../platform/http/guard/permissions.ts'
import { page } from '../../platform/http/pagination.ts'
import { nextTurn } from '../../platform/time/next-turn.ts'
import { contextOf } from '../context.ts'
import { type PresentedRun, presentRun } from '../present.ts'
import { servedWalks } from './refused-lists.ts'
import { filterColumns, isPassing, type RunFilter, type RunSort, type ServedWalk } from './served-lists.ts'

export interface RunListRequest {
  sort: RunSort
  order: 'asc' | 'desc'
  limit: number
  cursor?: string
  projectId?: string
  environmentId?: string
  agentId?: string
  agentJobId?: string
  createdBy?: string
  threadKey?: string
  states?: RunState[]
}

type Filters = Partial<Record<(typeof filterColumns)[RunFilter], string>>
type Last = Pick<RunRow, 'id' | 'updated_at'>

/** One index scan with its remaining filters. */
interface Walk {
  shape: Omit<RunListShape, 'resumed'>
  values: Omit<RunListValues, 'limit'>
  /** Whether the index matches the filters exactly, so that one stretch suffices. */
  served: boolean
}

const stretchLength = 1_000

/** The number of stretches read before the page yields to the event loop. */
const stretchesPerTurn = 4

export class RunLists {
  constructor(private readonly parts: { store: Store; cursors: Cursors; onDamaged(damage: Error): void }) {}

  /** A page of the runs within the caller's authorization scope. Throws `invalid_cursor`, `unsupported_filter` (422). */
  async list(caller: Caller, request: RunListRequest) {
    const { sort, order, limit, cursor, states, ...asked } = request
    const { projectId, environmentId, agentId, agentJobId, createdBy, threadKey } = asked
    const scope = {
      list: 'agent-runs',
      organizationId: caller.organizationId,
      filters: { projectId, environmentId, agentId, agentJobId, createdBy, threadKey, states },
      order: `${sort} ${order}`,
    }
    const last = cursor === undefined ? undefined : lastOf(this.parts.cursors.open(scope, cursor))
    const walks = await Promise.all(
      partsInScope(caller, 'agent-runs:list', request).map((part) => this.#plan(caller, part, request)),
    )
    const rows = await this.#find(walks.flat(), last, request)
    const { items, pagination } = page(rows, limit, ({ id, updated_at }) =>
      this.parts.cursors.seal(scope, [updated_at, id]),
    )
    return { agentRuns: items.flatMap((row) => this.#present(row)), pagination }
  }

  /** The index scans for one part of the caller's authorization scope. */
  async #plan({ organizationId }: Caller, part: RunListRequest, request: RunListRequest): Promise<Walk[]> {
    const { sort, order, states = [] } = request
    const filters = filtersOf(part)
    const asked = { filters: namesIn(part), states, sort }
    const walks: Walk[] = []
    for (const served of servedWalks(asked, namesIn(request))) {
      for (const place of await this.#places(organizationId, served, filters)) {
        const columns: readonly RunColumn[] = runWalks[place.walk].columns
        const beside = Object.values(filterColumns).filter(
          (column) => filters[column] !== undefined && !columns.includes(column),
        )
        const { state, walk, environment_id } = place
        walks.push({
          shape: { walk, order, beside },
          values: {
            organization_id: organizationId,
            ...filters,
            ...(environment_id !== undefined && { environment_id }),
            ...(state && { state }),
          },
          served: beside.length === 0 || state === undefined || !isPassing(state),
        })
      }
    }
    return walks
  }

  /** An index by Environment is scanned for each Environment that the filters allow. */
  async #places(organizationId: string, { walk, state }: ServedWalk, filters: Filters) {
    const { store } = this.parts
    const { environment_id, project_id: projectId, agent_id: agentId } = filters
    const isByEnvironment = (runWalks[walk].columns as readonly RunColumn[]).includes('environment_id')
    if (!isByEnvironment || environment_id !== undefined) return [{ walk, state, environment_id }]
    const found =
      projectId === undefined
        ? await store.all(environmentsOfAgent(store, { organizationId, agentId: agentId as string }))
        : await store.all(environmentIdsOf(store, { organizationId, projectId }))
    return found.map(({ id }) =>
      id === null ? { walk: outside[walk as keyof typeof outside], state } : { walk, state, environment_id: id },
    )
  }

  /** An unreadable run is left out of the page. */
  #present(row: RunRow): PresentedRun[] {
    try {
      return [presentRun(row, contextOf(row))]
    } catch (error) {
      if (!(error instanceof DamagedRecord)) throw error
      this.parts.onDamaged(error)
      return []
    }
  }

  /** Merges the first runs of all scans in order; one more than the page size. */
  async #find(walks: readonly Walk[], last: Last | undefined, request: RunListRequest): Promise<RunRow[]> {
    const { limit, sort, order, states } = request
    const wanted = limit + 1
    if (walks.length === 0) return []
    if (walks.length === 1) return this.#walk<RunRow>(walks[0] as Walk, 'rows', last, wanted)
    const found = await Promise.all(walks.map((walk) => this.#walk<Last>(walk, 'positions', last, wanted)))
    const sign = order === 'asc' ? 1 : -1
    const byUpdate = ({ updated_at: one }: Last, { updated_at: other }: Last) =>
      sort === 'updatedAt' ? one - other : 0
    const first = found
      .flat()
      .sort((one, other) => sign * (byUpdate(one, other) || (one.id < other.id ? -1 : 1)))
      .slice(0, wanted)
    const { store } = this.parts
    const [{ values }] = walks as [Walk]
    const ids = JSON.stringify(first.map(({ id }) => id))
    const rows = await store.all<RunRow>(runsById(store, { organizationId: values.organization_id, ids }))
    const byId = new Map(rows.map((row) => [row.id, row]))
    const page = first.flatMap(({ id }) => {
      const row = byId.get(id)
      return row && (states === undefined || states.includes(row.state as RunState)) ? [row] : []
    })
    // a run has changed or was deleted since its position was read
    return page.length === first.length ? page : this.#find(walks, last, request)
  }

  async #walk<Found extends Last>(
    { shape, values, served }: Walk,
    what: 'rows' | 'positions',
    from: Last | undefined,
    wanted: number,
  ): Promise<Found[]> {
    const { store } = this.parts
    const limit = served ? wanted : stretchLength
    const found: Found[] = []
    let last = from
    for (let stretches = 1; ; stretches += 1) {
      const queries = runListQueries({ ...shape, resumed: last !== undefined })
      const given = { ...values, limit, ...(last && { id: last.id, updatedAt: last.updated_at }) }
      const stretch = queries[what](store, given) as Query<Found>
      for (const row of await store.all(stretch)) if (found.length < wanted) found.push(row)
      if (served || found.length === wanted) return found
      last = await store.first<Last>(queries.end(store, { ...given, skip: limit - 1 }))
      if (!last) return found
      if (stretches % stretchesPerTurn === 0) await nextTurn()
    }
  }
}

/** The same scans for runs outside Environments. */
const outside = { agent: 'agentOutside', agentAndState: 'agentAndStateOutside' } as const satisfies Partial<
  Record<RunWalk, RunWalk>
>

const lastOf = ([updatedAt, id]: Position): Last => ({ updated_at: updatedAt as number, id: id as string })

/** The filters of a request. */
type Narrowing = Pick<RunListRequest, RunFilter>

const namesIn = (narrowing: Narrowing): RunFilter[] =>
  (Object.keys(filterColumns) as RunFilter[]).filter((name) => narrowing[name] !== undefined)

const filtersOf = (narrowing: Narrowing): Filters =>
  Object.fromEntries(namesIn(narrowing).map((name) => [filterColumns[name], narrowing[name]]))

/** The effective filters, one set per Project if the caller can access only some. */
export const scopeOf = (caller: Caller, permission: Permission, request: Narrowing): Filters[] =>
  partsInScope(caller, permission, request).map(filtersOf)
