/** Removes invocations, approvals and workflow runs that ended before a given time. */
import { sql } from 'kysely'
import { query, write } from '../statement.ts'

// Written as literals: an index on a part of the table serves a query only when the text itself shows that it may.
const invocationHasEnded = sql<boolean>`operation_invocations.state in ('succeeded', 'failed', 'rejected', 'unknown')`
const workflowRunHasEnded = sql<boolean>`workflow_runs.state in ('completed', 'failed', 'canceled')`
const runHasEnded = sql<boolean>`runs.state in ('completed', 'failed', 'canceled', 'expired')`

interface Ended {
  until: number
  limit: number
}

/**
 * Invocations, the longest ended first. One whose run lives is not among them, and one of a workflow only when its run is
 * gone: what they ask for again must be found, or it would be done again.
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

/** Runs of workflows, the longest ended first. */
export const listEndedWorkflowRuns = query((db, values: Ended) =>
  db
    .selectFrom('workflow_runs')
    .select('id')
    .where(workflowRunHasEnded)
    .where('updated_at', '<', values.until)
    .orderBy('updated_at')
    .limit(values.limit),
)

/** Deletes a run of a workflow that has ended; one that has been resumed fails the unit of work with `StaleWrite`. */
export const deleteEndedWorkflowRun = write(
  (db, values: { id: string }) => db.deleteFrom('workflow_runs').where('id', '=', values.id).where(workflowRunHasEnded),
  1,
)
