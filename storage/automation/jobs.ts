/** Agent jobs; what came of their ticks is in `job-firings.ts`. Source: requirement 4.9; contract 6. */
import { livingAgentInEnvironment } from '../living.ts'
import { listByName, type Named, query, write } from '../statement.ts'
import type { Store } from '../store.ts'
import type { AgentJobRow } from '../tables.ts'

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
        livingAgentInEnvironment(db, row)
          .select(({ val }) => columns.map((column) => val(row[column]).as(column)))
          .where('projects.id', '=', row.project_id)
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

const update = (db: Store['db'], row: JobUpdate) =>
  db
    .updateTable('agent_jobs')
    .set({
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
    .where('id', '=', row.id)
    .where('version', '=', row.from)

export const updateJob = write(update, 1)

/** The same for a job that is enabled by it: only while its Agent is not being deleted, which an enabled job forbids. */
export const enableJob = write(
  (db, row: JobUpdate) =>
    update(db, row).where(({ exists, selectFrom }) =>
      exists(
        selectFrom('agents').select('agents.id').where('agents.id', '=', row.agent_id).where('status', '=', 'active'),
      ),
    ),
  1,
)

/** Enabled jobs that have a tick planned, in the order of their ids. */
export const listPlannedJobs = query((db, values: { after: string; limit: number }) =>
  db
    .selectFrom('agent_jobs')
    .select(['id', 'cron', 'timezone', 'next_run_at'])
    .where('id', '>', values.after)
    .where('enabled', '=', 1)
    .where('next_run_at', 'is not', null)
    .orderBy('id')
    .limit(values.limit)
    .$narrowType<{ next_run_at: number }>(),
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

interface JobList extends Named {
  organizationId: string
  environmentId: string
  /** Beyond the first one to show. */
  before: string
  limit: number
}

/** Newest first, from below this id. */
export const listJobs = listByName((db, values: JobList, isNamed) =>
  db
    .selectFrom('agent_jobs')
    .selectAll()
    .where('environment_id', '=', values.environmentId)
    .where('organization_id', '=', values.organizationId)
    .where('id', '<', values.before)
    .$if(isNamed, (list) => list.where('name', '=', values.named as string))
    .orderBy('id', 'desc')
    .limit(values.limit),
)

/** The same of one Agent. */
export const listJobsOfAgent = listByName((db, values: JobList & { agentId: string }, isNamed) =>
  db
    .selectFrom('agent_jobs')
    .selectAll()
    .where('agent_id', '=', values.agentId)
    .where('environment_id', '=', values.environmentId)
    .where('organization_id', '=', values.organizationId)
    .where('id', '<', values.before)
    .$if(isNamed, (list) => list.where('name', '=', values.named as string))
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
