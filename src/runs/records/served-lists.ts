/**
 * The lists of runs that an index serves alone: each combination of filters with its index. Other lists read a bounded
 * part of one of these indexes. Source: requirement 4.14, "List runs"; contract 9, "Decided since".
 */
import { type RunState, runEnds, settledRunStates } from '../../../machines/run/states.ts'
import type { RunColumn, RunWalk } from '../../../storage/runs/run-lists.ts'

/** The filters except `states`, with their columns. */
export const filterColumns = {
  agentJobId: 'agent_job_id',
  environmentId: 'environment_id',
  agentId: 'agent_id',
  projectId: 'project_id',
  createdBy: 'created_by_id',
  threadKey: 'thread_key',
  forkedFrom: 'forked_from',
} as const satisfies Record<string, RunColumn>

export type RunFilter = keyof typeof filterColumns
export type RunSort = 'createdAt' | 'updatedAt' | 'endedAt'

interface ServedList {
  filters: readonly RunFilter[]
  /** Additional filters that are allowed because the others imply them or the index contains them. */
  also?: readonly RunFilter[]
  /** The index by creation. */
  all: RunWalk
  /** The index by creation for a settled state. */
  state?: RunWalk
  /** The index by update. */
  update?: RunWalk
}

// the formatter leaves this table alone
// biome-ignore format: one row for each combination; the last of several has the fewest runs
export const servedLists: readonly ServedList[] = [
  { filters: [],                                                                                 all: 'all',                   state: 'state',               update: 'update' },
  { filters: ['projectId'],                                                                      all: 'project',               state: 'environmentAndState', update: 'environmentByUpdate' },
  { filters: ['environmentId'],              also: ['projectId'],                                all: 'environment',           state: 'environmentAndState', update: 'environmentByUpdate' },
  { filters: ['createdBy'],                                                                      all: 'creator' },
  { filters: ['createdBy', 'projectId'],                                                         all: 'environmentAndCreator' },
  { filters: ['createdBy', 'environmentId'], also: ['projectId'],                                all: 'environmentAndCreator' },
  { filters: ['agentId'],                    also: ['projectId', 'environmentId'],               all: 'agent',                 state: 'agentAndState' },
  { filters: ['agentJobId'],                 also: ['projectId', 'environmentId', 'agentId'],    all: 'job',                   state: 'jobAndState' },
  { filters: ['threadKey'],                  also: ['projectId', 'environmentId', 'agentId'],    all: 'thread' },
  { filters: ['forkedFrom'],                 also: ['projectId', 'environmentId', 'agentId'],    all: 'fork' },
]

const settled: ReadonlySet<string> = new Set(settledRunStates)

/** Whether runs only pass through the state: it holds few runs, which a list may scan. */
export const isPassing = (state: RunState): boolean => !settled.has(state)

/** The parts of a request that determine its index. */
interface RequestedList {
  filters: readonly RunFilter[]
  states: readonly RunState[]
  sort: RunSort
}

/** An index scan, of one state or of all. */
export interface ServedWalk {
  walk: RunWalk
  state?: RunState
  /** Whether the filters that the index does not match are checked on each run, so that a request reads a part of it. */
  isSearched?: boolean
}

const rowOf = (filters: readonly RunFilter[]) =>
  servedLists.find(
    (row) =>
      row.filters.every((name) => filters.includes(name)) &&
      filters.every((name) => row.filters.includes(name) || row.also?.includes(name)),
  )

/** The index scans that serve the list together; undefined if no indexes match its filters exactly. */
function servedBy({ filters, states, sort }: RequestedList): ServedWalk[] | undefined {
  if (sort === 'endedAt') return undefined
  const row = rowOf(filters)
  if (sort === 'updatedAt') return states.length === 0 && row?.update ? [{ walk: row.update }] : undefined
  if (states.length === 0) return row && [{ walk: row.all }]
  const walks = [...new Set(states)].map((state) => ({ state, walk: isPassing(state) ? 'state' : row?.state }))
  return walks.every((each): each is Required<ServedWalk> => each.walk !== undefined) ? walks : undefined
}

/** The index scans of any list by creation or update: those that match it exactly, or the one that comes closest. */
export function scansOf(list: RequestedList): readonly ServedWalk[] {
  const { filters, sort } = list
  const walkOf = (row: ServedList) => (sort === 'updatedAt' ? row.update : row.all)
  const closest = servedLists.findLast((row) => walkOf(row) && row.filters.every((name) => filters.includes(name)))
  return servedBy(list) ?? [{ walk: walkOf(closest as ServedList) as RunWalk, isSearched: true }]
}

const endFilters: readonly RunFilter[] = ['projectId', 'environmentId']
const ends: ReadonlySet<string> = new Set(runEnds)

/** Whether the list is served in the order of ends: by place, and by end states. */
export const servedByEnd = ({ filters, states }: Pick<RequestedList, 'filters' | 'states'>): boolean =>
  filters.every((name) => endFilters.includes(name)) && states.every((state) => ends.has(state))
