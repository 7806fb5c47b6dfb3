/** Builds the assignment of an attempt from the stored run. Source: contract 5, "Runner protocol". */
import type { RunContext } from '../../../../machines/run.ts'
import { listOpenCalls } from '../../../../storage/automation/invocations.ts'
import { listCallResults } from '../../../../storage/runs/call-results.ts'
import { listStepsOfKind } from '../../../../storage/runs/steps.ts'
import type { Store } from '../../../../storage/store.ts'
import type { RunRow } from '../../../../storage/tables.ts'
import { readStoredSpan } from '../../../platform/tracing/own-span.ts'
import { tracePairs } from '../../../platform/tracing/trace-context.ts'
import type { Binding } from '../../admission/bindings.ts'
import type { ModelAccess } from '../../providers/step.ts'
import type { Live } from '../../record.ts'
import { readExecution } from '../../records/step-columns.ts'
import {
  type AgentContent,
  type AgentMeans,
  type AssignedAgent,
  type Assignment,
  type CallOutcome,
  type Failure,
  isCallFailure,
  type RuntimeCheckpoint,
  type SettledCall,
} from '../../runner/protocol/protocol.ts'
import { type ResumptionParts, resumptionOf } from './resumption.ts'

/** Loads what a run was pinned to at admission. All methods throw if it is no longer available: the run then fails. */
export interface Pins {
  /** The run's agent. */
  content(row: RunRow): MaybePromise<{ name: string; content: AgentContent }>
  /** The models, operations and delegates of the run's agent, without secrets. */
  means(row: RunRow, stored: Binding): MaybePromise<AgentMeans>
  /** The models of the run's agents with their keys, by agent id; each key is loaded on demand. */
  models(row: RunRow, stored: Binding): (agentId: string) => MaybePromise<ModelAccess>
}
type MaybePromise<Value> = Value | Promise<Value>

/** The pinned binding or content was deleted or disabled. */
export class BindingUnavailable extends Error {
  override readonly name = 'BindingUnavailable'
}

export interface AssignmentParts extends ResumptionParts {
  pins: Pins
  heartbeatMs: number
}

/** The assignment and, for the embedded runner, the model access of its agents. */
export interface Assigned {
  assignment: Assignment
  /** Model access by agent id. */
  models: ReadonlyMap<string, ModelAccess>
}

/** The models of all agents of an attempt. Throws if one is no longer available. */
async function modelsOf(pins: Pins, row: RunRow, stored: Binding, { delegates }: AgentMeans) {
  const modelOf = pins.models(row, stored)
  const models = new Map([[row.agent_id, await modelOf(row.agent_id)]])
  const add = async (agents: Record<string, AssignedAgent>) => {
    for (const agent of Object.values(agents)) {
      if (models.has(agent.agentId)) continue
      models.set(agent.agentId, await modelOf(agent.agentId))
      await add(agent.delegates)
    }
  }
  await add(delegates)
  return models
}

/** The number of an attempt in its chain, from 1; the same before and after its lease. */
export const chainAttemptOf = ({ maxRetries, retriesLeft }: RunContext): number => maxRetries - retriesLeft + 1

/** The assignment of the next attempt; `context` is the run's before the lease, `known` is its input if in memory. */
export async function assign(
  parts: AssignmentParts,
  row: RunRow,
  context: RunContext,
  known?: Live['input'],
): Promise<Assigned> {
  const stored = JSON.parse(row.binding) as Binding
  const span = readStoredSpan(row.trace)
  const [agent, means, { resume, input, callsFirst }] = await Promise.all([
    parts.pins.content(row),
    parts.pins.means(row, stored),
    resumptionOf(parts, row.id, context, known),
  ])
  assertWritable(means.delegates)
  const models = await modelsOf(parts.pins, row, stored, means)
  const calls = resume ? await pastCalls(parts.store, row.id, resume) : { settledCalls: [], interruptedCalls: [] }
  const assignment: Assignment = {
    run: {
      id: row.id,
      organizationId: row.organization_id,
      agentId: row.agent_id,
      agentRevisionId: row.agent_revision_id,
    },
    attempt: context.attempt + 1,
    chain: context.chain,
    chainAttempt: chainAttemptOf(context),
    agent,
    ...means,
    input,
    resume,
    ...(callsFirst && { callsFirst }),
    ...calls,
    heartbeatMs: parts.heartbeatMs,
    ...(span && tracePairs(span.context)),
  }
  return { assignment, models }
}

