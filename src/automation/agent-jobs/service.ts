/** Creates, changes, deletes and runs agent jobs. Source: requirement 4.9, 5; contract 6, Jobs. */
import type { AgentJobContext } from '../../../machines/agent-job.ts'
import { forgetLaterFirings, listFirings } from '../../../storage/automation/agent-job-firings.ts'
import {
  assertJob,
  countJobs,
  deleteJob,
  findJob,
  type JobKey,
  listJobs,
  listJobsOfAgent,
} from '../../../storage/automation/agent-jobs.ts'
import { StaleWrite } from '../../../storage/errors.ts'
import { newId } from '../../../storage/ids.ts'
import { removeActor } from '../../../storage/runtime/deletion-step.ts'
import type { Store } from '../../../storage/store.ts'
import type { AgentJobRow, JobFiringRow } from '../../../storage/tables.ts'
import { findAgentStatus } from '../../../storage/tenancy/tree.ts'
import type { Bundles } from '../../delivery/deployments/bundles.ts'
import { ApiError, limitExceeded, notFound, orNotFound } from '../../platform/http/answers/errors.ts'
import { noSuch } from '../../platform/http/answers/references.ts'
import { commitOr } from '../../platform/http/changes/commit.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import { retryOnConflict } from '../../platform/http/changes/retry-on-conflict.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import { inScope, isWithinScope } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Permission } from '../../platform/http/guard/permissions.ts'
import { belowId, type PageRequestByName, readLargePage } from '../../platform/http/pagination.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { RunStarts } from '../../runs/admission/start.ts'
import type { PresentedRun } from '../../runs/present.ts'
import type { Actors } from '../../runtime/actors.ts'
import type { WorkflowRun } from '../workflows/schema.ts'
import type { WorkflowStarts } from '../workflows/start.ts'
import { type JobActor, type JobCommand, type JobSeed, jobAddress, jobsMax } from './actor.ts'
import { assertSound, newFields, replaced } from './fields.ts'
import { JobWorkflows } from './job-workflows.ts'
import { planned } from './plan.ts'
import { nextTick } from './schedule.ts'
import { type AgentJob, type JobChanges, type NewJob, presentJob } from './schema.ts'
import { startOf } from './start.ts'
import { firingsMax } from './ticks.ts'

export interface JobParts {
  store: Store
  clock: Pick<Clock, 'now'>
  cursors: Cursors
  actors: Actors
  runs: { starts: Pick<RunStarts, 'startForServer'> }
  bundles: Bundles
  workflowStarts: Pick<WorkflowStarts, 'startForServer'>
}

interface JobsPlace {
  projectId: string
  environmentId: string
}
interface JobPlace extends JobsPlace {
  jobId: string
}

/** How a job is written. */
interface Writing {
  /** Its params are checked at its ticks only: what is active now is about to be replaced. */
  paramsLater?: boolean
}

export class Jobs {
  readonly #workflows: JobWorkflows

  constructor(private readonly parts: JobParts) {
    this.#workflows = new JobWorkflows(parts)
  }

