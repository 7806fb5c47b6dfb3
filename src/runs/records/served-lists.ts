/**
 * Which lists of runs there are: each combination of filters with the index that serves it. Any other is refused, for it would
 * look through all that is stored. Source: requirement 4.14, "List runs"; contract 9, "Decided since".
 */
import { type RunState, settledRunStates } from '../../../machines/run-states.ts'
import type { RunColumn, RunWalk } from '../../../storage/runs/run-lists.ts'

/** The filters besides `states`, each with its column. */
export const filterColumns = {
  agentJobId: 'agent_job_id',
  environmentId: 'environment_id',
  agentId: 'agent_id',
  projectId: 'project_id',
  createdBy: 'created_by_id',
} as const satisfies Record<string, RunColumn>

export type RunFilter = keyof typeof filterColumns
export type RunSort = 'createdAt' | 'updatedAt'

interface ServedList {
  filters: readonly RunFilter[]
  /** Filters that may be there too: the others say already what they say, or the index has them. */
  also?: readonly RunFilter[]
  /** By creation. */
  all: RunWalk
  /** By creation, of a state in which runs stay. */
  state?: RunWalk
  /** By update. */
  update?: RunWalk
}

// the formatter leaves this table alone
// biome-ignore format: one row for each combination
export const servedLists: readonly ServedList[] = [
  { filters: [],                                                                                 all: 'all',                   state: 'state',               update: 'update' },
  { filters: ['projectId'],                                                                      all: 'project',               state: 'environmentAndState', update: 'environmentByUpdate' },
  { filters: ['environmentId'],              also: ['projectId'],                                all: 'environment',           state: 'environmentAndState', update: 'environmentByUpdate' },
  { filters: ['agentId'],                    also: ['projectId', 'environmentId'],               all: 'agent',                 state: 'agentAndState' },
  { filters: ['agentJobId'],                 also: ['projectId', 'environmentId', 'agentId'],    all: 'job',                   state: 'jobAndState' },
  { filters: ['createdBy'],                                                                      all: 'creator' },
  { filters: ['createdBy', 'projectId'],                                                         all: 'environmentAndCreator' },
  { filters: ['createdBy', 'environmentId'], also: ['projectId'],                                all: 'environmentAndCreator' },
]

const settled: ReadonlySet<string> = new Set(settledRunStates)

/** Whether runs pass through the state: there are few of them in it, and a list may look at them all. */
export const isPassing = (state: RunState): boolean => !settled.has(state)

/** What is asked for, as far as it matters to what serves it. */
export interface AskedList {
  filters: readonly RunFilter[]
  states: readonly RunState[]
  sort: RunSort
}

/** A walk to make: of a state, or of all. */
export interface ServedWalk {
  walk: RunWalk
  state?: RunState
}

const rowOf = (filters: readonly RunFilter[]) =>
  servedLists.find(
    (row) =>
      row.filters.every((name) => filters.includes(name)) &&
      filters.every((name) => row.filters.includes(name) || row.also?.includes(name)),
  )

/** The walks that serve the list together; undefined when none do. */
export function servedBy({ filters, states, sort }: AskedList): ServedWalk[] | undefined {
  const row = rowOf(filters)
  if (sort === 'updatedAt') return states.length === 0 && row?.update ? [{ walk: row.update }] : undefined
  if (states.length === 0) return row && [{ walk: row.all }]
  const walks = [...new Set(states)].map((state) => ({ state, walk: isPassing(state) ? 'state' : row?.state }))
  return walks.every((each): each is Required<ServedWalk> => each.walk !== undefined) ? walks : undefined
}
