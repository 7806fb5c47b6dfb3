/**
 * Runs as requests find and list them. A list walks one index in its order, from where the page before ended: the walk's
 * condition is all that the engine looks things up by, and every other filter is applied to a bounded stretch of it.
 * Source: requirement 4.14, "List runs"; design 7.
 */
import type { ExpressionBuilder } from 'kysely'
import { query } from './statement.ts'
import type { RunRow, Tables } from './tables.ts'

/** The run if it is the organization's: absent and foreign look the same. */
export const findRun = query((db, values: { organizationId: string; id: string }) =>
  db.selectFrom('runs').selectAll().where('id', '=', values.id).where('organization_id', '=', values.organizationId),
)

/** Which index is walked; each has the order as its last columns. */
export type RunWalk = 'update' | 'creation' | 'project' | 'environment' | 'job' | 'agent' | 'creator' | 'state'

/** A column that a walk's index begins with, besides the organization. */
export const walkColumns = {
  project: 'project_id',
  environment: 'environment_id',
  job: 'agent_job_id',
  agent: 'agent_id',
  creator: 'created_by_id',
  state: 'state',
} as const satisfies Partial<Record<RunWalk, keyof RunRow>>

/** Walks whose index does not begin with the organization: it belongs to one organization altogether. */
const ofOneOrganization: ReadonlySet<RunWalk> = new Set(['project', 'environment', 'job'])

const filterColumns = ['project_id', 'environment_id', 'agent_id', 'agent_job_id', 'created_by_id'] as const
export type RunFilterColumn = (typeof filterColumns)[number]

export interface RunListShape {
  walk: RunWalk
  order: 'asc' | 'desc'
  /** Goes on after a position. */
  resumed: boolean
  /** Filters beside the walk's own. */
  filters: readonly RunFilterColumn[]
  /** How many states to filter by, beside the walk's own; 0: any. */
  states: number
}

/** `walked` is the value of the walk's column; a filter's is under the column's name, a state's under `state0` … */
export interface RunListValues extends Partial<Record<RunFilterColumn, string>> {
  organizationId: string
  walked?: string
  /** The last run shown. */
  id?: string
  updatedAt?: number
  /** The length of the stretch, in runs. */
  limit: number
  [state: `state${number}`]: string
}

/** A walk's stretch: the conditions and the order that the index serves. */
const stretch =
  ({ walk, order, resumed }: RunListShape, values: RunListValues) =>
  (runs: ExpressionBuilder<Tables, never>) => {
    const column = walk in walkColumns ? walkColumns[walk as keyof typeof walkColumns] : undefined
    const beyond = order === 'asc' ? '>' : '<'
    return runs
      .selectFrom('runs')
      .selectAll()
      .$if(!ofOneOrganization.has(walk), (rows) => rows.where('organization_id', '=', values.organizationId))
      .$if(column !== undefined, (rows) => rows.where(column as 'agent_id', '=', values.walked as string))
      .$if(resumed && walk === 'update', (rows) =>
        rows.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('updated_at', 'id'), beyond, tuple(values.updatedAt as number, values.id as string)),
        ),
      )
      .$if(resumed && walk !== 'update', (rows) => rows.where('id', beyond, values.id as string))
      .$if(walk === 'update', (rows) => rows.orderBy('updated_at', order))
      .orderBy('id', order)
  }

const buildList = (shape: RunListShape) =>
  query((db, values: RunListValues) =>
    db
      .selectFrom((runs) =>
        stretch(
          shape,
          values,
        )(runs as unknown as ExpressionBuilder<Tables, never>)
          .limit(values.limit)
          .as('walked'),
      )
      .selectAll()
      .where('organization_id', '=', values.organizationId)
      .where(({ and, eb }) => and(shape.filters.map((column) => eb(column, '=', values[column] as string))))
      .$if(shape.states > 0, (rows) =>
        rows.where(
          'state',
          'in',
          Array.from({ length: shape.states }, (_, index) => values[`state${index}`] as string),
        ),
      ),
  )

/** The last run of a full stretch; undefined when the walk ends within it. */
const buildEnd = (shape: RunListShape) =>
  query((db, values: RunListValues & { skip: number }) =>
    db
      .selectFrom((runs) =>
        stretch(
          shape,
          values,
        )(runs as unknown as ExpressionBuilder<Tables, never>)
          .limit(1)
          .offset(values.skip)
          .as('walked'),
      )
      .select(['id', 'updated_at']),
  )

const built = new Map<string, { list: ReturnType<typeof buildList>; end: ReturnType<typeof buildEnd> }>()

/** The queries of a shape, compiled once: the stretch's runs that pass the filters, and the stretch's last run. */
export function runListQueries(shape: RunListShape) {
  const key = [shape.walk, shape.order, shape.resumed, shape.states, ...shape.filters].join(' ')
  const known = built.get(key) ?? { list: buildList(shape), end: buildEnd(shape) }
  built.set(key, known)
  return known
}
