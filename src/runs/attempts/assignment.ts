/** What an attempt is to do, put together from what the run has stored. Source: contract 5, "Runner protocol". */

import type { RunContext } from '../../../machines/run.ts'
import { getRunInput, listCallResults } from '../../../storage/runs.ts'
import { listStepsOfKind } from '../../../storage/steps.ts'
import type { Store } from '../../../storage/store.ts'
import type { RunRow } from '../../../storage/tables.ts'
import type {
  AgentContent,
  Assignment,
  Failure,
  ModelBinding,
  ReasoningBudget,
  RunInput,
  RuntimeCheckpoint,
  SettledCall,
  StepExecution,
} from '../../runner/protocol.ts'

/** The row's `binding`: which model, and whose key. */
export interface StoredBinding {
  provider: string
  model: string
  reasoningBudget: ReasoningBudget | null
  credential: 'platform' | 'organization'
}

/** Finds what a run was pinned to at admission. Both throw when it can no longer be had: the run fails closed. */
export interface Pins {
  content(row: RunRow): Promise<{ name: string; content: AgentContent }> | { name: string; content: AgentContent }
  binding(row: RunRow, stored: StoredBinding): Promise<ModelBinding> | ModelBinding
}

/** The binding or the content that the run was pinned to is gone or disabled. */
export class BindingUnavailable extends Error {
  override readonly name = 'BindingUnavailable'
}

export interface AssignmentParts {
  store: Store
  pins: Pins
  /** The checkpoint that a continuation goes on from. */
  latestCheckpoint(runId: string): Promise<RuntimeCheckpoint | null>
  heartbeatMs: number
}

/** The assignment of the attempt that comes next, `context` being the run's before it is leased. */
export async function assign(parts: AssignmentParts, row: RunRow, context: RunContext): Promise<Assignment> {
  const stored = JSON.parse(row.binding) as StoredBinding
  const [agent, model, input] = await Promise.all([
    parts.pins.content(row),
    parts.pins.binding(row, stored),
    parts.store.first(getRunInput(parts.store, { runId: row.id, chain: context.chain })),
  ])
  const begun = context.attempt > 0
  const resume = begun ? await parts.latestCheckpoint(row.id) : null
  const calls = resume ? await pastCalls(parts.store, row.id, resume) : { settledCalls: [], interruptedCalls: [] }
  return {
    run: {
      id: row.id,
      organizationId: row.organization_id,
      agentId: row.agent_id,
      agentRevisionId: row.agent_revision_id,
    },
    attempt: context.attempt + 1,
    chain: context.chain,
    chainAttempt: context.maxRetries - context.retriesLeft + 1,
    agent,
    model,
    input: input ? (JSON.parse(input.body) as RunInput) : { query: null, contents: [] },
    resume,
    ...calls,
    heartbeatMs: parts.heartbeatMs,
  }
}

/** How the open calls of a checkpoint ended, as far as that is known. */
async function pastCalls(store: Store, runId: string, { pendingToolCalls }: RuntimeCheckpoint) {
  const settledCalls: SettledCall[] = []
  const interruptedCalls: string[] = []
  if (pendingToolCalls.length === 0) return { settledCalls, interruptedCalls }
  const [results, toolSteps, delegateSteps] = await Promise.all([
    store.all(listCallResults(store, { runId })),
    store.all(listStepsOfKind(store, { runId, kind: 'tool' })),
    store.all(listStepsOfKind(store, { runId, kind: 'delegate' })),
  ])
  const steps = [...toolSteps, ...delegateSteps]
  const given = new Map(results.map(({ tool_call_id, outcome }) => [tool_call_id, outcome]))
  for (const { toolCallId } of pendingToolCalls) {
    const outcome = given.get(toolCallId)
    if (outcome !== undefined) {
      settledCalls.push({ toolCallId, outcome: JSON.parse(outcome) as SettledCall['outcome'] })
      continue
    }
    const step = steps.findLast(({ execution }) => (JSON.parse(execution) as StepExecution).toolCallId === toolCallId)
    if (!step) continue
    if (step.status === 'completed') {
      settledCalls.push({
        toolCallId,
        outcome: { result: step.output === null ? null : (JSON.parse(step.output) as unknown) },
      })
    } else if (step.status === 'failed' && isToolFailure(step.error)) {
      settledCalls.push({ toolCallId, outcome: { error: JSON.parse(step.error as string) as Failure } })
    } else if (step.status !== 'waiting') interruptedCalls.push(toolCallId)
  }
  return { settledCalls, interruptedCalls }
}

/** A tool that failed has told so itself; a step that ended with its attempt has not. */
const isToolFailure = (error: string | null) => error !== null && (JSON.parse(error) as Failure).code === 'tool_error'
