/**
 * The runner protocol: what a runner asks of the server and reports to it. The embedded runner speaks it in process,
 * others over HTTP; both get the same answers. Source: contract 5, "Runner protocol".
 */
import type { ModelMessage } from 'ai'
import type { PendingInput, StopReason } from '../../../../machines/run.ts'
import type { AgentContent } from '../../../authoring/agents/content.ts'
import type { StepPart, ToolDefinition } from '../../providers/step.ts'
import type { CallAnswer, Failure, OpenCall, OperationCall, SettledCall } from '../conversation/calls.ts'

export type { AgentContent, AgentDelegate, AgentTool } from '../../../authoring/agents/content.ts'
export * from '../conversation/calls.ts'

export type StepKind = 'agent' | 'model' | 'tool' | 'delegate'
export type StepStatus = 'running' | 'waiting' | 'completed' | 'failed' | 'canceled'

export interface TokenUsage {
  inputTokens: number
  outputTokens: number
  totalTokens: number
  cachedInputTokens: number
  reasoningTokens: number
}

export interface StepExecution {
  provider: string | null
  model: string | null
  finishReason: string | null
  toolCallId: string | null
  retries: number
}

/** A part of a run's input besides its query. Source: contract 5, "`contents` items". */
export type ContentItem =
  | { type: 'text'; text: string }
  | { type: 'image'; mediaType: string; data: string }
  | { type: 'file'; mediaType: 'application/pdf' | 'text/plain'; filename: string; data: string }

/** What started the chain of attempts: a start's or a continue's input. Applied once per chain. */
export interface RunInput {
  query: string | null
  contents: ContentItem[]
}

export type ReasoningBudget = number | 'low' | 'medium' | 'high'

/** Which model runs. Its key and its address are the server's to know: no assignment holds a secret. */
export interface ModelBinding {
  provider: string
  model: string
  reasoningBudget: ReasoningBudget | null
}

/** One step of an agent's model. Everything else that the vendor is told is settled by the run. */
export interface ModelCall {
  /** The run's agent, or a delegate. */
  agent: AssignedAgent
  /** The model step of that agent, which has been started and has not ended. */
  agentStepId: number
  messages: ModelMessage[]
  tools: ToolDefinition[]
  /** Ends the step and the vendor's call. */
  signal: AbortSignal
}

/** The conversation of one agent at a point. */
export interface StoredConversation {
  messages: ModelMessage[]
  /** Model steps of this chain so far. */
  stepCount: number
  pendingToolCalls: OpenCall[]
}

/** Everything that a runner needs to go on from a point. Source: contract 5, `latest`. */
export interface RuntimeCheckpoint extends StoredConversation {
  version: 1
  /** The chain whose input is in the messages. */
  chain: number
  /**
   * The conversations of delegates that are at work, by the id of the call that each of them is to answer: a pending call
   * of the run's agent, or of another delegate. Left out when there are none.
   */
  delegates?: Record<string, StoredConversation>
}

/** An operation as it is offered to a model. The server makes the call, with whatever secrets it takes. */
export interface OperationTool {
  description: string
  /** JSON Schema of an object. */
  inputSchema: Record<string, unknown>
  /** Whether twice is as good as once: it only reads, or is declared idempotent. */
  idempotent: boolean
}

/** What an agent of an attempt works with besides its content. */
export interface AgentMeans {
  model: ModelBinding
  /** Its operation tools, by the tool's name; those that are left out are not offered. */
  operations: Record<string, OperationTool>
  /** Its delegates within the server, by the delegate's name; those that are left out are not offered. */
  delegates: Record<string, AssignedAgent>
}

/** An agent at work in an attempt: the run's own, or one that another hands work to. */
export interface AssignedAgent extends AgentMeans {
  agentId: string
  agentRevisionId: string
  /** The agent's own name. */
  name: string
  content: AgentContent
}

/** Delegates have delegates: so many levels below the run's agent, and no more. */
export const delegateLevelsMax = 10

