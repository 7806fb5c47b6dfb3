/**
 * Follows the index scans of a list in its order and merges them. A scan whose index does not check all filters
 * proceeds in stretches, so that it never blocks the event loop, and one that searches its index stops after a number of
 * them: the page then has the position to continue from.
 */
import type { RunState } from '../../../machines/run/states.ts'
import { type RunListShape, type RunListValues, runListQueries, runsById } from '../../../storage/runs/run-lists.ts'
import type { Query, Store } from '../../../storage/store.ts'
import type { RunRow } from '../../../storage/tables.ts'
import { limitExceeded } from '../../platform/http/answers/errors.ts'
import type { Search } from '../../platform/http/search.ts'
import { nextTurn } from '../../platform/time/next-turn.ts'
import type { RunSort } from './served-lists.ts'

/** A position in the order of a list. */
export type Position = Pick<RunRow, 'id' | 'updated_at'>

/** One index scan with its remaining filters. */
export interface Walk {
  shape: Omit<RunListShape, 'resumed'>
  values: Omit<RunListValues, 'limit'>
  /** Whether other filters are checked on all that the index contains, in order. */
  isSearched: boolean
  /** Whether the index matches the filters exactly, so that one stretch suffices. */
  isExact: boolean
}

export interface Wanted {
  /** The number of runs. */
  count: number
  sort: RunSort
  order: 'asc' | 'desc'
  states: readonly RunState[] | undefined
  /** The start of the page; undefined: the first run. */
  from: Position | undefined
  /** The ids of the time range; the end is exclusive. */
  range: { from: string | undefined; to: string | undefined }
  /** The end of the range in this order; only in the order of creation. */
  bound: string | undefined
  search: Search | undefined
}

interface Found<Row> {
  rows: Row[]
  /** The last run that was read, if there may be more after it. */
  stoppedAt: Position | undefined
}

type Beginning = Pick<RunRow, 'query'>

const stretchLength = 1_000

/** The stretches read before the page yields to the event loop. */
const stretchesPerTurn = 4

/** The runs that one request searches, for each of its scans. */
const searchedMax = 20_000

/** The number of such requests that a search for all matches may cost. */
const searchesMax = 10
const tooManySearched = `A search looks at ${(searchedMax * searchesMax).toLocaleString('en')} runs at most; narrow it by since and until.`

const isBeyond = ({ id }: Position, { order, bound }: Wanted) =>
  bound !== undefined && (order === 'asc' ? id >= bound : id < bound)

/** The first runs of all scans, in order; `stoppedAt` only if they are searched. */
export async function walkAll(store: Store, walks: readonly Walk[], wanted: Wanted): Promise<Found<RunRow>> {
  const [first, ...others] = walks
  if (!first) return { rows: [], stoppedAt: undefined }
  if (others.length === 0 && !first.isSearched && !wanted.search) return walk<RunRow>(store, first, 'rows', wanted)
  const { rows: positions, stoppedAt } = await positionsOf(store, walks, wanted)
  const rows = await readAll(store, first.values.organization_id, positions, wanted)
  // a run has changed or was deleted since its position was read
  return rows.length === positions.length ? { rows, stoppedAt } : walkAll(store, walks, wanted)
}

/** The positions of the first runs of all scans. */
async function positionsOf(store: Store, walks: readonly Walk[], wanted: Wanted): Promise<Found<Position>> {
  const scans = await Promise.all(
    walks.map((each) => walk<Position>(store, each, wanted.search ? 'beginnings' : 'positions', wanted)),
  )
  const inOrder = orderOf(wanted)
  const [stoppedAt] = scans.flatMap(({ stoppedAt }) => stoppedAt ?? []).sort(inOrder)
  const rows = scans
    .flatMap(({ rows }) => rows)
    .filter((position) => stoppedAt === undefined || inOrder(position, stoppedAt) <= 0)
    .sort(inOrder)
    .slice(0, wanted.count)
  return { rows, stoppedAt }
}

/** The ids of the first runs of all scans, collected in stretches. Throws 422 if a search reads too many runs. */
export async function matchingIds(store: Store, walks: readonly Walk[], wanted: Wanted): Promise<string[]> {
  const ids: string[] = []
  let from = wanted.from
  let searches = 0
  while (ids.length < wanted.count) {
    const count = Math.min(stretchLength, wanted.count - ids.length)
    const { rows, stoppedAt } = await positionsOf(store, walks, { ...wanted, from, count })
    for (const { id } of rows) ids.push(id)
    const isFull = rows.length === count
    if (!isFull && !stoppedAt) break
    from = isFull ? rows.at(-1) : stoppedAt
    searches += isFull ? 0 : 1
    if (searches > searchesMax) throw limitExceeded(tooManySearched)
    await nextTurn()
  }
  return ids
}

/** Compares positions in the order of the list. */
export function orderOf({ sort, order }: Pick<Wanted, 'sort' | 'order'>) {
  const sign = order === 'asc' ? 1 : -1
  return (one: Position, other: Position) => {
    if (one.id === other.id) return 0
    const byUpdate = sort === 'updatedAt' ? one.updated_at - other.updated_at : 0
    return sign * (byUpdate || (one.id < other.id ? -1 : 1))
  }
}

async function readAll(store: Store, organizationId: string, positions: readonly Position[], { states }: Wanted) {
  const ids = JSON.stringify(positions.map(({ id }) => id))
  const rows = await store.all<RunRow>(runsById(store, { organizationId, ids }))
  const byId = new Map(rows.map((row) => [row.id, row]))
  return positions.flatMap(({ id }) => {
    const row = byId.get(id)
    return row && (states === undefined || states.includes(row.state as RunState)) ? [row] : []
  })
}

async function walk<Row extends Position>(
  store: Store,
  { shape, values, isSearched, isExact }: Walk,
  what: 'rows' | 'positions' | 'beginnings',
  wanted: Wanted,
): Promise<Found<Row>> {
  const { count, search, from, states } = wanted
  const isWhole = isExact && !search
  const isBounded = isSearched || search !== undefined
  const limit = isWhole ? count : stretchLength
  const rows: Row[] = []
  let last = from
  for (let stretches = 1; ; stretches += 1) {
    const queries = runListQueries({ ...shape, resumed: last !== undefined })
    const given = { ...values, limit, ...(last && { id: last.id, updatedAt: last.updated_at }) }
    for (const row of await store.all(queries[what](store, given) as Query<Row & { state: RunState }>)) {
      if (isBeyond(row, wanted)) return { rows, stoppedAt: undefined }
      if (isSearched && states && !states.includes(row.state)) continue
      if (search && !search((row as unknown as Beginning).query)) continue
      rows.push(row)
      if (rows.length === count) return { rows, stoppedAt: undefined }
    }
    if (isWhole) return { rows, stoppedAt: undefined }
    last = await store.first<Position>(queries.end(store, { ...given, skip: limit - 1 }))
    if (!last || isBeyond(last, wanted)) return { rows, stoppedAt: undefined }
    if (isBounded && stretches * stretchLength >= searchedMax) return { rows, stoppedAt: last }
    if (stretches % stretchesPerTurn === 0) await nextTurn()
  }
}
