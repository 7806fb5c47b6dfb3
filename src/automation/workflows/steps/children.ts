/**
 * Runs of workflows that are steps of others: each has its own run, on behalf of the same Agent and user and with the
 * same Deployment as the run above. Source: contract 14, "Workflows".
 */
import type { Cause } from '../../../../machines/words.ts'
import { type StepToBegin, unwanted } from '../../../../machines/workflow-run.ts'
import { findChildWorkflowRun, listChildWorkflowRuns } from '../../../../storage/automation/workflows.ts'
import { LimitReached } from '../../../../storage/bounds.ts'
import { UniqueViolation } from '../../../../storage/errors.ts'
import { newId } from '../../../../storage/ids.ts'
import type { Store } from '../../../../storage/store.ts'
import type { WorkflowRunRow } from '../../../../storage/tables.ts'
import type { BundledWorkflow } from '../../../delivery/deployments/bundles.ts'
import { ApiError, schemaRefusedAt } from '../../../platform/http/answers/errors.ts'
import { checkValue } from '../../../platform/json-schemas/checks.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { readStoredSpan, storedSpan } from '../../../platform/tracing/own-span.ts'
import { newSpanId } from '../../../platform/tracing/trace-context.ts'
import type { Actors } from '../../../runtime/actors.ts'
import type { By } from '../../../runtime/kind.ts'
import { isConcurrentChange } from '../../../runtime/refusals.ts'
import { contextOf, type WorkflowRunActor, workflowRunAddress } from '../actor.ts'
import { creationOf } from '../creation.ts'
import { report, reportStep } from '../reports.ts'
import { endingOf } from './ending.ts'

/** How many runs may be above one. */
const depthMax = 10
/** More than a run has, with the retries and resumes of its steps. */
const childrenMax = 10_000

const byOf = ({ id }: Pick<WorkflowRunRow, 'id'>): By => ({ type: 'workflow', id })

/** The latest child of each step that has one, by the step's id. */
export async function readChildren(store: Store, row: WorkflowRunRow): Promise<ReadonlyMap<string, string>> {
  if (contextOf(row).plan.every(({ workflow }) => workflow === undefined)) return new Map()
  const rows = await store.all(listChildWorkflowRuns(store, { parentRunId: row.id, limit: childrenMax }))
  return new Map(rows.map(({ id, parent_step_id: stepId }) => [stepId, id]))
}

export class WorkflowChildren {
  constructor(private readonly parts: { store: Store; clock: Pick<Clock, 'now'>; actors: Actors }) {}

  /** Starts the child of the attempt, or reports how the earlier one has ended. */
  async begin(parent: WorkflowRunRow, workflow: BundledWorkflow, params: unknown, step: StepToBegin): Promise<void> {
    const { actors } = this.parts
    if (await this.#found(parent, step)) return
    const cause = await refusalOf({ ...parent, depth: parent.depth + 1 }, workflow, params)
    if (cause) return report(actors, parent.id, { type: 'refused', ...step, cause })
    try {
      await this.#create(parent, workflow, params, step)
    } catch (error) {
      if (error instanceof UniqueViolation) return
      const of = { workflowRunId: parent.id, ...step }
      if (error instanceof LimitReached)
        return reportStep(actors, of, { state: 'failed', output: null, error: limited(error) })
      if (isConcurrentChange(error))
        return reportStep(actors, of, { state: 'rejected', output: null, error: notStarted })
      throw error
    }
    // the run above may have failed meanwhile
    const above = (await actors.read(workflowRunAddress(parent.id))) as WorkflowRunActor | undefined
    if (above) await this.cancel(above.row)
  }

  /** Cancels the children whose outcome the run no longer wants. */
  async cancel(parent: WorkflowRunRow): Promise<void> {
    const context = contextOf(parent)
    const steps = unwanted(context).filter(({ stepId }) => context.plan.find(({ id }) => id === stepId)?.workflow)
    for (const step of steps) {
      const child = await this.#find(parent, step)
      if (child) await report(this.parts.actors, child.id, { type: 'cancel' }, byOf(parent))
    }
  }

  /** Reports the end of a child to the run above it. */
  async tellParent(runId: string): Promise<void> {
    const child = (await this.parts.actors.read(workflowRunAddress(runId))) as WorkflowRunActor | undefined
    if (child) await this.#reportEnd(child)
  }

  async #found(parent: WorkflowRunRow, step: StepToBegin): Promise<boolean> {
    const known = await this.#find(parent, step)
    const child =
      known && ((await this.parts.actors.read(workflowRunAddress(known.id))) as WorkflowRunActor | undefined)
    if (child) await this.#reportEnd(child)
    return child !== undefined
  }

  #find({ id: parentRunId }: WorkflowRunRow, { stepId, attempt }: StepToBegin) {
    const { store } = this.parts
    const key = { parentRunId, parentStepId: stepId, parentAttempt: attempt }
    return store.first(findChildWorkflowRun(store, key))
  }

  async #reportEnd(child: WorkflowRunActor): Promise<void> {
    const { store, actors } = this.parts
    const { parent_run_id: workflowRunId, parent_step_id: stepId, parent_attempt: attempt } = child.row
    if (workflowRunId === null || stepId === null || attempt === null) return
    const ending = await endingOf(store, child)
    if (ending) await reportStep(actors, { workflowRunId, stepId, attempt }, ending)
  }

  async #create(parent: WorkflowRunRow, workflow: BundledWorkflow, params: unknown, step: StepToBegin) {
    const at = this.parts.clock.now()
    const by = byOf(parent)
    const span = readStoredSpan(parent.trace)?.context
    const chosen = {
      id: newId('wfr', at),
      organization_id: parent.organization_id,
      project_id: parent.project_id,
      environment_id: parent.environment_id,
      deployment_id: parent.deployment_id,
      agent_id: parent.agent_id,
      actor_user_id: parent.actor_user_id,
      trace: span ? storedSpan({ context: { ...span, spanId: newSpanId() }, parentSpanId: span.spanId }) : null,
      parent_run_id: parent.id,
      parent_step_id: step.stepId,
      parent_attempt: step.attempt,
      depth: parent.depth + 1,
    }
    const creation = creationOf(chosen, { workflow, params, by, at })
    await this.parts.actors.create(workflowRunAddress(chosen.id), creation, { by })
  }
}

const limited = ({ message }: LimitReached): Cause => ({ code: 'limit_exceeded', message })
const notStarted: Cause = { code: 'workflow_canceled', message: 'The run was canceled before this one started.' }

/** Why a workflow run cannot start with `depth` others above it, and never will. */
export async function refusalOf(
  { organization_id, depth }: Pick<WorkflowRunRow, 'organization_id' | 'depth'>,
  { name, source }: BundledWorkflow,
  params: unknown,
): Promise<Cause | null> {
  if (depth > depthMax) {
    return { code: 'workflow_too_deep', message: `Workflows can run each other at most ${depthMax} deep.` }
  }
  try {
    const checked = await checkValue(source.params, params, organization_id).catch(schemaRefusedAt('input'))
    if (checked.problem === null) return null
    return { code: 'invalid_params', message: `The input does not fit the params of ${name}: ${checked.problem}` }
  } catch (error) {
    if (error instanceof ApiError) return { code: error.code, message: error.message }
    throw error
  }
}
