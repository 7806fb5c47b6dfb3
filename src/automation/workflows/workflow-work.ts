/**
 * The background work of workflow runs: starts invocations for steps and reports their outcomes to the run. Source:
 * contract 6.
 */
import type { Cause } from '../../../machines/words.ts'
import {
  compensatedBy,
  readElement,
  type StepToBegin,
  unwanted,
  workflowBytesMax,
  workflowElementsMax,
} from '../../../machines/workflow-run.ts'
import { DamagedRecord } from '../../../storage/errors.ts'
import type { Store } from '../../../storage/store.ts'
import type { WorkflowStep } from '../../authoring/definitions/source.ts'
import type { Bundles } from '../../delivery/deployments/bundles.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { fewAtOnce } from '../../platform/time/few-at-once.ts'
import { readStoredSpan } from '../../platform/tracing/own-span.ts'
import type { Actors } from '../../runtime/actors.ts'
import { OperationFailure } from '../operations/failure.ts'
import type { InvocationProgress, Invocations } from '../operations/invocations/invocation.ts'
import { type WorkflowRunEffects, workflowRunKind } from './actor.ts'
import { report, reportStep } from './reports.ts'
import { WorkflowChildren } from './steps/children.ts'
import { conditionCharactersMax, holds } from './steps/conditions.ts'
import { type Work, WorkflowReadings } from './steps/readings.ts'
import { WorkflowWaits } from './steps/waits.ts'
import { renderTemplate, TooMuchRendered, valueOfPlaceholder, type WorkflowValues } from './templates.ts'
import type { WorkflowTraces } from './workflow-traces.ts'

interface WorkflowWorkParts {
  store: Store
  clock: Pick<Clock, 'now'>
  bundles: Bundles
  actors: Actors
  invocations: Invocations
  /** null: traces are disabled. */
  traces: WorkflowTraces | null
  /** Reports the end of a workflow run to the Agent's run that it is a call of. */
  tellRun(workflowRunId: string): Promise<void>
}

/** A step that runs a workflow. */
type Calling = WorkflowStep & { workflow: string }

const tooLarge = (what: string): Cause => ({
  code: `${what}_too_large`,
  message: `The ${what} would be larger than 1 MiB with its values filled in.`,
})

const conditionTooLarge: Cause = {
  code: 'condition_too_large',
  message: `The values that the condition looks at have more than ${conditionCharactersMax.toLocaleString('en')} characters as JSON.`,
}

/** The list of a step, or why it has none. */
function itemsOf(forEach: string, values: WorkflowValues): { list: unknown[] } | Cause {
  const found = valueOfPlaceholder(forEach, values)
  if (!Array.isArray(found)) return { code: 'invalid_for_each', message: `${forEach} is no list.` }
  if (found.length <= workflowElementsMax) return { list: found }
  const message = `${forEach} has ${found.length} items; a step takes at most ${workflowElementsMax}.`
  return { code: 'too_many_elements', message }
}

/** Whether the step is done, by its condition. */
function weigh({ when }: WorkflowStep, values: WorkflowValues): boolean | 'tooLarge' {
  try {
    return when === undefined || holds(when, values)
  } catch (error) {
    if (error instanceof TooMuchRendered) return 'tooLarge'
    throw error
  }
}

export class WorkflowWork implements WorkflowRunEffects {
  /** The definition for the actor runtime. */
  readonly kind
  readonly #readings: WorkflowReadings
  readonly #children: WorkflowChildren
  readonly #waits: WorkflowWaits

  constructor(private readonly parts: WorkflowWorkParts) {
    this.kind = workflowRunKind(this, parts.traces)
    this.#readings = new WorkflowReadings(parts)
    this.#children = new WorkflowChildren(parts)
    this.#waits = new WorkflowWaits(parts)
  }