/** What an attempt is to do. */
export interface Assignment extends AgentMeans {
  run: { id: string; organizationId: string; agentId: string; agentRevisionId: string }
  /** Attempts of the run so far, this one included; and of its present chain. */
  attempt: number
  chain: number
  chainAttempt: number
  agent: { name: string; content: AgentContent }
  input: RunInput
  /** The latest checkpoint; null: from the beginning. */
  resume: RuntimeCheckpoint | null
  /** Calls of the checkpoint's `pendingToolCalls`, delegates' included, that have an outcome already. */
  settledCalls: SettledCall[]
  /** Calls that an attempt had begun when it was lost, and whose result is unknown. */
  interruptedCalls: string[]
  heartbeatMs: number
}

export interface Lease {
  attemptId: string
  agentRunId: string
  fencingToken: number
  /** RFC 3339. */
  expiresAt: string
}

export interface LeasedAttempt {
  lease: Lease
  /** For the HTTP calls of this attempt; the embedded runner needs none. */
  attemptToken: string
  assignment: Assignment
}

export interface LeaseRequest {
  machineId: string
  /** How many attempts the machine can run at once; default 1. */
  slots?: number
  /** At most 25. */
  waitSeconds: number
}

export interface StepStart {
  /** Left out: the attempt's root step. */
  parentAgentStepId?: number | null
  /** Whose step it is: the run's agent when left out, or one of the assignment's delegates. */
  agentId?: string
  kind: StepKind
  name: string
  input: unknown
  execution?: Partial<StepExecution>
}

export interface StepUpdate {
  status: Exclude<StepStatus, 'running'>
  output?: unknown
  error?: Failure
  tokenUsage?: TokenUsage
  execution?: Partial<StepExecution>
}

export interface CheckpointReport {
  kind: 'step' | 'suspended' | 'final'
  runtimeCheckpoint: RuntimeCheckpoint
}

export interface StepDelta {
  type: 'step.delta'
  agentStepId: number
  data:
    | { kind: 'text' | 'reasoning'; text: string }
    /** Of which call it is. */
    | { kind: 'toolInput'; text: string; toolCallId: string; toolName: string }
}

export type CompletionReport =
  | { outcome: 'completed'; stopReason: StopReason; output: unknown }
  | { outcome: 'failed'; error: Failure & { retryable: boolean; retryAfterMs?: number } }
  | { outcome: 'canceled' }
  | { outcome: 'awaitingToolResult' | 'awaitingDelegateResult'; awaiting: PendingInput[] }

export type Signal = 'continue' | 'cancel' | 'drain'

/**
 * One attempt as its runner sees it. Calls are delivered in the order in which they are made, so that a caller need not
 * wait for one before it makes the next; each promise settles when its report is durable. A report of an attempt that
 * has ended or was replaced rejects with `StaleAttempt`.
 */
export interface AttemptChannel {
  readonly lease: Lease
  readonly assignment: Assignment
  boot(): Promise<void>
  heartbeat(progress: { lastStepSequence: number }): Promise<{ expiresAt: string; signal: Signal }>
  startStep(step: StepStart): Promise<{ agentStepId: number }>
  endStep(agentStepId: number, update: StepUpdate): Promise<void>
  checkpoint(agentStepId: number, report: CheckpointReport): Promise<{ checkpointId: number }>
  /** Text as it streams; small groups, in order. */
  deltas(deltas: StepDelta[]): Promise<void>
  /**
   * Has the server call an operation. Not a report: it waits for none and none waits for it. The signal breaks it off.
   * Made again with the same `toolCallId`, it is answered as the first time. The run waits for a call that is answered
   * with `awaiting`: it is reported with its ids among those that the run waits for.
   */
  callOperation(call: OperationCall, signal: AbortSignal): Promise<CallAnswer>
  /**
   * One step of a model. Not a report. Throws ProviderFailure, an AbortError once the call's signal has fired, or
   * StaleAttempt.
   */
  streamModel(call: ModelCall): AsyncIterable<StepPart>
  complete(report: CompletionReport): Promise<void>
  /** Calls back when the server wants the attempt to stop before the next heartbeat would tell, where it can. */
  onSignal?(listener: (signal: Signal) => void): void
}

/** Where a runner gets its work. */
export interface RunnerTransport {
  /** The next attempt; null when there was none while waiting. */
  lease(request: LeaseRequest, signal: AbortSignal): Promise<AttemptChannel | null>
}

/** The attempt has ended or was replaced; nothing it reports counts any more. */
export class StaleAttempt extends Error {
  override readonly name = 'StaleAttempt'
}
