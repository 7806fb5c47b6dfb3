/**
 * Finds and lists runs for requests. A list scans one or a few indexes in order, from the end of the previous page.
 * Filters that the index does not look up either follow from those it does, or are checked on bounded stretches of it.
 * Source: requirement 4.14, "List runs"; contract 9, "Decided since"; design 7.
 */
import { type ExpressionBuilder, expressionBuilder, sql } from 'kysely'
import { settledRunStates } from '../../machines/run/states.ts'
import { textsOf } from '../by-engine.ts'
import { rowsOf } from '../rows.ts'
import { query } from '../statement.ts'
import type { Store } from '../store.ts'
import type { Tables } from '../tables.ts'

const runs = rowsOf('runs', 'id')
const environments = rowsOf('environments', 'id')

/** The run, if it belongs to the organization; absent and foreign runs look the same. */
export const findRun = runs.find('id', 'organization_id')

export type RunColumn =
  | 'organization_id'
  | 'project_id'
  | 'environment_id'
  | 'agent_id'
  | 'agent_job_id'
  | 'created_by_id'
  | 'thread_key'
  | 'forked_from'
  | 'state'

// Literals, not parameters: a partial index serves a query only if the query text implies the index's condition.
const outsideOfEnvironments = sql<boolean>`environment_id is null`
const isSettled = sql<boolean>`state in (${sql.raw(settledRunStates.map((state) => `'${state}'`).join(', '))})`

interface RunIndex {
  index: string
  /** The columns looked up, all by equality. */
  columns: readonly RunColumn[]
  /** Further conditions, as literals. */
  part?: readonly (typeof isSettled)[]
  /** The sort column before the id. */
  order?: 'updated_at'
}

/** The walks (index scans): the index of each, and the columns that it looks up. */
export const runWalks = {
  all: { index: 'runs_by_creation', columns: ['organization_id'] },
  update: { index: 'runs_by_update', columns: ['organization_id'], order: 'updated_at' },
  state: { index: 'runs_by_state', columns: ['organization_id', 'state'] },
  project: { index: 'runs_by_project', columns: ['project_id'] },
  environment: { index: 'runs_by_environment', columns: ['environment_id'] },
  environmentAndState: {
    index: 'runs_of_environment_by_state',
    columns: ['environment_id', 'state'],
    part: [isSettled],
  },
  environmentByUpdate: {
    index: 'runs_of_environment_by_update',
    columns: ['environment_id'],
    order: 'updated_at',
  },
  environmentAndCreator: { index: 'runs_of_environment_by_creator', columns: ['environment_id', 'created_by_id'] },
  creator: { index: 'runs_by_creator', columns: ['organization_id', 'created_by_id'] },
  thread: { index: 'runs_by_thread', columns: ['organization_id', 'thread_key'] },
  fork: { index: 'runs_by_source', columns: ['organization_id', 'forked_from'] },
  job: { index: 'runs_by_job', columns: ['agent_job_id'] },
  jobAndState: { index: 'runs_of_job_by_state', columns: ['agent_job_id', 'state'], part: [isSettled] },
  agent: { index: 'runs_by_agent', columns: ['organization_id', 'agent_id', 'environment_id'] },
  agentOutside: {
    index: 'runs_by_agent',
    columns: ['organization_id', 'agent_id'],
    part: [outsideOfEnvironments],
  },
  agentAndState: {
    index: 'runs_of_agent_by_state',
    columns: ['organization_id', 'agent_id', 'environment_id', 'state'],
    part: [isSettled],
  },
  agentAndStateOutside: {
    index: 'runs_of_agent_by_state',
    columns: ['organization_id', 'agent_id', 'state'],
    part: [outsideOfEnvironments, isSettled],
  },
} as const satisfies Record<string, RunIndex>
export type RunWalk = keyof typeof runWalks

export interface RunListShape {
  walk: RunWalk
  order: 'asc' | 'desc'
  /** Whether the list continues after a position. */
  resumed: boolean
  /** Columns that are filtered in addition to those that the index looks up. */
  beside: readonly RunColumn[]
}

export interface RunListValues extends Partial<Record<RunColumn, string>> {
  organization_id: string
  /** The id of the last run shown. */
  id?: string
  updatedAt?: number
  /** The maximum number of runs scanned. */
  limit: number
}

