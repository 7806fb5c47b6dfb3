/** Builds the rows of reported steps. Pure. */
import type { AgentStepRow } from '../../../../storage/tables.ts'
import { invalid } from '../../../platform/http/answers/errors.ts'
import type { Prices } from '../../../platform/models/prices/prices.ts'
import { outputJson } from '../../records/output-json.ts'
import {
  executionText,
  noExecution,
  noExecutionText,
  noUsageText,
  readExecution,
  usageText,
} from '../../records/step-columns.ts'
import type { StepEnding } from '../../reports.ts'
import type { StepExecution, StepStart, StepUpdate } from '../../runner/protocol/protocol.ts'
import type { AgentOfAttempt } from '../leasing/agents-of-attempt.ts'
import type { AttemptSession } from '../sessions.ts'
import { initialCost } from './step-costs.ts'

/** The model of a model step: that of its agent, unless the runner names another. */
const modelExecution = ({ model }: AgentOfAttempt, given: Partial<StepExecution> = {}): StepExecution => ({
  ...noExecution,
  ...given,
  provider: given.provider ?? model.provider,
  model: given.model ?? model.model,
})

/**
 * The row of a new step; `at` is in epoch milliseconds. The default parent is the attempt's root step, the default
 * agent the run's own. Throws 422 for an agent that is not part of the attempt.
 */
export function stepRow(
  session: AttemptSession,
  agentStepId: number,
  step: StepStart,
  { at, prices }: { at: number; prices: Prices },
): AgentStepRow {
  // Only the root step has no parent.
  const parent = agentStepId === session.rootStepId ? null : (step.parentAgentStepId ?? session.rootStepId)
  const agent = session.agents.get(step.agentId ?? session.agentId)
  if (!agent) throw invalid([{ path: '/body/agentId', message: 'Must be an agent of this attempt.' }])
  const execution = step.kind === 'model' ? modelExecution(agent, step.execution) : undefined
  return {
    agent_step_id: agentStepId,
    run_id: session.claims.agentRunId,
    parent_agent_step_id: parent,
    // known when it is stored
    sequence: 0,
    kind: step.kind,
    name: step.name,
    status: 'running',
    attempt: session.attempt,
    agent: agent.shown,
    execution:
      execution || step.execution ? executionText(execution ?? { ...noExecution, ...step.execution }) : noExecutionText,
    token_usage: noUsageText,
    cost: execution ? initialCost(prices, execution) : null,
    input: step.input === undefined || step.input === null ? null : JSON.stringify(step.input),
    output: null,
    error: null,
    last_checkpoint_id: null,
    started_at: at,
    ended_at: null,
    created_at: at,
    updated_at: at,
  }
}

/** The end of a step; `step` is its row, if known. */
export function stepEnding(step: AgentStepRow | undefined, update: StepUpdate): Omit<StepEnding, 'cost'> {
  return {
    status: update.status,
    output: update.output === undefined ? null : outputJson(update.output),
    error: update.error ? JSON.stringify(update.error) : null,
    token_usage: update.tokenUsage ? usageText(update.tokenUsage) : null,
    execution: executionText({ ...(step ? readExecution(step.execution) : noExecution), ...update.execution }),
  }
}
