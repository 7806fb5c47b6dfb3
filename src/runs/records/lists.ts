/**
 * Lists runs, one page at a time, by the indexes in `served-lists.ts`. Source: requirement 4.14, "List runs".
 */
import type { RunState } from '../../../machines/run/states.ts'
import { DamagedRecord } from '../../../storage/errors.ts'
import { firstIdAt } from '../../../storage/ids.ts'
import {
  environmentIdsOf,
  environmentsOfAgent,
  type RunColumn,
  type RunWalk,
  runsById,
  runWalks,
} from '../../../storage/runs/run-lists.ts'
import type { Store } from '../../../storage/store.ts'
import type { RunRow } from '../../../storage/tables.ts'
import { permissionDenied, unsupportedFilter } from '../../platform/http/answers/errors.ts'
import type { Cursors, Position as Sealed } from '../../platform/http/cursor.ts'
import { maySomewhere, partsInScope } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Permission } from '../../platform/http/guard/permissions.ts'
import { page } from '../../platform/http/pagination.ts'
import { searchFor } from '../../platform/http/search.ts'
import { assertRange } from '../../platform/http/time-range.ts'
import { contextOf } from '../context.ts'
import { type PresentedRun, presentRun } from '../present.ts'
import { assertServedByEnd, endedPositions, hasEnded, unservedByEnd } from './ended-lists.ts'
import { filterColumns, isPassing, type RunFilter, type RunSort, type ServedWalk, scansOf } from './served-lists.ts'
import { readsContent, summariesOf } from './summaries.ts'
import { matchingIds, orderOf, type Position, type Walk, type Wanted, walkAll } from './walks.ts'

interface RunListRequest {
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
  forkedFrom?: string
  states?: RunState[]
  ids?: string[]
  /** Words of the beginning of the run's first message. */
  search?: string
  /** The range of creation: `from` inclusive, `to` exclusive. */
  since?: string
  until?: string
  /** The range of ends: `from` inclusive, `to` exclusive; in the order of ends. */
  endedSince?: string
  endedUntil?: string
  include?: 'summary'[]
}

interface Listed {
  rows: RunRow[]
  /** The times of ends, in a list ordered by end. */
  ends?: ReadonlyMap<string, number>
  /** The position at which a search, or a list that no index serves alone, stopped. */
  stoppedAt?: Position | undefined
}

/** The filters of a list. */
type RunFilters = Omit<RunListRequest, 'sort' | 'order' | 'limit' | 'cursor' | 'include' | 'endedSince' | 'endedUntil'>

type Filters = Partial<Record<(typeof filterColumns)[RunFilter], string>>

export class RunLists {
  constructor(private readonly parts: { store: Store; cursors: Cursors; onDamaged(damage: Error): void }) {}