  async beginSteps(runId: string, steps: readonly StepToBegin[]): Promise<void> {
    if (steps.length === 0) return
    const work = await this.#readings.read(runId)
    if (work) await fewAtOnce(steps, (step) => this.#beginStep(work, work.values, step))
  }

  async renderOutput(runId: string): Promise<void> {
    const work = await this.#readings.read(runId)
    if (!work) return
    try {
      const output = renderTemplate(work.source.output, work.values, workflowBytesMax)
      await report(this.parts.actors, runId, { type: 'rendered', output })
    } catch (error) {
      if (!(error instanceof TooMuchRendered)) throw error
      await report(this.parts.actors, runId, { type: 'renderingFailed', cause: tooLarge('output') })
    }
  }

  /** Withdraws the approvals that the run requested, reports the outcome of each, and cancels child runs. */
  async withdrawApprovals(runId: string): Promise<void> {
    const before = await this.#readings.find(runId)
    if (!before) return
    // a late repetition must not withdraw what the run has requested since it was resumed
    await this.parts.invocations.withdraw({ workflowRunId: runId, steps: unwanted(before.context) })
    await this.#children.cancel(before.row)
    const work = await this.#readings.find(runId)
    const waiting = work?.context.plan.flatMap(({ id }, place) => {
      const { state, attempts } = work.context.steps[place]!
      return state === 'waiting_approval' ? [{ stepId: id, attempt: attempts }] : []
    })
    await this.beginSteps(runId, waiting ?? [])
  }

  async tellParent(runId: string): Promise<void> {
    await this.#children.tellParent(runId)
    await this.parts.tellRun(runId)
  }

  eventGiven(): void {
    this.parts.actors.effects.look()
  }

  /** Starts the workflow of the step, or reports its end. */
  async #beginChild(
    { row, bundle }: Work,
    values: WorkflowValues,
    { workflow, input = {} }: Calling,
    step: StepToBegin,
  ) {
    const child = bundle.workflow(workflow)
    if (!child) throw new DamagedRecord(`The bundle of ${row.deployment_id} lacks the workflow ${workflow}.`)
    let params: unknown
    try {
      params = renderTemplate(input, values, workflowBytesMax)
    } catch (error) {
      if (!(error instanceof TooMuchRendered)) throw error
      return report(this.parts.actors, row.id, { type: 'refused', ...step, cause: tooLarge('input') })
    }
    return this.#children.begin(row, child, params, step)
  }

  /** Starts the attempt, or finds its earlier invocation. */
  async #beginStep(work: Work, given: WorkflowValues, { stepId, attempt }: StepToBegin) {
    const { row, bundle, source } = work
    const undone = compensatedBy(stepId)
    const element = readElement(stepId)
    const step = source.steps.find(({ id }) => id === (undone ?? element?.stepId ?? stepId))
    const call = undone === undefined ? step : step?.compensate
    const agent = bundle.agent(row.agent_id)
    if (!step || !call || !agent)
      throw new DamagedRecord(`The bundle of ${row.deployment_id} lacks the workflow of ${row.id}.`)
    const refuse = (cause: Cause) => report(this.parts.actors, row.id, { type: 'refused', stepId, attempt, cause })
    const weighed = undone !== undefined || element !== undefined || weigh(step, given)
    if (weighed === 'tooLarge') return refuse(conditionTooLarge)
    if (!weighed) return report(this.parts.actors, row.id, { type: 'leftOut', stepId, attempt })
    if (step.waitFor) return this.#waits.look(row, step.waitFor, given, { stepId, attempt })
    const items = step.forEach === undefined ? undefined : itemsOf(step.forEach, given)
    if (items && 'code' in items) return refuse(items)
    if (items && !element)
      return report(this.parts.actors, row.id, { type: 'counted', stepId, attempt, count: items.list.length })
    const values = element ? { ...given, element: { index: element.index, item: items?.list[element.index] } } : given
    if (step.workflow !== undefined) return this.#beginChild(work, values, step as Calling, { stepId, attempt })
    if (call.operation === undefined) return report(this.parts.actors, row.id, { type: 'waits', stepId, attempt })
    let progress: InvocationProgress
    try {
      progress = await this.parts.invocations.begin({
        bundle,
        agent,
        operation: call.operation,
        input: renderTemplate(call.input ?? {}, values, workflowBytesMax),
        by: { type: 'workflow', id: row.id },
        origin: { type: 'workflow', workflowRunId: row.id, stepId, attempt },
        above: readStoredSpan(row.trace)?.context ?? null,
      })
    } catch (error) {
      if (error instanceof TooMuchRendered) return refuse(tooLarge('input'))
      if (error instanceof OperationFailure) return refuse({ code: error.code, message: error.message })
      throw error
    }
    await reportStep(this.parts.actors, { workflowRunId: row.id, stepId, attempt }, progress)
  }
}
