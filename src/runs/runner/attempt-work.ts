/** The shared state of an attempt's loops, and the position of each agent. */
import type { PendingInput, StopReason } from '../../../machines/run.ts'
import type { Conversation } from './conversation/conversation.ts'
import type { Conversations } from './conversation/conversations.ts'
import type { Interruption } from './interruption.ts'
import type { AssignedAgent, Assignment, CompletionReport, OpenCall, StepStart } from './protocol/protocol.ts'
import type { Reports } from './protocol/reports.ts'
import type { RunnerServices } from './services.ts'

export interface AttemptWork {
  assignment: Assignment
  conversations: Conversations
  reports: Reports
  interruption: Interruption
  services: RunnerServices
}

/** An agent's position in the attempt. */
export interface AgentPlace {
  agent: AssignedAgent
  conversation: Conversation
  /** The step of the call that a delegate answers; null for the run's own agent. */
  delegateStepId: number | null
  /** Levels below the run's agent. */
  level: number
}

/** A call whose result comes from outside the attempt. */
export interface AwaitedCall {
  call: OpenCall
  kind: PendingInput['kind']
  place: AgentPlace
  /** The open steps of the delegates that wait for it. */
  within: number[]
  /** Its step, if started. */
  agentStepId?: number
  /** The invocation or the workflow run whose outcome the server reports. */
  invocation?: Pick<PendingInput, 'invocationId' | 'approvalId' | 'waitsFor' | 'workflowRunId'>
}

/** The outcome of an agent's loop. */
export type AgentEnd =
  | { end: 'completed'; stopReason: StopReason; output: unknown }
  | { end: 'failed'; error: Extract<CompletionReport, { outcome: 'failed' }>['error'] }
  /** The agent only waits for results from outside. */
  | { end: 'waiting'; awaited: AwaitedCall[] }
  | { end: 'interrupted' }

const nameCharactersMax = 200

/**
 * Starts a step of an agent; the run's own agent is the default. The start and all earlier reports are stored when it
 * resolves, except for model calls, which are repeated if they are lost.
 */
export function startStep({ reports }: AttemptWork, place: AgentPlace, step: StepStart): Promise<number> {
  const { agent, delegateStepId } = place
  const where = delegateStepId === null ? {} : { parentAgentStepId: delegateStepId, agentId: agent.agentId }
  const started = { ...where, ...step }
  return step.kind === 'model' ? reports.beginStep(started) : reports.startStep(started)
}

/** Starts the step of a call; `agentId` names the executing agent if it is not the caller. */
export function startCall(
  work: AttemptWork,
  place: AgentPlace,
  { toolCallId, toolName, input }: OpenCall,
  kind: 'tool' | 'delegate',
  agentId?: string,
): Promise<number> {
  // A model may invent any name; the server limits its length.
  const name = toolName.slice(0, nameCharactersMax) || '(unnamed)'
  const step = { kind, name, input, execution: { toolCallId } }
  return startStep(work, place, agentId === undefined ? step : { ...step, agentId })
}
