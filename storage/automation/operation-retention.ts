/** Removes invocations, approvals and workflow runs that ended before a given time. */
import { sql } from 'kysely'
import { query, write } from '../statement.ts'

// Literals: a partial index serves a query only if the text implies the index's condition.
const invocationHasEnded = sql<boolean>`operation_invocations.state in ('succeeded', 'failed', 'rejected', 'unknown')`
const workflowRunHasEnded = sql<boolean>`workflow_runs.state in ('completed', 'failed', 'canceled')`
const runHasEnded = sql<boolean>`runs.state in ('completed', 'failed', 'canceled', 'expired')`

interface Ended {
  until: number
  limit: number
}

/**
 * Ended invocations, oldest first, except those of live runs and of existing workflow runs: a repeated call must find
 * its invocation, or it would be executed again.
 */
export const listEndedInvocations = query((db, values: Ended) =>
  db
    .selectFrom('operation_invocations')
    .select('operation_invocations.id')
    .where(invocationHasEnded)
    .where('operation_invocations.updated_at', '<', values.until)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('workflow_runs')
            .select('workflow_runs.id')
            .whereRef('workflow_runs.id', '=', 'operation_invocations.workflow_run_id'),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('runs')
            .select('runs.id')
            .whereRef('runs.id', '=', 'operation_invocations.agent_run_id')
            .where(({ not }) => not(runHasEnded)),
        ),
      ),
    )
    .orderBy('operation_invocations.updated_at')
    .limit(values.limit),
)

/** Ended workflow runs, oldest first. */
export const listEndedWorkflowRuns = query((db, values: Ended) =>
  db
    .selectFrom('workflow_runs')
    .select('id')
    .where(workflowRunHasEnded)
    .where('updated_at', '<', values.until)
    .orderBy('updated_at')
    .limit(values.limit),
)

/** Deletes an ended workflow run; fails the unit of work with `StaleWrite` if it was resumed. */
export const deleteEndedWorkflowRun = write(
  (db, values: { id: string }) => db.deleteFrom('workflow_runs').where('id', '=', values.id).where(workflowRunHasEnded),
  1,
)
