/**
 * All that happens to runs of workflows without being asked for: steps become invocations of operations, and what comes
 * of those is reported to the run. Source: contract 6.
 */
import type { Cause } from '../../../machines/words.ts'
import { type StepToBegin, type WorkflowRunContext, workflowBytesMax } from '../../../machines/workflow-run.ts'
import { DamagedRecord } from '../../../storage/errors.ts'
import type { Store } from '../../../storage/store.ts'
import type { WorkflowRunRow } from '../../../storage/tables.ts'
import type { WorkflowSource } from '../../authoring/definitions/source.ts'
import type { Bundles, DeployedBundle } from '../../delivery/deployments/bundles.ts'
import type { Actors } from '../../runtime/actors.ts'
import { isOver } from '../../runtime/refusals.ts'
import { OperationFailure } from '../operations/failure.ts'
import type { InvocationProgress, Invocations, WorkflowListener } from '../operations/invocations/invocation.ts'
import {
  paramsName,
  stepOutputName,
  type WorkflowRunActor,
  type WorkflowRunCommand,
  type WorkflowRunEffects,
  workflowRunAddress,
  workflowRunKind,
} from './actor.ts'
import { renderTemplate, TooMuchRendered, type WorkflowValues } from './templates.ts'
import { bytesOf, readValues } from './values.ts'

export interface WorkflowWorkParts {
  actors: Actors
  invocations: Invocations
}

/** An event before the runtime stamps it. */
type Told = WorkflowRunCommand extends infer Command
  ? Command extends unknown
    ? Omit<Command, 'at' | 'chance'>
    : never
  : never

/** A run with what it works from. */
interface Work {
  row: WorkflowRunRow
  context: WorkflowRunContext
  bundle: DeployedBundle
  source: WorkflowSource
}

const tooLarge = (what: string): Cause => ({
  code: `${what}_too_large`,
  message: `The ${what} would have more than 1 MiB with the values that stand in it.`,
})

export class WorkflowWork implements WorkflowRunEffects, WorkflowListener {
  /** What the actor runtime has to know of runs of workflows. */
  readonly kind = workflowRunKind(this)
  #wired: WorkflowWorkParts | undefined

  constructor(private readonly parts: { store: Store; bundles: Bundles }) {}

  /** Connects with the runtime that was given this kind, before it starts. */
  wire(parts: WorkflowWorkParts): void {
    this.#wired = parts
  }

  get #work(): WorkflowWorkParts {
    if (!this.#wired) throw new Error('The work of workflows is not wired yet.')
    return this.#wired
  }

  async invocationMoved(
    { workflowRunId, stepId, attempt }: Parameters<WorkflowListener['invocationMoved']>[0],
    { state, output, error }: InvocationProgress,
  ): Promise<void> {
    const given = state === 'succeeded' ? { bytes: bytesOf(output), output } : { bytes: 0 }
    await this.#notify(workflowRunId, { type: 'reported', stepId, attempt, invocation: state, cause: error, ...given })
  }

  async beginSteps(runId: string, steps: readonly StepToBegin[]): Promise<void> {
    if (steps.length === 0) return
    const work = await this.#find(runId)
    if (!work) return
    const values = await this.#values(runId, work.context)
    await Promise.all(steps.map((step) => this.#beginStep(work, values, step)))
  }

  async renderOutput(runId: string): Promise<void> {
    const work = await this.#find(runId)
    if (!work) return
    const values = await this.#values(runId, work.context)
    try {
      const output = renderTemplate(work.source.output, values, workflowBytesMax)
      await this.#notify(runId, { type: 'rendered', output })
    } catch (error) {
      if (!(error instanceof TooMuchRendered)) throw error
      await this.#notify(runId, { type: 'renderingFailed', cause: tooLarge('output') })
    }
  }

  /** Takes back the approvals that the run has asked for, and looks at what has come of each of them. */
  async withdrawApprovals(runId: string): Promise<void> {
    await this.#work.invocations.withdraw({ workflowRunId: runId })
    const work = await this.#find(runId)
    const waiting = work?.context.plan.flatMap(({ id }, place) => {
      const { state, attempts } = work.context.steps[place]!
      return state === 'waiting_approval' ? [{ stepId: id, attempt: attempts }] : []
    })
    await this.beginSteps(runId, waiting ?? [])
  }

  /** Begins the attempt, or finds the invocation that it has begun before. */
  async #beginStep({ row, bundle, source }: Work, values: WorkflowValues, { stepId, attempt }: StepToBegin) {
    const step = source.steps.find(({ id }) => id === stepId)
    const agent = bundle.agent(row.agent_id)
    if (!step || !agent)
      throw new DamagedRecord(`The bundle of ${row.deployment_id} lacks what ${row.id} was begun with.`)
    const refuse = (cause: Cause) => this.#notify(row.id, { type: 'refused', stepId, attempt, cause })
    let progress: InvocationProgress
    try {
      progress = await this.#work.invocations.begin({
        bundle,
        agent,
        operation: step.operation,
        input: renderTemplate(step.input ?? {}, values, workflowBytesMax),
        by: { type: 'workflow', id: row.id },
        origin: { type: 'workflow', workflowRunId: row.id, stepId, attempt },
      })
    } catch (error) {
      if (error instanceof TooMuchRendered) return refuse(tooLarge('input'))
      if (error instanceof OperationFailure) return refuse({ code: error.code, message: error.message })
      throw error
    }
    await this.invocationMoved({ type: 'workflow', workflowRunId: row.id, stepId, attempt }, progress)
  }

  /** The run; undefined when it has been removed. */
  async #find(runId: string): Promise<Work | undefined> {
    const actor = (await this.#work.actors.read(workflowRunAddress(runId))) as WorkflowRunActor | undefined
    if (!actor) return undefined
    const { row, context } = actor
    const bundle = await this.parts.bundles.find(row.deployment_id)
    const source = bundle?.workflow(row.definition_id)?.source
    if (!bundle || !source) throw new DamagedRecord(`There is no bundle that ${runId} was begun with.`)
    return { row, context, bundle, source }
  }

  async #values(runId: string, { plan }: WorkflowRunContext): Promise<WorkflowValues> {
    const kept = await readValues(this.parts.store, runId)
    const outputs = plan.map(({ id }): [string, unknown] => [id, kept.get(stepOutputName(id))])
    return { params: kept.get(paramsName), outputs: new Map(outputs) }
  }

  /** A run that is gone, or has ended, is told nothing. */
  async #notify(runId: string, event: Told): Promise<void> {
    try {
      await this.#work.actors.send(workflowRunAddress(runId), event)
    } catch (error) {
      if (!isOver(error)) throw error
    }
  }
}