/** The maximum number of agents in an assignment, where a shared delegate counts once per parent. */
const writtenAgentsMax = 1_000

/** Throws `BindingUnavailable` if the assignment is too large to send. */
function assertWritable(delegates: Record<string, AssignedAgent>) {
  const counted = new Map<AssignedAgent, number>()
  const countOf = (agent: AssignedAgent): number => {
    const known = counted.get(agent)
    if (known !== undefined) return known
    // Stops at the limit, so that a cycle ends.
    counted.set(agent, Number.POSITIVE_INFINITY)
    const count = 1 + countAll(agent.delegates)
    counted.set(agent, count)
    return count
  }
  const countAll = (agents: Record<string, AssignedAgent>) =>
    Object.values(agents).reduce((sum, agent) => sum + countOf(agent), 0)
  if (countAll(delegates) <= writtenAgentsMax) return
  throw new BindingUnavailable(`The agent has more than ${writtenAgentsMax} delegates, counting all levels.`)
}

/** All open calls of a checkpoint, including those of delegates. */
const openCallsOf = ({ pendingToolCalls, delegates = {} }: RuntimeCheckpoint) => [
  ...pendingToolCalls,
  ...Object.values(delegates).flatMap((delegate) => delegate.pendingToolCalls),
]

/** The known outcomes of a checkpoint's open calls. */
async function pastCalls(store: Store, runId: string, checkpoint: RuntimeCheckpoint) {
  const openCalls = openCallsOf(checkpoint)
  const settledCalls: SettledCall[] = []
  const interruptedCalls: string[] = []
  if (openCalls.length === 0) return { settledCalls, interruptedCalls }
  const [results, underWay, toolSteps, delegateSteps] = await Promise.all([
    store.all(listCallResults(store, { runId })),
    store.all(listOpenCalls(store, { runId })),
    store.all(listStepsOfKind(store, { runId, kind: 'tool' })),
    store.all(listStepsOfKind(store, { runId, kind: 'delegate' })),
  ])
  const steps = [...toolSteps, ...delegateSteps]
  // the server keeps the outcome of these calls and returns it when they are repeated
  const known = new Set(underWay.map(({ tool_call_id }) => tool_call_id))
  const given = new Map(results.map(({ tool_call_id, outcome }) => [tool_call_id, outcome]))
  for (const { toolCallId } of openCalls) {
    const outcome = given.get(toolCallId)
    if (outcome !== undefined) {
      settledCalls.push({ toolCallId, outcome: JSON.parse(outcome) as CallOutcome })
      continue
    }
    const step = steps.findLast(({ execution }) => readExecution(execution).toolCallId === toolCallId)
    if (!step) continue
    if (step.status === 'completed') {
      settledCalls.push({
        toolCallId,
        outcome: { result: step.output === null ? null : (JSON.parse(step.output) as unknown) },
      })
    } else if (step.status === 'failed' && isToolFailure(step.error)) {
      settledCalls.push({ toolCallId, outcome: { error: JSON.parse(step.error as string) as Failure } })
    } else if (step.status !== 'waiting' && !known.has(toolCallId)) interruptedCalls.push(toolCallId)
  }
  return { settledCalls, interruptedCalls }
}

/** A failed call stores its own error; a step that ended with its attempt does not. */
const isToolFailure = (error: string | null) => error !== null && isCallFailure(JSON.parse(error) as Failure)
