/**
 * Workflows as tools of a run's model: a call starts one workflow run, in the run's Deployment and on behalf of the Agent
 * that has the tool, and the run waits for its end. Source: contract 14, "Workflows".
 */
import type { Cause } from '../../../machines/words.ts'
import { workflowBytesMax } from '../../../machines/workflow-run.ts'
import { getCallerOfInvocation } from '../../../storage/automation/invocations.ts'
import { attemptIsCurrent, callIsWanted } from '../../../storage/automation/wanted-invocations.ts'
import {
  findWorkflowRunOfCall,
  getWorkflowRun,
  listWorkflowRunsToAbort,
  listWorkflowRunsToAbortOfRun,
} from '../../../storage/automation/workflows.ts'
import { LimitReached } from '../../../storage/bounds.ts'
import { UniqueViolation } from '../../../storage/errors.ts'
import { newId } from '../../../storage/ids.ts'
import { getRun } from '../../../storage/runs/runs.ts'
import type { BackgroundStore, Store } from '../../../storage/store.ts'
import type { RunRow, WorkflowRunRow } from '../../../storage/tables.ts'
import type { BundledWorkflow } from '../../delivery/deployments/bundles.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { storedSpan } from '../../platform/tracing/own-span.ts'
import { newSpanId, type TraceContext } from '../../platform/tracing/trace-context.ts'
import type { ClosedCall } from '../../runs/control/approvals.ts'
import { runAddress } from '../../runs/record.ts'
import { closings } from '../../runs/runner/conversation/messages.ts'
import type { CallAnswer, CallOutcome } from '../../runs/runner/protocol/protocol.ts'
import type { Actors } from '../../runtime/actors.ts'
import type { By } from '../../runtime/kind.ts'
import { isConcurrentChange, isOver } from '../../runtime/refusals.ts'
import { depthMax as agentsDepthMax } from '../operations/invocations/invocation-starter.ts'
import { type WorkflowRunActor, workflowRunAddress } from '../workflows/actor.ts'
import { creationOf } from '../workflows/creation.ts'
import { report } from '../workflows/reports.ts'
import { refusalOf } from '../workflows/steps/children.ts'
import { endingOf } from '../workflows/steps/ending.ts'
import { bytesOf } from '../workflows/values.ts'

interface WorkflowCallParts {
  store: Store
  clock: Pick<Clock, 'now'>
  actors: Actors
}

/** A call of the tool, by an attempt of the run. */
interface WorkflowCall {
  workflow: BundledWorkflow
  /** The Agent that has the tool. */
  agentId: string
  toolCallId: string
  input: unknown
  chain: number
  fencingToken: number
  /** The span of the call's step; null without a trace. */
  trace: TraceContext | null
}

/** More calls than a run has open. */
const callsMax = 1_000

export class WorkflowCalls {
  constructor(private readonly parts: WorkflowCallParts) {}

