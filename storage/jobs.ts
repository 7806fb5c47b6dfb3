/** Agent jobs and what came of their ticks. Source: requirement 4.9; contract 6. */
import { sql } from 'kysely'
import { query, write } from './statement.ts'
import type { AgentJobRow, JobFiringRow } from './tables.ts'

// Written as literals, as the index says it, so that it serves.
const isLive = sql<boolean>`state in ('queued', 'acquiring', 'starting', 'running', 'awaitingToolResult', 'awaitingDelegateResult', 'canceling')`

/** A job, named by its path. */
export interface JobKey {
  organizationId: string
  projectId: string
  environmentId: string
  id: string
}

const columns = [
  'id',
  'organization_id',
  'project_id',
  'environment_id',
  'agent_id',
  'name',
  'cron',
  'timezone',
  'query',
  'overlap',
  'state',
  'version',
  'machine_version',
  'context',
  'enabled',
  'next_run_at',
  'created_at',
  'updated_at',
] as const

/** Only where Environment and Agent are there to stay, and there are fewer than `jobsMax`; else `StaleWrite`. */
export const insertJob = write(
  (db, row: AgentJobRow & { jobsMax: number }) =>
    db
      .insertInto('agent_jobs')
      .columns(columns)
      .expression(
        db
          .selectFrom('environments')
          .innerJoin('projects', 'projects.id', 'environments.project_id')
          .innerJoin('agents', 'agents.project_id', 'projects.id')
          .select(({ val }) => columns.map((column) => val(row[column]).as(column)))
          .where('environments.id', '=', row.environment_id)
          .where('environments.organization_id', '=', row.organization_id)
          .where('environments.state', '<>', 'deleting')
          .where('projects.id', '=', row.project_id)
          .where('projects.status', '<>', 'deleting')
          .where('agents.id', '=', row.agent_id)
          .where('agents.status', '=', 'active')
          .where(
            ({ selectFrom, fn }) =>
              selectFrom('agent_jobs as other')
                .select(fn.countAll<number>().as('count'))
                .where('other.environment_id', '=', row.environment_id),
            '<',
            row.jobsMax,
          ),
      ),
  1,
)

/** How many there are in the Environment. */
export const countJobs = query((db, values: { environmentId: string }) =>
  db
    .selectFrom('agent_jobs')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('environment_id', '=', values.environmentId),
)

/** What a change of the actor changes in the row, if nobody else has changed it since `from`. */
export interface JobUpdate
  extends Omit<AgentJobRow, 'organization_id' | 'project_id' | 'environment_id' | 'created_at'> {
  from: number
}

const changedJob = (row: JobUpdate) => ({
  name: row.name,
  cron: row.cron,
  timezone: row.timezone,
  query: row.query,
  overlap: row.overlap,
  state: row.state,
  version: row.version,
  machine_version: row.machine_version,
  context: row.context,
  enabled: row.enabled,
  next_run_at: row.next_run_at,
  updated_at: row.updated_at,
})

export const updateJob = write(
  (db, row: JobUpdate) =>
    db.updateTable('agent_jobs').set(changedJob(row)).where('id', '=', row.id).where('version', '=', row.from),
  1,
)

/** The same for a job that is enabled by it: only while its Agent is not being deleted, which an enabled job forbids. */
export const enableJob = write(
  (db, row: JobUpdate) =>
    db
      .updateTable('agent_jobs')
      .set(changedJob(row))
      .where('id', '=', row.id)
      .where('version', '=', row.from)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('agents').select('agents.id').where('agents.id', '=', row.agent_id).where('status', '=', 'active'),
        ),
      ),
  1,
)

/** Any job, for the runtime; a request looks it up with its organization. */
export const getJob = query((db, values: { id: string }) =>
  db.selectFrom('agent_jobs').selectAll().where('id', '=', values.id),
)

/** The job at this path, or undefined: absent and foreign look the same. */
export const findJob = query((db, values: JobKey) =>
  db
    .selectFrom('agent_jobs')
    .selectAll()
    .where('id', '=', values.id)
    .where('environment_id', '=', values.environmentId)
    .where('project_id', '=', values.projectId)
    .where('organization_id', '=', values.organizationId),
)

