/** Removes invocations, approvals and workflow runs that ended before a given time. */
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import { query, write } from '../statement.ts'
import type { Tables } from '../tables.ts'

// Literals: a partial index serves a query only if the text implies the index's condition.
const invocationHasEnded = sql<boolean>`operation_invocations.state in ('succeeded', 'failed', 'rejected', 'unknown')`
const workflowRunHasEnded = sql<boolean>`workflow_runs.state in ('completed', 'failed', 'canceled')`
const runHasEnded = sql<boolean>`runs.state in ('completed', 'failed', 'canceled', 'expired')`

interface Ended {
  until: number
  limit: number
}

/**
 * An invocation that ended earlier, except one of a live run or of an existing workflow run: a repeated call must find
 * its invocation, or it would be executed again.
 */
const isExpiredInvocation = (
  { and, eb, not, exists, selectFrom }: ExpressionBuilder<Tables, 'operation_invocations'>,
  until: number,
): Expression<SqlBool> =>
  and([
    invocationHasEnded,
    eb('operation_invocations.updated_at', '<', until),
    not(
      exists(
        selectFrom('workflow_runs')
          .select('workflow_runs.id')
          .whereRef('workflow_runs.id', '=', 'operation_invocations.workflow_run_id'),
      ),
    ),
    not(
      exists(
        selectFrom('runs')
          .select('runs.id')
          .whereRef('runs.id', '=', 'operation_invocations.agent_run_id')
          .where(({ not }) => not(runHasEnded)),
      ),
    ),
  ])

/** Expired invocations, oldest first. */
export const listEndedInvocations = query((db, values: Ended) =>
  db
    .selectFrom('operation_invocations')
    .select(['operation_invocations.id', 'operation_invocations.updated_at'])
    .where((builder) => isExpiredInvocation(builder, values.until))
    .orderBy('operation_invocations.updated_at')
    .limit(values.limit),
)

/** Deletes an expired invocation; fails the unit of work with `StaleWrite` if it, or its run, is in use again. */
export const deleteEndedInvocation = write(
  (db, values: { id: string; until: number }) =>
    db
      .deleteFrom('operation_invocations')
      .where('operation_invocations.id', '=', values.id)
      .where((builder) => isExpiredInvocation(builder, values.until)),
  1,
)

/** Ended workflow runs, oldest first. */
export const listEndedWorkflowRuns = query((db, values: Ended) =>
  db
    .selectFrom('workflow_runs')
    .select(['id', 'updated_at'])
    .where(workflowRunHasEnded)
    .where('updated_at', '<', values.until)
    .orderBy('updated_at')
    .limit(values.limit),
)

/**
 * Deletes a workflow run that ended earlier; fails the unit of work with `StaleWrite` if it was resumed, also if it has
 * ended again since.
 */
export const deleteEndedWorkflowRun = write(
  (db, values: { id: string; until: number }) =>
    db
      .deleteFrom('workflow_runs')
      .where('id', '=', values.id)
      .where(workflowRunHasEnded)
      .where('updated_at', '<', values.until),
  1,
)
