/**
 * Handles ticks: the latest due tick starts a run, of the Agent or of the workflow, the earlier ones were missed.
 * Handling may be repeated after a crash, by any process: the run's id is derived from the tick, and the run commits
 * together with the tick's only record. Source: contract 6, Jobs.
 */
import type { AgentJobContext, Firing, FiringOutcome } from '../../../machines/agent-job.ts'
import type { Cause } from '../../../machines/words.ts'
import {
  assertNoLiveRun,
  findFiring,
  findFiringOfRun,
  findLiveRunOfJob,
  findLiveWorkflowRunOfJob,
  insertFiring,
  insertStart,
  pruneFirings,
} from '../../../storage/automation/agent-job-firings.ts'
import { getJob } from '../../../storage/automation/agent-jobs.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { AgentJobRow, JobFiringRow } from '../../../storage/tables.ts'
import { recordEvent } from '../../events/history/record.ts'
import { ApiError, type Issue } from '../../platform/http/answers/errors.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { hourMs } from '../../platform/time/durations.ts'
import type { RunStarts } from '../../runs/admission/start.ts'
import type { Actors } from '../../runtime/actors.ts'
import { system } from '../../runtime/kind.ts'
import { isOver } from '../../runtime/refusals.ts'
import type { WorkflowStarts } from '../workflows/start.ts'
import { type JobEffects, jobAddress, jobKind } from './actor.ts'
import { runIdsOf } from './run-id.ts'
import { lastTicks, nextTick } from './schedule.ts'
import { startOf } from './start.ts'

export interface JobWorkParts {
  store: Store
  clock: Pick<Clock, 'now'>
  actors: Actors
  starts: Pick<RunStarts, 'startForServer'>
  workflowStarts: Pick<WorkflowStarts, 'startForServer'>
}

/** How many ticks a job shows. */
export const firingsMax = 20
/** Older ticks are not run. */
const catchUpMs = hourMs

const missed: Cause = { code: 'missed', message: 'The server could not run it within an hour.' }

/** The run of a tick, of an Agent or of a workflow. */
interface StartedRun {
  agentRunId: string | null
  workflowRunId: string | null
}
const noRun: StartedRun = { agentRunId: null, workflowRunId: null }

/** The outcome of one tick. */
interface Settled extends StartedRun {
  scheduledFor: number
  outcome: FiringOutcome
  cause: Cause | null
}

export class JobWork implements JobEffects {
  /** The definition for the actor runtime. */
  readonly kind = jobKind(this)

  constructor(private readonly parts: JobWorkParts) {}

  /** Throws temporary errors (an unavailable store, limits), after which it is called again. */
  async fire(id: string): Promise<void> {
    const actor = await this.parts.actors.read<AgentJobRow, AgentJobContext>(jobAddress(id))
    const firing = actor?.context.firing
    if (!actor || !firing) return
    const { row } = actor
    const found = lastTicks(row, firing.scheduledFor, firing.at, firingsMax)
    const ticks = found.length > 0 ? found : [firing.scheduledFor]
    const settled = await this.#settle(row, firing, ticks.at(-1) as number)
    if (settled) await this.#report(row, firing, ticks, settled)
  }

  /** Undefined if the job is gone. */
  async #settle(row: AgentJobRow, firing: Firing, scheduledFor: number): Promise<Settled | undefined> {
    const { store, clock } = this.parts
    const { id: jobId } = row
    const ids = runIdsOf(jobId, firing)
    // handled before: the schedule may have changed since, and this tick still has its run
    const begun = await store.first<JobFiringRow>(findFiringOfRun(store, { jobId, ...ids }))
    const known = begun ?? (await store.first<JobFiringRow>(findFiring(store, { jobId, scheduledFor })))
    if (known) return settledBefore(known)