  /** Newest first; a key that is bound to an Agent gets the jobs of that Agent. Throws `invalid_cursor` (422). */
  list({ organizationId, scope }: Caller, { environmentId }: JobsPlace, { name, ...request }: PageRequestByName) {
    const { store, cursors, clock } = this.parts
    const { agentId } = scope
    const filters = { environmentId, name, ...(agentId !== null && { agentId }) }
    return readLargePage(
      { cursors, scope: { list: 'agent-jobs', organizationId, filters } },
      request,
      async (last, limit) => {
        const asked = { organizationId, environmentId, named: name ?? null, before: belowId(last), limit }
        const rows = await store.all<AgentJobRow>(
          agentId === null ? listJobs(store, asked) : listJobsOfAgent(store, { ...asked, agentId }),
        )
        return Promise.all(rows.map(async (row) => ({ row, firings: await this.#firings(row.id) })))
      },
      ({ row }) => [row.id],
      ({ row, firings }) => presentJob(row, firings, clock.now()),
    )
  }

  /** Throws `notFound`. */
  async get(caller: Caller, place: JobPlace): Promise<AgentJob> {
    const row = await this.find(caller, place, 'agent-jobs:get')
    return presentJob(row, await this.#firings(row.id), this.parts.clock.now())
  }

  /** Throws `validation_failed`, `limit_exceeded` (422), `noSuch` for an unknown Agent or workflow. */
  async create(
    caller: Caller,
    place: JobsPlace,
    body: NewJob,
    record: RequestRecord,
    { paramsLater = false }: Writing = {},
  ): Promise<AgentJob> {
    const { store, clock, actors } = this.parts
    const { organizationId } = caller
    const { projectId, environmentId } = place
    const { agentId, enabled = true } = body
    const isReached = inScope(caller, { projectId, environmentId, agentId })
    const agent = isReached ? await store.first(findAgentStatus(store, { projectId, id: agentId })) : undefined
    if (agent?.status !== 'active') throw noSuch('Agent in this Project', '/body/agentId')
    const given = newFields(body)
    assertSound(given)
    const fields = await this.#workflows.resolved({ organizationId, ...place }, given, paramsLater)
    await this.#assertRoom(environmentId)

    const now = clock.now()
    const seed: JobSeed = {
      id: newId('job', now),
      organization_id: organizationId,
      project_id: projectId,
      environment_id: environmentId,
      agent_id: agentId,
      ...fields,
    }
    let data: AgentJob | undefined
    const by = caller.principal
    const last = {
      by,
      writes: ({ actor }: { actor: { row: AgentJobRow } }) => {
        data = presentJob(actor.row, [], now)
        return record({ data })
      },
    }
    const address = jobAddress(seed.id)
    const creation = { input: {}, seed, named: 'create' }
    // both commands of the same turn become one unit of work
    const asked = enabled
      ? [
          actors.create<AgentJobRow>(address, creation, { by }),
          actors.send<AgentJobRow>(
            address,
            { type: 'change', seen: 0, enabled, nextRunAt: nextTick(fields, now) } satisfies Unstamped,
            last,
          ),
        ]
      : [actors.create<AgentJobRow>(address, creation, last)]
    const refused = (await Promise.allSettled(asked)).find((answer) => answer.status === 'rejected')
    if (refused) throw await this.#whyNot(refused.reason, environmentId)
    return data as AgentJob
  }

  /**
   * Changes the given fields; the next tick is counted from now. Throws `validation_failed` (422), `notFound`, `noSuch`
   * for an unknown workflow.
   */
  async change(
    caller: Caller,
    place: JobPlace,
    changes: JobChanges,
    record: RequestRecord,
    writing: Writing = {},
  ): Promise<AgentJob> {
    const { store } = this.parts
    if (Object.keys(changes).length > 0)
      return retryOnConflict(() => this.#change(caller, place, changes, record, writing))
    const data = await this.get(caller, place)
    await store.commit(record({ data }))
    return data
  }

  /** A running run continues. Throws `notFound`. */
  async remove(caller: Caller, place: JobPlace, record: RequestRecord): Promise<void> {
    const { store, actors } = this.parts
    const { id } = await this.find(caller, place, 'agent-jobs:delete')
    await commitOr(store, { stale: notFound }, [
      deleteJob(store, keyOf(caller, place)),
      ...removeActor(store, jobAddress(id)),
      ...record(undefined),
    ])
    actors.forget(jobAddress(id))
  }

  /** Starts a run now, regardless of schedule and other runs. Throws the errors of a start, `notFound`. */
  async runNow(caller: Caller, place: JobPlace, record: RequestRecord): Promise<PresentedRun | WorkflowRun> {
    const { store } = this.parts
    const row = await this.find(caller, place, 'agent-jobs:run-now')
    const there = assertJob(store, { id: row.id })
    const resource = row.workflow === null ? {} : { resource: 'workflowRun' }
    try {
      return await startOf(this.parts, row, {
        by: caller.principal,
        record: (answer) => [there, ...record({ ...(answer as object), ...resource })],
      })
    } catch (error) {
      if (isConflict(error)) await this.find(caller, place, 'agent-jobs:run-now')
      throw error
    }
  }

  /** One attempt. Throws `StaleWrite` if the job was changed since it was read. */
  async #change(
    caller: Caller,
    place: JobPlace,
    changes: JobChanges,
    record: RequestRecord,
    { paramsLater = false }: Writing,
  ): Promise<AgentJob> {
    const { store, clock, actors } = this.parts
    const { row, context } = await this.#actor(caller, place)
    const given = replaced(row, changes)
    assertSound(given)
    const isOther = changes.workflow !== undefined || changes.params !== undefined
    const at = { organizationId: caller.organizationId, projectId: row.project_id, environmentId: row.environment_id }
    const fields = isOther ? await this.#workflows.resolved(at, given, paramsLater) : given
    const enabled = changes.enabled ?? context.enabled
    const isWritten = changes.schedule !== undefined || changes.enabled !== undefined
    const isPlanned = enabled && isWritten
    const nextRunAt = isPlanned ? planned({ context }, fields, clock.now()) : enabled ? context.nextRunAt : null
    const firings = await this.#firings(row.id)
    const before = presentJob(row, firings, clock.now())
    const event: Unstamped = { type: 'change', seen: context.changes, enabled, nextRunAt, fields }
    let data: AgentJob | undefined
    try {
      await actors.send<AgentJobRow>(jobAddress(row.id), event, {
        by: caller.principal,
        writes: ({ actor }) => {
          data = presentJob(actor.row, firings, clock.now())
          return [
            ...(nextRunAt !== null && isPlanned ? [forgetLaterFirings(store, { jobId: row.id, from: nextRunAt })] : []),
            ...record({ data }, before),
          ]
        },
      })
    } catch (error) {
      if (!isConflict(error)) throw error
      const agent = await store.first(findAgentStatus(store, { projectId: row.project_id, id: row.agent_id }))
      if (agent?.status !== 'active') throw notFound()
      throw new StaleWrite('The job has changed since it was read.')
    }
    return data as AgentJob
  }

  #firings(jobId: string): Promise<JobFiringRow[]> {
    const { store } = this.parts
    return store.all<JobFiringRow>(listFirings(store, { jobId, limit: firingsMax }))
  }

  /** The job's row. Throws `notFound` if it does not exist or the caller lacks the permission. */
  async find(caller: Caller, place: JobPlace, permission: Permission): Promise<AgentJobRow> {
    const { store } = this.parts
    const row = await store.first<AgentJobRow>(findJob(store, keyOf(caller, place)))
    const at = row && { projectId: row.project_id, environmentId: row.environment_id, agentId: row.agent_id }
    if (!at || !isWithinScope(caller, permission, at)) throw notFound()
    return row
  }

  async #actor(caller: Caller, place: JobPlace): Promise<JobActor> {
    const { id } = await this.find(caller, place, 'agent-jobs:update')
    return orNotFound(await this.parts.actors.read<AgentJobRow, AgentJobContext>(jobAddress(id)))
  }

  async #assertRoom(environmentId: string): Promise<void> {
    const { store } = this.parts
    const counted = await store.first(countJobs(store, { environmentId }))
    if ((counted?.count ?? 0) < jobsMax) return
    throw limitExceeded(`An Environment has at most ${jobsMax} agent jobs; delete one first.`)
  }

  /** Why a new job was not stored: the limit was reached, or the Environment or Agent was deleted since it was read. */
  async #whyNot(error: unknown, environmentId: string): Promise<unknown> {
    if (!isConflict(error)) return error
    return this.#assertRoom(environmentId).then(notFound, (full: unknown) => full)
  }
}

type Unstamped = JobCommand extends infer Event
  ? Event extends JobCommand
    ? Omit<Event, 'at' | 'chance'>
    : never
  : never

const keyOf = ({ organizationId }: Caller, { projectId, environmentId, jobId }: JobPlace): JobKey => ({
  organizationId,
  projectId,
  environmentId,
  id: jobId,
})

/** Whether another writer was first. */
const isConflict = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 'concurrent_change' || error.code === 'invalid_transition')
