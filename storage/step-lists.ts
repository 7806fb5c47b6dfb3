/** Steps as lists show them: pages over one run, and the steps below a page. Source: requirement 4.14, "List steps". */
import { query } from './statement.ts'

export interface StepListShape {
  sort: 'created_at' | 'updated_at'
  order: 'asc' | 'desc'
  /** Only root steps. */
  roots: boolean
}

export interface StepListValues {
  runId: string
  /** The sort key and id of the last step shown; for the first page, a place before all steps. */
  at: number
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
        eb(refTuple(sort, 'agent_step_id'), order === 'asc' ? '>' : '<', tuple(values.at, values.agentStepId)),
      )
      .orderBy(sort, order)
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

export const countSteps = query((db, values: { runId: string }) =>
  db
    .selectFrom('agent_steps')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('run_id', '=', values.runId),
)

export const countRootSteps = query((db, values: { runId: string }) =>
  db
    .selectFrom('agent_steps')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('run_id', '=', values.runId)
    .where('parent_agent_step_id', 'is', null),
)

/** Steps of a run whose parents' ids lie in a range: the level below a page, and perhaps a few beside it. */
export const listStepsBelow = query((db, values: { runId: string; first: number; last: number }) =>
  db
    .selectFrom('agent_steps')
    .selectAll()
    .where('run_id', '=', values.runId)
    .where('parent_agent_step_id', '>=', values.first)
    .where('parent_agent_step_id', '<=', values.last)
    .orderBy('parent_agent_step_id')
    .orderBy('agent_step_id'),
)