/** Where a job of the organization is. */
export const findPlaceOfJob = query((db, values: { organizationId: string; id: string }) =>
  db
    .selectFrom('agent_jobs')
    .select(['project_id', 'environment_id', 'agent_id'])
    .where('id', '=', values.id)
    .where('organization_id', '=', values.organizationId),
)

interface JobList {
  organizationId: string
  environmentId: string
  /** Beyond the first one to show. */
  before: string
  limit: number
}

/** Newest first, from below this id. */
export const listJobs = query((db, values: JobList) =>
  db
    .selectFrom('agent_jobs')
    .selectAll()
    .where('environment_id', '=', values.environmentId)
    .where('organization_id', '=', values.organizationId)
    .where('id', '<', values.before)
    .orderBy('id', 'desc')
    .limit(values.limit),
)

/** The same of one Agent. */
export const listJobsOfAgent = query((db, values: JobList & { agentId: string }) =>
  db
    .selectFrom('agent_jobs')
    .selectAll()
    .where('agent_id', '=', values.agentId)
    .where('environment_id', '=', values.environmentId)
    .where('organization_id', '=', values.organizationId)
    .where('id', '<', values.before)
    .orderBy('id', 'desc')
    .limit(values.limit),
)

/** With the last of its ticks. Nothing when it is gone already: `StaleWrite`. */
export const deleteJob = write(
  (db, values: JobKey) =>
    db
      .deleteFrom('agent_jobs')
      .where('id', '=', values.id)
      .where('environment_id', '=', values.environmentId)
      .where('project_id', '=', values.projectId)
      .where('organization_id', '=', values.organizationId),
  1,
)

/** Fails the unit of work with `StaleWrite` when the job is gone. */
export const assertJob = write(
  (db, values: { id: string }) =>
    db
      .updateTable('agent_jobs')
      .set((eb) => ({ updated_at: eb.ref('updated_at') }))
      .where('id', '=', values.id),
  1,
)

/** A run of the job that has not ended. */
export const findLiveRunOfJob = query((db, values: { jobId: string }) =>
  db.selectFrom('runs').select('id').where('agent_job_id', '=', values.jobId).where(isLive).limit(1),
)

const firingColumns = ['job_id', 'scheduled_for', 'fired_at', 'outcome', 'agent_run_id'] as const

/**
 * A tick whose run is stored with it: only while the job is dealing with it. `UniqueViolation` when it has been dealt
 * with, `StaleWrite` when the job has moved on or is gone.
 */
export const insertStart = write(
  (db, row: JobFiringRow) =>
    db
      .insertInto('job_firings')
      .columns(firingColumns)
      .expression(
        db
          .selectFrom('agent_jobs')
          .select(({ val }) => firingColumns.map((column) => val(row[column]).as(column)))
          .where('id', '=', row.job_id)
          .where('state', '=', 'firing'),
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
export const insertFiring = write((db, row: JobFiringRow) =>
  db
    .insertInto('job_firings')
    .values(row)
    .onConflict((conflict) => conflict.doNothing()),
)

export const findFiring = query((db, values: { jobId: string; scheduledFor: number }) =>
  db
    .selectFrom('job_firings')
    .selectAll()
    .where('job_id', '=', values.jobId)
    .where('scheduled_for', '=', values.scheduledFor),
)

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

interface AgentKey {
  organizationId: string
  agentId: string
}

/** Enabled jobs of an Agent, up to `limit`. */
export const listEnabledJobsOfAgent = query((db, values: AgentKey & { limit: number }) =>
  db
    .selectFrom('agent_jobs')
    .select('id')
    .where('agent_id', '=', values.agentId)
    .where('organization_id', '=', values.organizationId)
    .where('enabled', '=', 1)
    .orderBy('id')
    .limit(values.limit),
)

/** Fails the unit of work with `StaleWrite` when the Agent has an enabled job, or is not there. */
export const agentWithoutEnabledJobs = write(
  (db, values: AgentKey) =>
    db
      .updateTable('agents')
      .set((eb) => ({ updated_at: eb.ref('updated_at') }))
      .where('id', '=', values.agentId)
      .where('organization_id', '=', values.organizationId)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('agent_jobs')
              .select('agent_jobs.id')
              .where('agent_jobs.agent_id', '=', values.agentId)
              .where('enabled', '=', 1),
          ),
        ),
      ),
  1,
)