  /**
   * A page of the runs within the caller's authorization scope. Throws `validation_failed` for a range that ends before
   * it begins, `invalid_cursor`, `unsupported_filter` (422) for a range of times in another order,
   * and `permission_denied` (403) for a search by a caller who may not read content.
   */
  async list(caller: Caller, request: RunListRequest) {
    const { limit, cursor, sort, order, states, ids, search, since, until, include = [], ...rest } = request
    const { endedSince, endedUntil, ...asked } = rest
    assertRange(request, 'since', 'until')
    assertRange(request, 'endedSince', 'endedUntil')
    const scope = {
      list: 'agent-runs',
      organizationId: caller.organizationId,
      filters: { ...namedIn(asked), states, ids, search, since, until, endedSince, endedUntil },
      order: `${sort} ${order}`,
    }
    const from = cursor === undefined ? undefined : positionOf(this.parts.cursors.open(scope, cursor))
    const parts = partsOf(caller, request)
    const wanted = { ...wantedOf(request), ...(from && { from }) }
    const byEnd = sort === 'endedAt' || endedSince !== undefined || endedUntil !== undefined
    const { rows, ends, stoppedAt }: Listed = byEnd
      ? await this.#ended(caller, parts, request, wanted)
      : ids
        ? { rows: await this.#named(caller, parts, ids, wanted) }
        : await this.#walked(caller, parts, wanted)
    const seal = ({ id, updated_at }: Position) => this.parts.cursors.seal(scope, [ends?.get(id) ?? updated_at, id])
    const { items, pagination } = page(rows, limit, seal)
    const agentRuns = items.flatMap((row) => this.#present(row))
    const further =
      stoppedAt && !pagination.hasMore ? { limit, hasMore: true, nextCursor: seal(stoppedAt) } : pagination
    if (include.length === 0) return { agentRuns, pagination: further }
    const summaries = await summariesOf(this.parts.store, caller, items)
    return {
      agentRuns: agentRuns.map((run) => ({ ...run, summary: summaries.get(run.id) as PresentedRun['summary'] })),
      pagination: further,
    }
  }

  /**
   * The ids of the runs that match the filters and for which the caller has the permission, oldest first, up to a
   * limit. Throws `permission_denied` for a search, and 422 for a search that takes too long.
   */
  async matching(caller: Caller, permission: Permission, filter: RunFilters, max: number): Promise<string[]> {
    assertRange(filter, 'since', 'until')
    const request: RunListRequest = { ...filter, sort: 'createdAt', order: 'asc', limit: max }
    const parts = partsOf(caller, request, permission)
    const wanted = { ...wantedOf(request), count: max }
    if (filter.ids) return (await this.#named(caller, parts, filter.ids, wanted)).map(({ id }) => id)
    const walks = await Promise.all(parts.map((part) => this.#plan(caller, part)))
    return matchingIds(this.parts.store, walks.flat(), wanted)
  }

  async #walked(caller: Caller, parts: readonly RunListRequest[], wanted: Wanted) {
    const walks = await Promise.all(parts.map((part) => this.#plan(caller, part)))
    return walkAll(this.parts.store, walks.flat(), wanted)
  }

  /** In the order of ends. Throws `unsupported_filter` (422). */
  async #ended(
    caller: Caller,
    parts: readonly RunListRequest[],
    request: RunListRequest,
    { from, count, ...wanted }: Wanted,
  ): Promise<Listed> {
    const { store } = this.parts
    const { organizationId } = caller
    const { sort, order, states = [], ids, search, since, until, endedSince, endedUntil } = request
    const others = Object.entries({ search, since, until }).flatMap(([name, value]) => (value ? [name] : []))
    const named = [...namesIn(request), ...others]
    if (others.length > 0 || sort !== 'endedAt') throw unservedByEnd([...others, 'sort'])
    for (const part of parts) assertServedByEnd(namesIn(part), states, named)
    const asked = { organizationId, states, order, from, endedSince, endedUntil, count }
    if (ids) {
      const rows = await this.#named(caller, parts, ids, { ...wanted, from: undefined, count: ids.length })
      return { rows: rows.filter((row) => hasEnded(contextOf(row).endedAt, row.state, asked)) }
    }
    const positions = await endedPositions(store, parts, asked)
    const byId = new Map(positions.map(({ id, updated_at }) => [id, updated_at]))
    const found = await store.all<RunRow>(runsById(store, { organizationId, ids: JSON.stringify([...byId.keys()]) }))
    const rows = new Map(found.map((row) => [row.id, row]))
    return { rows: positions.flatMap(({ id }) => rows.get(id) ?? []), ends: byId }
  }

  /** The runs with these ids that match the filters, in the order of the list. */
  async #named({ organizationId }: Caller, parts: readonly RunListRequest[], ids: string[], wanted: Wanted) {
    const { store } = this.parts
    const found = await store.all<RunRow>(runsById(store, { organizationId, ids: JSON.stringify([...new Set(ids)]) }))
    const { states, search, range, from } = wanted
    const inOrder = orderOf(wanted)
    const passes = (row: RunRow) =>
      parts.some((part) =>
        Object.entries(filtersOf(part)).every(([column, value]) => row[column as RunColumn] === value),
      ) &&
      (states === undefined || states.includes(row.state as RunState)) &&
      (range.from === undefined || row.id >= range.from) &&
      (range.to === undefined || row.id < range.to) &&
      (from === undefined || inOrder(row, from) > 0) &&
      (search === undefined || search(row.query))
    return found.filter(passes).sort(inOrder).slice(0, wanted.count)
  }

  /** The index scans for one part of the caller's authorization scope. */
  async #plan({ organizationId }: Caller, part: RunListRequest): Promise<Walk[]> {
    const { sort, order, states = [] } = part
    const filters = filtersOf(part)
    const walks: Walk[] = []
    for (const served of scansOf({ filters: namesIn(part), states, sort })) {
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
          isSearched: served.isSearched === true,
          isExact: !served.isSearched && (beside.length === 0 || state === undefined || !isPassing(state)),
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
}

/** The parts of the organization that the list covers; a search covers only parts whose content the caller may read. */
function partsOf(
  caller: Caller,
  request: RunListRequest,
  permission: Permission = 'agent-runs:list',
): RunListRequest[] {
  const parts = partsInScope(caller, permission, request)
  if (request.search === undefined) return parts
  if (!maySomewhere(caller, readsContent)) throw permissionDenied(readsContent)
  return parts.flatMap((part) => partsInScope(caller, readsContent, part))
}

/** Throws `unsupported_filter` for a time range in the order of changes. */
function wantedOf({ limit, sort, order, states, search, since, until }: RunListRequest): Wanted {
  if (sort === 'updatedAt' && (since !== undefined || until !== undefined)) {
    const named = Object.entries({ since, until }).flatMap(([name, value]) => (value === undefined ? [] : [name]))
    throw unsupportedFilter(
      [...named, 'sort'],
      'A time range is one of creation: sort by createdAt, or leave since and until out.',
    )
  }
  const at = (instant: string | undefined) => instant && firstIdAt('run', Date.parse(instant))
  const range = { from: at(since), to: at(until) }
  const [start, bound] = order === 'asc' ? [range.from, range.to] : [range.to, range.from]
  return {
    count: limit + 1,
    sort,
    order,
    states,
    range,
    from: start ? { id: start, updated_at: 0 } : undefined,
    bound,
    search: search === undefined ? undefined : searchFor(search),
  }
}

/** The same scans for runs outside Environments. */
const outside = { agent: 'agentOutside', agentAndState: 'agentAndStateOutside' } as const satisfies Partial<
  Record<RunWalk, RunWalk>
>

const positionOf = ([updatedAt, id]: Sealed): Position => ({ updated_at: updatedAt as number, id: id as string })

/** The filters of a request. */
type Narrowing = Pick<RunListRequest, RunFilter>

const namesIn = (narrowing: Narrowing): RunFilter[] =>
  (Object.keys(filterColumns) as RunFilter[]).filter((name) => narrowing[name] !== undefined)

const namedIn = (narrowing: Narrowing): Narrowing =>
  Object.fromEntries(namesIn(narrowing).map((name) => [name, narrowing[name]]))

const filtersOf = (narrowing: Narrowing): Filters =>
  Object.fromEntries(namesIn(narrowing).map((name) => [filterColumns[name], narrowing[name]]))

/** The effective filters, one set per Project if the caller can access only some. */
export const scopeOf = (caller: Caller, permission: Permission, request: Narrowing): Filters[] =>
  partsInScope(caller, permission, request).map(filtersOf)
