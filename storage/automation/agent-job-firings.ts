/** Ticks of agent jobs, and the runs that they start. Source: requirement 4.9; contract 6. */
import { sql } from 'kysely'
import { memberOf } from '../by-engine.ts'
import { insertFrom, rowsOf } from '../rows.ts'
import { query, write } from '../statement.ts'
import type { JobFiringRow } from '../tables.ts'
import { isLiveWorkflowRun } from './workflows.ts'

const jobFirings = rowsOf('job_firings', 'job_id', 'scheduled_for')

// Literals: a partial index serves a query only if the text implies the index's condition.
const isLive = sql<boolean>`state in ('queued', 'acquiring', 'starting', 'running', 'awaitingToolResult', 'awaitingDelegateResult', 'canceling')`

/** A live run of the job. */
export const findLiveRunOfJob = query((db, values: { jobId: string }) =>
  db.selectFrom('runs').select('id').where('agent_job_id', '=', values.jobId).where(isLive).limit(1),
)

/** A live workflow run of the job. */
export const findLiveWorkflowRunOfJob = query((db, values: { jobId: string }) =>
  db
    .selectFrom('workflow_runs')
    .select('id')
    .where('agent_job_id', '=', values.jobId)
    .where(isLiveWorkflowRun)
    .limit(1),
)

/**
 * Stores a tick with its run. `UniqueViolation` if the tick was handled already, `StaleWrite` if the job no longer
 * processes this firing (as in its context), or was deleted. A server that was suspended may still work on an earlier
 * one.
 */
export const insertStart = write(
  (db, { firing, ...row }: JobFiringRow & { firing: string }) =>
    insertFrom(
      db,
      'job_firings',
      row,
      db.selectFrom('agent_jobs').where('id', '=', row.job_id).where(memberOf('context', 'firing'), '=', firing),
    ),
  1,
)

/** Fails the unit of work with `StaleWrite` if the job has a live run, of an Agent or of a workflow, other than this one. */
export const assertNoLiveRun = write(
  (db, values: { jobId: string; runId: string }) =>
    db
      .updateTable('agent_jobs')
      .set((eb) => ({ updated_at: eb.ref('updated_at') }))
      .where('id', '=', values.jobId)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('runs')
              .select('runs.id')
              .where('agent_job_id', '=', values.jobId)
              .where(isLive)
              .where('runs.id', '<>', values.runId),
          ),
        ),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('workflow_runs')
              .select('workflow_runs.id')
              .where('agent_job_id', '=', values.jobId)
              .where(isLiveWorkflowRun)
              .where('workflow_runs.id', '<>', values.runId),
          ),
        ),
      ),
  1,
)

/** Stores a tick without a run; an outcome stored earlier is kept. */
export const insertFiring = jobFirings.insertOrKeep()

export const findFiring = jobFirings.find()

/** The tick that started this run, of an Agent or of a workflow. */
export const findFiringOfRun = query((db, values: { jobId: string; agentRunId: string; workflowRunId: string }) =>
  db
    .selectFrom('job_firings')
    .selectAll()
    .where('job_id', '=', values.jobId)
    .where(({ or, eb }) =>
      or([eb('agent_run_id', '=', values.agentRunId), eb('workflow_run_id', '=', values.workflowRunId)]),
    ),
)

/** The latest ticks of a job, latest first. */
export const listFirings = query((db, values: { jobId: string; limit: number }) =>
  db
    .selectFrom('job_firings')
    .selectAll()
    .where('job_id', '=', values.jobId)
    .orderBy('scheduled_for', 'desc')
    .limit(values.limit),
)

/** Removes future ticks that were handled while the clock was wrong, so that they occur again. */
export const forgetLaterFirings = write((db, values: { jobId: string; from: number }) =>
  db.deleteFrom('job_firings').where('job_id', '=', values.jobId).where('scheduled_for', '>=', values.from),
)

/** Removes the oldest ticks of a job; `skip` is the number of ticks kept, minus one. */
export const pruneFirings = write((db, values: { jobId: string; skip: number }) =>
  db
    .deleteFrom('job_firings')
    .where('job_id', '=', values.jobId)
    .where('scheduled_for', '<', ({ selectFrom }) =>
      selectFrom('job_firings')
        .select('scheduled_for')
        .where('job_id', '=', values.jobId)
        .orderBy('scheduled_for', 'desc')
        .limit(1)
        .offset(values.skip),
    ),
)
