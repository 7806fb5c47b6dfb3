/** Workflow runs in the API. Their lifecycle is in `workflow-work.ts`. Source: requirement 4.4; contract 6. */
import { type PlannedStep, type WorkflowRunContext, workflowBytesMax } from '../../../machines/workflow-run.ts'
import { findInvocationOfStep } from '../../../storage/automation/invocations.ts'
import { listWorkflowRuns } from '../../../storage/automation/workflows.ts'
import type { Store } from '../../../storage/store.ts'
import type { WorkflowRunRow } from '../../../storage/tables.ts'
import type { Bundles } from '../../delivery/deployments/bundles.ts'
import { deletionInProgress, invalid, orNotFound, projectPaused } from '../../platform/http/answers/errors.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import { inScope } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { belowId, type PageRequest, readLargePage } from '../../platform/http/pagination.ts'
import { assertMatches } from '../../platform/http/validation/values.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { isPaused } from '../../runs/admission/place.ts'
import type { Actors } from '../../runtime/actors.ts'
import { readJournal } from '../../runtime/journal.ts'
import { isConcurrentChange, isOver } from '../../runtime/refusals.ts'
import { invocationAddress } from '../operations/invocations/actor.ts'
import { WorkflowAccess } from './access.ts'
import { contextOf, type WorkflowRunCommand, workflowRunAddress } from './actor.ts'
import { explained, isRefused, whyNotResolved, whyNotResumed } from './conflicts.ts'
import {
  presentSummary,
  presentWorkflowRun,
  type UnknownResolution,
  type WorkflowRun,
  type WorkflowRunListQuery,
  type WorkflowRunPath,
  type WorkflowsPath,
} from './schema.ts'
import { readChildren } from './steps/children.ts'
import { bytesOf, readValues } from './values.ts'
import type { WorkflowWork } from './workflow-work.ts'

export interface WorkflowParts {
  store: Store
  clock: Clock
  actors: Actors
  cursors: Cursors
  bundles: Pick<Bundles, 'find'>
  workflowWork: WorkflowWork
}

/** A command to a run, without the fields that the runtime adds. */
type CommandInput = Omit<Extract<WorkflowRunCommand, { type: 'cancel' | 'resume' | 'resolveUnknown' }>, 'at' | 'chance'>

const outputPath = '/body/outcome/output'

type Outcome = Extract<WorkflowRunCommand, { type: 'resolveUnknown' }>['outcome']

export class Workflows {
  readonly #access: WorkflowAccess

  constructor(private readonly parts: WorkflowParts) {
    this.#access = new WorkflowAccess(parts.store)
  }

  /** Newest first; a key bound to an Agent gets that Agent's runs. Throws `invalid_cursor` (422), `invalid_subject`. */
  async list(caller: Caller, { projectId, environmentId }: WorkflowsPath, query: WorkflowRunListQuery) {
    const { store, cursors } = this.parts
    const { organizationId, scope } = caller
    const { state, agentId, agentJobId, parentWorkflowRunId, actorUserId, ...request } = query
    await this.#access.assertActor(caller, projectId, actorUserId)
    const isOutOfScope = agentId !== undefined && !inScope(caller, { projectId, environmentId, agentId })
    const filters = {
      environmentId,
      state,
      agentId: agentId ?? scope.agentId ?? undefined,
      agentJobId,
      parentWorkflowRunId,
      actorUserId,
    }
    const read = (before: string, limit: number) =>
      store.all<WorkflowRunRow>(
        listWorkflowRuns(store, {
          organizationId,
          environmentId,
          state: state ?? null,
          agentId: filters.agentId ?? null,
          agentJobId: agentJobId ?? null,
          withoutChildren: parentWorkflowRunId === 'none' ? true : null,
          actorUserId: actorUserId ?? null,
          before,
          limit,
        }),
      )
    return readLargePage(
      { cursors, scope: { list: 'workflow-runs', organizationId, filters } },
      request,
      async (last, limit) => (isOutOfScope ? [] : read(belowId(last), limit)),
      ({ id }) => [id],
      (row) => presentSummary(row),
    )
  }

  /** Throws `notFound`, `invalid_subject`. */
  async get(caller: Caller, path: WorkflowRunPath, actorUserId?: string): Promise<WorkflowRun> {
    return this.#present(await this.#access.find(caller, path, actorUserId))
  }

  /** Whether the caller may address the run, for any user. Throws `notFound`. */
  assertThere(caller: Caller, path: WorkflowRunPath): Promise<void> {
    return this.#access.assertThere(caller, path)
  }

  /** The journal, ascending. Throws `notFound`, `invalid_cursor` (422), `invalid_subject`. */
  async transitions(caller: Caller, path: WorkflowRunPath, request: PageRequest & { actorUserId?: string }) {
    const { id } = await this.#access.find(caller, path, request.actorUserId)
    return readJournal(this.parts, caller.organizationId, workflowRunAddress(id), request)
  }

