/** Invocations of operations. The row is the actor's: every change increases `version`. Source: contract 6. */
import { sql } from 'kysely'
import { inSlots } from '../by-engine.ts'
import { rowsOf } from '../rows.ts'
import type { OfSlots } from '../slots.ts'
import { query, write } from '../statement.ts'
import { runIsCanceled } from './wanted-invocations.ts'

const operationInvocations = rowsOf('operation_invocations', 'id')

// Literals: a partial index serves a query only if the text implies the index's condition.
const isRunning = sql<boolean>`operation_invocations.state = 'running'`

export const insertInvocation = operationInvocations.insert()

export const updateInvocation = operationInvocations.move('performer', 'output', 'error')

/** Any invocation, for the runtime; requests also filter by organization. */
export const getInvocation = operationInvocations.find()

export const findInvocationOfCall = operationInvocations
  .only('id', 'state', 'approval_id')
  .find('agent_run_id', 'tool_call_id')

export const findInvocationOfStep = operationInvocations
  .only('id', 'state')
  .find('workflow_run_id', 'step_id', 'attempt')

export const findInvocationOfKey = operationInvocations
  .only('id', 'request_digest')
  .find('environment_id', 'user_id', 'idempotency_key')

/** What made a call. */
export const getCallerOfInvocation = operationInvocations.only('agent_run_id', 'workflow_run_id').find()

/** How deep an invocation is nested in other invocations. */
export const getInvocationDepth = operationInvocations.only('depth').find()

/** Calls of a run that have not ended. */
export const listOpenCalls = query((db, values: { runId: string }) =>
  db
    .selectFrom('operation_invocations')
    .select(['id', 'tool_call_id', 'state'])
    .where('agent_run_id', '=', values.runId)
    .where('state', 'in', ['pending_approval', 'running']),
)

export const listPendingOfWorkflow = operationInvocations
  .where(({ eb }) => eb('state', '=', 'pending_approval'))
  .only('id', 'step_id', 'attempt')
  .find('workflow_run_id')

/** Running invocations that other processes perform. */
export const listPerformedElsewhere = query(
  (db, values: OfSlots & { performer: string; after: string; limit: number }) =>
    db
      .selectFrom('operation_invocations')
      .select(['id', 'performer'])
      .where(isRunning)
      .where('performer', '<>', values.performer)
      .where(inSlots('id', values.slots))
      .where('id', '>', values.after)
      .orderBy('id')
      .limit(values.limit),
)

/** Running invocations that this process performs. `is_unwanted`: its run is canceled, being canceled or expired. */
export const listPerformedHere = query((db, values: { performer: string; after: string; limit: number }) =>
  db
    .selectFrom('operation_invocations')
    .leftJoin('runs', 'runs.id', 'operation_invocations.agent_run_id')
    .select(['operation_invocations.id', 'operation_invocations.context'])
    .select(sql<number>`case when ${runIsCanceled} then 1 else 0 end`.as('is_unwanted'))
    .where(isRunning)
    .where('operation_invocations.performer', '=', values.performer)
    .where('operation_invocations.id', '>', values.after)
    .orderBy('operation_invocations.id')
    .limit(values.limit),
)

/**
 * Fails the unit of work with `StaleWrite` unless this process executes the invocation: another one takes it over from a
 * paused process, and may have ended it.
 */
export const assertPerformedHere = write(
  (db, values: { id: string; performer: string }) =>
    db
      .updateTable('operation_invocations')
      .set({ updated_at: sql<number>`updated_at` })
      .where('id', '=', values.id)
      .where(isRunning)
      .where('performer', '=', values.performer),
  1,
)

/** The invocation at this path; undefined if it does not exist or belongs elsewhere. */
export const findInvocation = operationInvocations.find('id', 'environment_id', 'organization_id')

/** The Project, Environment and Agent of an invocation in the organization. */
export const findPlaceOfInvocation = operationInvocations
  .only('project_id', 'environment_id', 'agent_id')
  .find('id', 'organization_id')

/** The output of a run: that of the root step of its latest attempt. */
export const getRunOutput = query((db, values: { runId: string }) =>
  db
    .selectFrom('agent_steps')
    .select('output')
    .where('run_id', '=', values.runId)
    .where('parent_agent_step_id', 'is', null)
    // servers number steps independently: a later attempt may have the lower number
    .orderBy('attempt', 'desc')
    .limit(1),
)