/** A stretch of a walk: the conditions and the order that the index serves. */
const stretch = (
  { walk, order, resumed }: RunListShape,
  values: RunListValues,
  runs: ExpressionBuilder<Tables, never>,
) => {
  const { columns, part = [], order: by }: RunIndex = runWalks[walk]
  const beyond = order === 'asc' ? '>' : '<'
  return runs
    .selectFrom('runs')
    .selectAll()
    .where(({ and, eb }) => and([...columns.map((column) => eb(column, '=', values[column] as string)), ...part]))
    .$if(resumed && by !== undefined, (rows) =>
      rows.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('updated_at', 'id'), beyond, tuple(values.updatedAt as number, values.id as string)),
      ),
    )
    .$if(resumed && by === undefined, (rows) => rows.where('id', beyond, values.id as string))
    .$if(by !== undefined, (rows) => rows.orderBy('updated_at', order))
    .orderBy('id', order)
}

type Runs = ExpressionBuilder<Tables, never>

/** Always filters by organization: an index that begins with, say, a Project does not contain the organization. */
const passing = (shape: RunListShape) => (db: Store['db'], values: RunListValues) =>
  db
    .selectFrom((runs) =>
      stretch(shape, values, runs as unknown as Runs)
        .limit(values.limit)
        .as('walked'),
    )
    .where('organization_id', '=', values.organization_id)
    .where(({ and, eb }) => and(shape.beside.map((column) => eb(column, '=', values[column] as string))))

const buildQueries = (shape: RunListShape) => ({
  /** The runs of a stretch that match all filters. */
  rows: query((db, values: RunListValues) => passing(shape)(db, values).selectAll()),
  /** Their positions in the sort order, and their states. */
  positions: query((db, values: RunListValues) => passing(shape)(db, values).select(['id', 'updated_at', 'state'])),
  /** The same, with the beginning of the first message, for a search. */
  beginnings: query((db, values: RunListValues) =>
    passing(shape)(db, values).select(['id', 'updated_at', 'state', 'query']),
  ),
  /** The last run of a full stretch; undefined if the walk ends within it. */
  end: query((db, values: RunListValues & { skip: number }) =>
    db
      .selectFrom((runs) =>
        stretch(shape, values, runs as unknown as Runs)
          .limit(1)
          .offset(values.skip)
          .as('walked'),
      )
      .select(['id', 'updated_at']),
  ),
})

const built = new Map<string, ReturnType<typeof buildQueries>>()

/** The queries of a shape, compiled once. */
export function runListQueries(shape: RunListShape) {
  const key = [shape.walk, shape.order, shape.resumed, ...shape.beside].join(' ')
  const known = built.get(key) ?? buildQueries(shape)
  built.set(key, known)
  return known
}

/** Runs by their ids, given as a JSON array, in no particular order. */
export const runsById = query((db, values: { organizationId: string; ids: string }) =>
  db
    .selectFrom('runs')
    .selectAll()
    .where('id', 'in', textsOf(values.ids))
    .where('organization_id', '=', values.organizationId),
)

/** The Environments of a Project; there are only a few. */
export const environmentIdsOf = environments.only('id').find('project_id', 'organization_id')

interface RunsOfAgent {
  organizationId: string
  agentId: string
}

const leastEnvironment = (runs: ExpressionBuilder<Tables, never>, values: RunsOfAgent) =>
  runs
    .selectFrom('runs')
    .select(({ fn }) => fn.min<string | null>('environment_id').as('id'))
    .where('organization_id', '=', values.organizationId)
    .where('agent_id', '=', values.agentId)

/** The Environments in which an Agent has runs, with one index lookup for each; the last row is null. */
export const environmentsOfAgent = query((db, values: RunsOfAgent) =>
  db
    .withRecursive('places(id)', (places) =>
      leastEnvironment(expressionBuilder<Tables, never>(), values).unionAll(
        places
          .selectFrom('places')
          .select((place) =>
            leastEnvironment(place as unknown as Runs, values)
              .where(sql<boolean>`environment_id > places.id`)
              .as('id'),
          )
          .where('places.id', 'is not', null),
      ),
    )
    .selectFrom('places')
    .select('id'),
)