  /** Starts nothing more and withdraws approvals. A run that has ended does not change. Throws `notFound`. */
  async cancel(
    caller: Caller,
    path: WorkflowRunPath,
    actorUserId: string | undefined,
    record: RequestRecord,
  ): Promise<WorkflowRun> {
    const { id } = await this.#access.find(caller, path, actorUserId)
    const row = await this.#send(caller, id, { type: 'cancel' }, record)
    if (contextOf(row).endedAt !== null) return this.#present(row)
    // the statechart withdraws them too; done here so that they are canceled when the answer is sent
    await this.parts.workflowWork.withdrawApprovals(id)
    return this.get(caller, path, actorUserId)
  }

  /**
   * Sets the outcome of an unknown step, and of its invocation. Throws `notFound`, 422 for a step that the workflow does
   * not have or an output that its operation cannot have, a conflict for a step that is not unknown; and as `resume` does
   * for a failed run that goes on.
   */
  async resolveUnknown(
    caller: Caller,
    path: WorkflowRunPath,
    { stepId, outcome }: UnknownResolution,
    actorUserId: string | undefined,
    record: RequestRecord,
  ): Promise<WorkflowRun> {
    const found = await this.#access.find(caller, path, actorUserId)
    const { id } = found
    const { plan, steps, bytes: used } = await this.#contextOf(id)
    const place = plan.findIndex((step) => step.id === stepId)
    if (place === -1) throw invalid([{ path: '/body/stepId', message: 'The workflow has no such step.' }])
    const output = typeof outcome === 'string' ? null : outcome.output
    const bytes = bytesOf(output)
    if (used + bytes > workflowBytesMax) {
      const message = 'The params and outputs of a run may have at most 1 MiB in total.'
      throw invalid([{ path: outputPath, message }])
    }
    if (typeof outcome !== 'string') await this.#assertOutput(found, plan[place]!, output)
    const { store } = this.parts
    const attempt = steps[place]!.attempts
    const call = await store.first(findInvocationOfStep(store, { workflowRunId: id, stepId, attempt }))
    const status = typeof outcome === 'string' ? outcome : outcome.status
    const event = { type: 'resolveUnknown' as const, stepId, attempt, outcome: status, output, bytes }
    const why = (context: WorkflowRunContext) => whyNotResolved(context, { stepId, attempt }, call?.id)
    const row = await this.#send(caller, id, event, record).catch(this.#explaining(found, why))
    if (call) await this.#resolveCall(caller, call.id, status)
    return this.#present(row)
  }

  /**
   * Continues with the first steps that have not succeeded. Throws `notFound`, a conflict, and for a failed run what a
   * start throws: `project_paused`, `limit_exceeded`, and `deletionInProgress` for its Agent, which it did not keep.
   */
  async resume(
    caller: Caller,
    path: WorkflowRunPath,
    actorUserId: string | undefined,
    record: RequestRecord,
  ): Promise<WorkflowRun> {
    const found = await this.#access.find(caller, path, actorUserId)
    const row = await this.#send(caller, found.id, { type: 'resume' }, record).catch(
      this.#explaining(found, whyNotResumed),
    )
    return this.#present(row)
  }

  /** Throws the error: a conflict with this explanation, and for a failed run that would go on as a start does. */
  #explaining(row: WorkflowRunRow, why: (context: WorkflowRunContext) => string | undefined) {
    const { id, organization_id: organizationId, agent_id: agentId } = row
    const place = { organizationId, projectId: row.project_id, environmentId: row.environment_id, agentId }
    return async (error: unknown): Promise<never> => {
      if (isRefused(error)) throw explained(error, why(await this.#contextOf(id)))
      if (isConcurrentChange(error) && (await isPaused(this.parts.store, place, deletionInProgress)))
        throw projectPaused()
      throw error
    }
  }

  /** The invocation of a resolved step. After a crash before this, a user can resolve it. */
  async #resolveCall({ principal: by }: Caller, id: string, outcome: Outcome): Promise<void> {
    const resolution = outcome === 'retry' ? { outcome: 'failed', note: 'its step is run again.' } : { outcome }
    try {
      await this.parts.actors.send(invocationAddress(id), { type: 'resolve', ...resolution }, { by })
    } catch (error) {
      if (!isOver(error)) throw error
    }
  }

  /** Throws 422 for an output that the operation of the step cannot have. */
  async #assertOutput({ deployment_id, organization_id }: WorkflowRunRow, { operation }: PlannedStep, value: unknown) {
    if (operation === null) return
    const bundle = await this.parts.bundles.find(deployment_id)
    const schema = bundle?.operation(operation)?.outputSchema
    if (schema) await assertMatches({ schema, value, organizationId: organization_id, at: outputPath })
  }

  async #contextOf(id: string): Promise<WorkflowRunContext> {
    return orNotFound(await this.parts.actors.read<WorkflowRunRow, WorkflowRunContext>(workflowRunAddress(id))).context
  }

  async #send(
    { principal: by }: Caller,
    id: string,
    event: CommandInput,
    record: RequestRecord,
  ): Promise<WorkflowRunRow> {
    const writes = () => record({ data: { id } })
    const { actor } = await this.parts.actors.send<WorkflowRunRow>(workflowRunAddress(id), event, { by, writes })
    return actor.row
  }

  async #present(row: WorkflowRunRow): Promise<WorkflowRun> {
    const { store } = this.parts
    return presentWorkflowRun(row, await readValues(store, row.id), await readChildren(store, row))
  }
}
