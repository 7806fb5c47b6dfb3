/**
 * Whether the caller of an invocation still waits for it; checked in the commit, and again later. Source: contract 6,
 * "the operation never runs".
 */
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import { compensationOf } from '../../machines/workflow-run.ts'
import { memberOf } from '../by-engine.ts'
import { query, write } from '../statement.ts'
import type { Tables } from '../tables.ts'

// Literals: a partial index serves a query only if the text implies the index's condition.
const isPending = sql<boolean>`operation_invocations.state = 'pending_approval'`
const isRunning = sql<boolean>`operation_invocations.state = 'running'`
/** The run is canceled, being canceled or expired; `runs` is joined. */
export const runIsCanceled = sql<boolean>`runs.state in ('canceling', 'canceled', 'expired')`
const runEnds = sql<boolean>`runs.state in ('canceling', 'completed', 'failed', 'canceled', 'expired')`
const workflowIsCanceled = sql<boolean>`workflow_runs.state in ('canceling', 'canceled')`

/** A call by a run. */
interface RunCall {
  runId: string
  toolCallId: string
  chain: number
}

/**
 * Fails the unit of work with `StaleWrite` if the call is no longer awaited: its run has ended, is being canceled, was
 * removed or has continued, or the call has been answered.
 */
export const callIsWanted = write(
  (db, values: RunCall) =>
    db
      .updateTable('runs')
      .set({ updated_at: sql<number>`updated_at` })
      .where('runs.id', '=', values.runId)
      .where(({ not }) => not(runEnds))
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('run_inputs')
              .select('chain')
              .where('run_id', '=', values.runId)
              .where('chain', '>', values.chain),
          ),
        ),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('call_results')
              .select('tool_call_id')
              .where('run_id', '=', values.runId)
              .where('tool_call_id', '=', values.toolCallId),
          ),
        ),
      ),
  1,
)

/**
 * Fails the unit of work with `StaleWrite` unless the attempt with this token has the run: a later attempt of the same
 * turn knows nothing of the call.
 */
export const attemptIsCurrent = write(
  (db, values: { runId: string; fencingToken: number }) =>
    db
      .updateTable('runs')
      .set({ updated_at: sql<number>`updated_at` })
      .where('runs.id', '=', values.runId)
      .where(sql<number>`cast(${memberOf('context', 'lease', 'fencingToken')} as bigint)`, '=', values.fencingToken),
  1,
)

/** The same as `callIsWanted` for the step of a workflow, if its run is canceled, is being canceled or was removed. */
export const stepIsWanted = write(
  (db, values: { workflowRunId: string }) =>
    db
      .updateTable('workflow_runs')
      .set({ updated_at: sql<number>`updated_at` })
      .where('workflow_runs.id', '=', values.workflowRunId)
      .where(({ not }) => not(workflowIsCanceled)),
  1,
)

/** Fails the unit of work with `StaleWrite` unless the invocation is waiting for its approval. */
export const stillPending = write(
  (db, values: { id: string }) =>
    db
      .updateTable('operation_invocations')
      .set({ updated_at: sql<number>`updated_at` })
      .where('id', '=', values.id)
      .where(isPending),
  1,
)

type CallOfRun = ExpressionBuilder<Tables, 'operation_invocations' | 'runs'>

/** The run has continued since the call. */
const isOfFormerChain = ({ exists, selectFrom }: CallOfRun): Expression<SqlBool> =>
  exists(
    selectFrom('run_inputs')
      .select('run_inputs.chain')
      .whereRef('run_inputs.run_id', '=', 'operation_invocations.agent_run_id')
      .whereRef('run_inputs.chain', '>', 'operation_invocations.run_chain'),
  )

/**
 * The result of the invocation is no longer wanted: its run has ended, is being canceled or has continued, or the call
 * has been answered. This never changes back: what continues a run begins another chain.
 */
const isUnwanted = (builder: CallOfRun): Expression<SqlBool> => {
  const { or, exists, selectFrom } = builder
  return or([
    runEnds,
    isOfFormerChain(builder),
    exists(
      selectFrom('call_results')
        .select('call_results.tool_call_id')
        .whereRef('call_results.run_id', '=', 'operation_invocations.agent_run_id')
        .whereRef('call_results.tool_call_id', '=', 'operation_invocations.tool_call_id'),
    ),
  ])
}

/** Invocations that wait for an approval although their result is no longer wanted. */
export const listUnwanted = query((db, values: { after: string; limit: number }) =>
  db
    .selectFrom('operation_invocations')
    .innerJoin('runs', 'runs.id', 'operation_invocations.agent_run_id')
    .select('operation_invocations.id')
    .where(isPending)
    .where('operation_invocations.id', '>', values.after)
    .where((builder) => isUnwanted(builder as never))
    .orderBy('operation_invocations.id')
    .limit(values.limit),
)

/** Invocations of the run that wait for an approval although their result is no longer wanted. */
export const listUnwantedOfRun = query((db, values: { runId: string }) =>
  db
    .selectFrom('operation_invocations')
    .innerJoin('runs', 'runs.id', 'operation_invocations.agent_run_id')
    .select('operation_invocations.id')
    .where('operation_invocations.agent_run_id', '=', values.runId)
    .where('operation_invocations.state', '=', 'pending_approval')
    .where((builder) => isUnwanted(builder as never)),
)

/** Waiting and running invocations of the run that were made before it was canceled or expired. */
export const listToAbortOfRun = query((db, values: { runId: string }) =>
  db
    .selectFrom('operation_invocations')
    .innerJoin('runs', 'runs.id', 'operation_invocations.agent_run_id')
    .select('operation_invocations.id')
    .where('operation_invocations.agent_run_id', '=', values.runId)
    .where('operation_invocations.state', 'in', ['pending_approval', 'running'])
    .where((builder) => builder.or([runIsCanceled, isOfFormerChain(builder as never)])),
)

/** Running invocations whose run is canceled, is being canceled or has expired. */
export const listToAbort = query((db, values: { after: string; limit: number }) =>
  db
    .selectFrom('operation_invocations')
    .innerJoin('runs', 'runs.id', 'operation_invocations.agent_run_id')
    .select('operation_invocations.id')
    .where(isRunning)
    .where(runIsCanceled)
    .where('operation_invocations.id', '>', values.after)
    .orderBy('operation_invocations.id')
    .limit(values.limit),
)

/**
 * The invocation of a workflow step, if it waits for an approval and its workflow run is canceled or being canceled;
 * not one of a compensation.
 */
export const findUnwantedStep = query((db, values: { id: string }) =>
  db
    .selectFrom('operation_invocations')
    .innerJoin('workflow_runs', 'workflow_runs.id', 'operation_invocations.workflow_run_id')
    .select('operation_invocations.id')
    .where('operation_invocations.id', '=', values.id)
    .where(isPending)
    .where('operation_invocations.step_id', 'not like', compensationOf('%'))
    .where(workflowIsCanceled),
)

/** The invocation of a call, if it waits for an approval although its result is no longer wanted. */
export const findUnwanted = query((db, values: { id: string }) =>
  db
    .selectFrom('operation_invocations')
    .innerJoin('runs', 'runs.id', 'operation_invocations.agent_run_id')
    .select('operation_invocations.id')
    .where('operation_invocations.id', '=', values.id)
    .where(isPending)
    .where((builder) => isUnwanted(builder as never)),
)
