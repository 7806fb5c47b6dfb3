/** Steps for lists: pages of one run's steps, and the level below a page. Source: requirement 4.14, "List steps". */
import type { Kysely } from 'kysely'
import { textsOf } from '../by-engine.ts'
import { rowsOf } from '../rows.ts'
import { query } from '../statement.ts'
import type { Tables } from '../tables.ts'

const agentSteps = rowsOf('agent_steps', 'agent_step_id')

export interface StepListShape {
  sort: 'created_at' | 'updated_at'
  order: 'asc' | 'desc'
  /** Only root steps. */
  roots: boolean
}

interface StepListValues {
  runId: string
  /** The sort key, sequence and id of the last step shown; for the first page, values before all steps. */
  at: number
  sequence: number
  agentStepId: number
  limit: number
}

const buildList = ({ sort, order, roots }: StepListShape) =>
  query((db, values: StepListValues) =>
    db
      .selectFrom('agent_steps')
      .selectAll()
      .where('run_id', '=', values.runId)
      .$if(roots, (steps) => steps.where('parent_agent_step_id', 'is', null))
      .where(({ eb, refTuple, tuple }) =>
        eb(
          refTuple(sort, 'sequence', 'agent_step_id'),
          order === 'asc' ? '>' : '<',
          tuple(values.at, values.sequence, values.agentStepId),
        ),
      )
      .orderBy(sort, order)
      .orderBy('sequence', order)
      .orderBy('agent_step_id', order)
      .limit(values.limit),
  )

const lists = new Map<string, ReturnType<typeof buildList>>()

/** The query of a list of this shape, compiled once. */
export function listSteps(shape: StepListShape): ReturnType<typeof buildList> {
  const key = `${shape.sort} ${shape.order} ${shape.roots}`
  const known = lists.get(key) ?? buildList(shape)
  lists.set(key, known)
  return known
}

export const countSteps = agentSteps.count('run_id')

export const countRootSteps = query((db, values: { runId: string }) =>
  db
    .selectFrom('agent_steps')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('run_id', '=', values.runId)
    .where('parent_agent_step_id', 'is', null),
)

/** Selects steps by a range of parent ids, after a given step: the level below a page, and possibly a few others. */
interface StepsBelowValues {
  runId: string
  /** The parent and the id of the last known step; initially the first parent and 0. */
  parent: number
  agentStepId: number
  /** The last parent. */
  last: number
  limit: number
}

/** All columns but `input` and `output`. */
const outline = [
  'agent_step_id',
  'run_id',
  'parent_agent_step_id',
  'sequence',
  'kind',
  'name',
  'status',
  'attempt',
  'agent',
  'execution',
  'token_usage',
  'cost',
  'error',
  'last_checkpoint_id',
  'started_at',
  'ended_at',
  'created_at',
  'updated_at',
] as const

type Db = Kysely<Tables>

const levelBelow = (db: Db, values: StepsBelowValues) =>
  db
    .selectFrom('agent_steps')
    .where('run_id', '=', values.runId)
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple('parent_agent_step_id', 'agent_step_id'), '>', tuple(values.parent, values.agentStepId)),
    )
    .where('parent_agent_step_id', '<=', values.last)
    .orderBy('parent_agent_step_id')
    .orderBy('agent_step_id')
    .limit(values.limit)

export const listStepsBelow = query((db, values: StepsBelowValues) => levelBelow(db, values).selectAll())

/** The same steps in outline. */
export const outlineStepsBelow = query((db, values: StepsBelowValues) => levelBelow(db, values).select(outline))

/** The token usage of the root steps of runs (`ids`: a JSON array), ordered by run and step, after a given step. */
export const rootUsage = query((db, values: { ids: string; runId: string; agentStepId: number; limit: number }) =>
  db
    .selectFrom('agent_steps')
    .select(['run_id', 'agent_step_id', 'token_usage'])
    .where('run_id', 'in', textsOf(values.ids))
    .where('parent_agent_step_id', 'is', null)
    .where('run_id', '>=', values.runId)
    .where(({ or, eb }) => or([eb('run_id', '>', values.runId), eb('agent_step_id', '>', values.agentStepId)]))
    .orderBy('run_id')
    .orderBy('agent_step_id')
    .limit(values.limit),
)