    const unrun = (outcome: FiringOutcome, cause: Cause | null): Settled => ({
      scheduledFor,
      outcome,
      ...noRun,
      cause,
    })
    if (clock.now() - scheduledFor > catchUpMs) return unrun('missed', missed)
    const overlapping = async () =>
      row.overlap === 'skip' &&
      ((await store.first(findLiveRunOfJob(store, { jobId }))) ??
        (await store.first(findLiveWorkflowRunOfJob(store, { jobId })))) !== undefined
    if (await overlapping()) return unrun('skipped_overlap', null)
    try {
      const started = await this.#start(row, firing, scheduledFor, ids)
      return { scheduledFor, outcome: 'started', ...started, cause: null }
    } catch (error) {
      const started = await store.first<JobFiringRow>(findFiring(store, { jobId, scheduledFor }))
      if (started) return settledBefore(started)
      if (!(await store.first(getJob(store, { id: jobId })))) return undefined
      if (await overlapping()) return unrun('skipped_overlap', null)
      if (!isFinal(error)) throw error
      return unrun('failed', causeOf(error))
    }
  }

  async #start(
    row: AgentJobRow,
    firing: Firing,
    scheduledFor: number,
    ids: { agentRunId: string; workflowRunId: string },
  ): Promise<StartedRun> {
    const { store, starts, workflowStarts } = this.parts
    const { id: jobId } = row
    const isOfWorkflow = row.workflow !== null
    const [agentRunId, workflowRunId] = isOfWorkflow ? [null, ids.workflowRunId] : [ids.agentRunId, null]
    const runId = isOfWorkflow ? ids.workflowRunId : ids.agentRunId
    const started: JobFiringRow = {
      job_id: jobId,
      scheduled_for: scheduledFor,
      fired_at: firing.at,
      outcome: 'started',
      agent_run_id: agentRunId,
      workflow_run_id: workflowRunId,
    }
    await startOf({ runs: { starts }, workflowStarts }, row, {
      by: { type: 'agentJob', id: jobId },
      ids,
      record: () => [
        insertStart(store, { ...started, firing: JSON.stringify(firing) }),
        ...(row.overlap === 'skip' ? [assertNoLiveRun(store, { jobId, runId })] : []),
      ],
    })
    return { agentRunId, workflowRunId }
  }

  async #report(row: AgentJobRow, firing: Firing, ticks: readonly number[], settled: Settled): Promise<void> {
    const { store } = this.parts
    const { id: jobId } = row
    const { scheduledFor, outcome, agentRunId, workflowRunId, cause } = settled
    const run = { agentRunId, workflowRunId }
    const lastTickAt = Math.max(scheduledFor, ...ticks)
    const firingOf = (tick: number): JobFiringRow => ({
      job_id: jobId,
      scheduled_for: tick,
      fired_at: firing.at,
      outcome: tick === scheduledFor ? outcome : 'missed',
      agent_run_id: tick === scheduledFor ? agentRunId : null,
      workflow_run_id: tick === scheduledFor ? workflowRunId : null,
    })
    const nextRunAt = nextTick(row, Math.max(firing.at, lastTickAt))
    try {
      await this.parts.actors.send(
        jobAddress(jobId),
        { type: 'fired', scheduledFor: firing.scheduledFor, lastTickAt, outcome, ...run, nextRunAt, cause },
        {
          writes: () => [
            ...[...new Set([...ticks, scheduledFor])].map((tick) => insertFiring(store, firingOf(tick))),
            pruneFirings(store, { jobId, skip: firingsMax - 1 }),
            ...(outcome === 'missed' || ticks.length > 1 ? recordMissed(store, row, firingOf, ticks) : []),
            ...(outcome === 'failed' && cause ? recordFailed(store, row, firingOf(scheduledFor), cause) : []),
          ],
        },
      )
    } catch (error) {
      // reported by another process, or obsolete
      if (!isOver(error)) throw error
    }
  }
}

/** One event for all ticks without a run: the latest of them and their number. */
function recordMissed(
  store: Store,
  row: AgentJobRow,
  firingOf: (tick: number) => JobFiringRow,
  ticks: readonly number[],
): Write[] {
  const firings = ticks.map(firingOf).filter(({ outcome }) => outcome === 'missed')
  const last = firings.at(-1)
  if (!last) return []
  return recordTick(store, row, 'job.missed', last, { missed: firings.length })
}

/** Without the message, which may quote the workflow's params. */
const recordFailed = (store: Store, row: AgentJobRow, firing: JobFiringRow, { code }: Cause): Write[] =>
  recordTick(store, row, 'job.failed', firing, { code })

const recordTick = (
  store: Store,
  row: AgentJobRow,
  type: 'job.failed' | 'job.missed',
  { scheduled_for, fired_at }: JobFiringRow,
  more: object,
): Write[] =>
  recordEvent(store, {
    organizationId: row.organization_id,
    projectId: row.project_id,
    environmentId: row.environment_id,
    type,
    subject: { type: 'agentJob', id: row.id },
    actor: system,
    data: { agentJobId: row.id, agentId: row.agent_id, scheduledFor: timestamp(scheduled_for), ...more },
    at: fired_at,
  })

const settledBefore = ({ scheduled_for, outcome, agent_run_id, workflow_run_id }: JobFiringRow): Settled => ({
  scheduledFor: scheduled_for,
  outcome,
  agentRunId: agent_run_id,
  workflowRunId: workflow_run_id,
  cause: null,
})

/** With the first fault of the start that failed. */
function causeOf({ code, message, details }: ApiError): Cause {
  const [issue] = (details?.issues ?? []) as Issue[]
  return { code, message: issue ? `${message} ${issue.path}: ${issue.message}` : message }
}

/** Whether a retry would fail the same way. */
const isFinal = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status < 500 && error.status !== 429 && error.code !== 'concurrent_change'
