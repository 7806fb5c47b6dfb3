/** What the loops of an attempt share, and where each of them works. */
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

/** One agent at work. */
export interface AgentPlace {
  agent: AssignedAgent
  conversation: Conversation
  /** The step of the call that a delegate is to answer; null: it is the run's own agent. */
  delegateStepId: number | null
  /** Levels below the run's agent. */
  level: number
}

/** A call whose result comes from outside. */
export interface AwaitedCall {
  call: OpenCall
  kind: PendingInput['kind']
  place: AgentPlace
  /** The steps of the delegates that cannot go on without it; they have not ended. */
  within: number[]
  /** Its own step, where that has been started. */
  agentStepId?: number
  /** What it waits for, where the server tells of it. */
  invocation?: Pick<PendingInput, 'invocationId' | 'approvalId'>
}

/** How far an agent has come. */
export type AgentEnd =
  | { end: 'completed'; stopReason: StopReason; output: unknown }
  | { end: 'failed'; error: Extract<CompletionReport, { outcome: 'failed' }>['error'] }
  /** Nothing is left to do but what waits for results from outside. */
  | { end: 'waiting'; awaited: AwaitedCall[] }
  | { end: 'interrupted' }

const nameCharactersMax = 200

/** Starts a step of an agent. The run's own agent needs no mention. */
export function startStep({ reports }: AttemptWork, place: AgentPlace, step: StepStart): Promise<number> {
  const { agent, delegateStepId } = place
  const where = delegateStepId === null ? {} : { parentAgentStepId: delegateStepId, agentId: agent.agentId }
  return reports.startStep({ ...where, ...step })
}

/** Starts the step of a call; `agentId` where another agent than the one that calls carries it out. */
export function startCall(
  work: AttemptWork,
  place: AgentPlace,
  { toolCallId, toolName, input }: OpenCall,
  kind: 'tool' | 'delegate',
  agentId?: string,
): Promise<number> {
  // A model may make up any name; the server takes so much of it.
  const name = toolName.slice(0, nameCharactersMax) || '(unnamed)'
  const step = { kind, name, input, execution: { toolCallId } }
  return startStep(work, place, agentId === undefined ? step : { ...step, agentId })
}
