/** Agent jobs; `agent-job-firings.ts` has the outcomes of their ticks. Source: requirement 4.9; contract 6. */
import { activeAgentInEnvironment } from '../active-parents.ts'
import { insertFrom, rowsOf } from '../rows.ts'
import { listByName, type Named, query, write } from '../statement.ts'
import type { AgentJobRow } from '../tables.ts'

const agentJobs = rowsOf('agent_jobs', 'id')

/** The path of a job. */
export interface JobKey {
  organizationId: string
  projectId: string
  environmentId: string
  id: string
}

/** `StaleWrite` if the Environment or Agent is being deleted, or the Environment has `jobsMax` jobs. */
export const insertJob = write(
  (db, { jobsMax, ...row }: AgentJobRow & { jobsMax: number }) =>
    insertFrom(
      db,
      'agent_jobs',
      row,
      activeAgentInEnvironment(db, row)
        .where('projects.id', '=', row.project_id)
        .where(agentJobs.fewerThan(jobsMax, 'environment_id', row.environment_id)),
    ),
  1,
)

/** Number of jobs in the Environment. */
export const countJobs = agentJobs.count('environment_id')

const whatChanges = [
  'name',
  'cron',
  'timezone',
  'query',
  'workflow',
  'params',
  'overlap',
  'enabled',
  'next_run_at',
] as const

export const updateJob = agentJobs.move(...whatChanges)

/**
 * The same for an update that enables the job. `StaleWrite` also if its Agent is being deleted, because an Agent with
 * an enabled job cannot be deleted.
 */
export const enableJob = agentJobs
  .where(({ exists, selectFrom }) =>
    exists(
      selectFrom('agents')
        .select('agents.id')
        .whereRef('agents.id', '=', 'agent_jobs.agent_id')
        .where('agents.status', '=', 'active'),
    ),
  )
  .move(...whatChanges)

/** Enabled jobs with a planned tick, by id. */
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

/** Any job, for the runtime; requests also filter by organization. */
export const getJob = agentJobs.find()

/** The job at this path; undefined if it does not exist or belongs elsewhere. */
export const findJob = agentJobs.find('id', 'environment_id', 'project_id', 'organization_id')

/** The Project, Environment and Agent of a job in the organization. */
export const findPlaceOfJob = agentJobs.only('project_id', 'environment_id', 'agent_id').find('id', 'organization_id')

interface JobList extends Named {
  organizationId: string
  environmentId: string
  /** The last id of the previous page. */
  before: string
  limit: number
}

/** Newest first, ids below `before`. */
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

/** The same, for one Agent. */
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

/** Deletes a job with its ticks. `StaleWrite` if it was deleted already. */
export const deleteJob = agentJobs.removeOne('id', 'environment_id', 'project_id', 'organization_id')

/** Fails the unit of work with `StaleWrite` if the job was deleted. */
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

/** Fails the unit of work with `StaleWrite` if the Agent has an enabled job or does not exist. */
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
