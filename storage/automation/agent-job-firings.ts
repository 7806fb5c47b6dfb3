/** The ticks of agent jobs, and the runs that they start. Source: requirement 4.9; contract 6. */
import { sql } from 'kysely'
import { insertFrom, rowsOf } from '../rows.ts'
import { query, write } from '../statement.ts'
import type { JobFiringRow } from '../tables.ts'

const jobFirings = rowsOf('job_firings', 'job_id', 'scheduled_for')

// Written as literals, as the index says it, so that it serves.
const isLive = sql<boolean>`state in ('queued', 'acquiring', 'starting', 'running', 'awaitingToolResult', 'awaitingDelegateResult', 'canceling')`

/** A run of the job that has not ended. */
export const findLiveRunOfJob = query((db, values: { jobId: string }) =>
  db.selectFrom('runs').select('id').where('agent_job_id', '=', values.jobId).where(isLive).limit(1),
)

/**
 * A tick whose run is stored with it: only while the job is dealing with it. `UniqueViolation` when it has been dealt
 * with, `StaleWrite` when the job has moved on or is gone.
 */
export const insertStart = write(
  (db, row: JobFiringRow) =>
    insertFrom(
      db,
      'job_firings',
      row,
      db.selectFrom('agent_jobs').where('id', '=', row.job_id).where('state', '=', 'firing'),
    ),
  1,
)

/** Fails the unit of work with `StaleWrite` when the job has a run that has not ended, besides the one given. */
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
      ),
  1,
)

/** A tick without a run. What came of it before stays. */
export const insertFiring = jobFirings.insertOrKeep()

export const findFiring = jobFirings.find()

/** The tick that has started this run. */
export const findFiringOfRun = query((db, values: { jobId: string; runId: string }) =>
  db.selectFrom('job_firings').selectAll().where('job_id', '=', values.jobId).where('agent_run_id', '=', values.runId),
)

/** The last ticks of a job, the latest first. */
export const listFirings = query((db, values: { jobId: string; limit: number }) =>
  db
    .selectFrom('job_firings')
    .selectAll()
    .where('job_id', '=', values.jobId)
    .orderBy('scheduled_for', 'desc')
    .limit(values.limit),
)

/** Ticks that a clock which was wrong has dealt with: from then on they are to come, and will come again. */
export const forgetLaterFirings = write((db, values: { jobId: string; from: number }) =>
  db.deleteFrom('job_firings').where('job_id', '=', values.jobId).where('scheduled_for', '>=', values.from),
)

/** All ticks of a job that come before the last ones: `skip` is one less than how many stay. */
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