  /** Starts the workflow run of the call, or finds that of the same call made before. */
  async call(run: RunRow, call: WorkflowCall): Promise<CallAnswer> {
    const { toolCallId, workflow, input } = call
    const known = await this.#known(run.id, toolCallId)
    if (known) return known
    const above = { organization_id: run.organization_id, depth: await this.#runsAbove(run) }
    const refusal = bytesOf(input) > workflowBytesMax ? tooLarge : await refusalOf(above, workflow, input)
    if (refusal) return { error: refusal }
    try {
      return { awaiting: 'workflow', workflowRunId: await this.#create(run, call, above.depth) }
    } catch (error) {
      if (error instanceof UniqueViolation) {
        const first = await this.#known(run.id, toolCallId)
        if (first) return first
      }
      if (error instanceof LimitReached) return { error: { code: 'tool_error', message: error.message } }
      if (isConcurrentChange(error)) return { error: callerEnded }
      throw error
    }
  }

  /** Reports the end of a workflow run to the run that it is a call of. A repeated report changes nothing. */
  async notify(id: string): Promise<void> {
    const actor = await this.#find(id)
    const { agent_run_id: runId = null, tool_call_id: toolCallId } = actor?.row ?? {}
    const outcome = actor && runId !== null && (await this.#outcomeOf(actor))
    if (!outcome) return
    const answer = 'error' in outcome ? { failure: outcome.error } : { result: outcome.result }
    try {
      await this.parts.actors.send(runAddress(runId), { type: 'toolResult', toolCallId, ...answer })
    } catch (error) {
      // a run that does not wait for the call makes it again, or goes on without it
      if (!isOver(error)) throw error
    }
  }

  /** The run continues without the call: the workflow run goes on, but its result is not awaited any more. */
  async close(runId: string, id: string): Promise<ClosedCall> {
    const actor = await this.#find(id)
    const outcome = actor?.row.agent_run_id === runId ? await this.#outcomeOf(actor) : undefined
    return { outcome: outcome ?? closings.superseded, writes: [] }
  }

  /** Cancels the workflow runs of a canceled or expired run. */
  async abort({ agentRunId: runId }: { agentRunId: string }): Promise<void> {
    const { store } = this.parts
    await this.#cancel(await store.all(listWorkflowRunsToAbortOfRun(store, { runId, limit: callsMax })))
  }

  /** Does the same for all runs after `after` that a stopped server left unfinished; returns their ids. */
  async abortLeft(store: BackgroundStore, after: string, limit: number): Promise<string[]> {
    const found = await store.all(listWorkflowRunsToAbort(store, { after, limit }))
    await this.#cancel(found)
    return found.map(({ id }) => id)
  }

  async #cancel(found: readonly { id: string }[]): Promise<void> {
    await Promise.all(found.map(({ id }) => report(this.parts.actors, id, { type: 'cancel' })))
  }

  async #known(agentRunId: string, toolCallId: string): Promise<CallAnswer | undefined> {
    const { store } = this.parts
    const found = await store.first(findWorkflowRunOfCall(store, { agentRunId, toolCallId }))
    const actor = found && (await this.#find(found.id))
    if (!actor) return undefined
    return (await this.#outcomeOf(actor)) ?? { awaiting: 'workflow', workflowRunId: actor.row.id }
  }

  async #find(id: string): Promise<WorkflowRunActor | undefined> {
    return (await this.parts.actors.read(workflowRunAddress(id))) as WorkflowRunActor | undefined
  }

  /** Undefined until the workflow run has ended. */
  async #outcomeOf(actor: WorkflowRunActor): Promise<CallOutcome | undefined> {
    const ending = await endingOf(this.parts.store, actor)
    return ending && (ending.error ? { error: ending.error } : { result: ending.output })
  }

  async #create(run: RunRow, call: WorkflowCall, depth: number): Promise<string> {
    const { store, clock, actors } = this.parts
    const { workflow, agentId, toolCallId, input: params, chain, fencingToken, trace } = call
    const at = clock.now()
    const by = { type: run.created_by_type as By['type'], id: run.created_by_id }
    const chosen = {
      id: newId('wfr', at),
      organization_id: run.organization_id,
      project_id: run.project_id as string,
      environment_id: run.environment_id as string,
      deployment_id: run.deployment_id as string,
      agent_id: agentId,
      trace: trace && storedSpan({ context: { ...trace, spanId: newSpanId() }, parentSpanId: trace.spanId }),
      depth,
      agent_run_id: run.id,
      tool_call_id: toolCallId,
      run_chain: chain,
    }
    await actors.create<WorkflowRunRow>(
      workflowRunAddress(chosen.id),
      creationOf(chosen, { workflow, params, by, at }),
      {
        by,
        writes: () => [
          attemptIsCurrent(store, { runId: run.id, fencingToken }),
          callIsWanted(store, { runId: run.id, toolCallId, chain }),
        ],
      },
    )
    return chosen.id
  }

  /** How many workflow runs are above one that the run starts. */
  async #runsAbove(run: RunRow): Promise<number> {
    const { store } = this.parts
    let creator = run.created_by_id
    // an operation runs the Agent: of a workflow's step, or of another run
    for (let level = 0; level <= agentsDepthMax && creator.startsWith('opi_'); level += 1) {
      const call = await store.first(getCallerOfInvocation(store, { id: creator }))
      if (call?.workflow_run_id) {
        const above = await store.first<WorkflowRunRow>(getWorkflowRun(store, { id: call.workflow_run_id }))
        return (above?.depth ?? 0) + 1
      }
      const caller = call?.agent_run_id
        ? await store.first<RunRow>(getRun(store, { id: call.agent_run_id }))
        : undefined
      creator = caller?.created_by_id ?? ''
    }
    return 0
  }
}

const tooLarge: Cause = { code: 'too_large', message: 'The input is larger than 1 MiB.' }
const callerEnded: Cause = { code: 'tool_error', message: 'The caller has ended or is being deleted.' }
