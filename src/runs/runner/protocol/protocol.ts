/**
 * The runner protocol: a runner's requests and reports to the server. The embedded runner uses it in process, others
 * over HTTP, with the same answers. Source: contract 5, "Runner protocol".
 */
import type { ModelMessage } from 'ai'
import type { PendingInput, StopReason } from '../../../../machines/run.ts'
import type { AgentContent } from '../../../authoring/agents/content.ts'
import type { StepPart, ToolDefinition } from '../../providers/step.ts'
import type { CallAnswer, Failure, OpenCall, OperationCall, SettledCall } from '../conversation/calls.ts'

export type { AgentContent, AgentDelegate, AgentTool } from '../../../authoring/agents/content.ts'
export * from '../conversation/calls.ts'

type StepKind = 'agent' | 'model' | 'tool' | 'delegate'
type StepStatus = 'running' | 'waiting' | 'completed' | 'failed' | 'canceled'

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
  /** The workflow run of a call that waits, or waited, for one. */
  workflowRunId?: string
}

/** A part of a run's input besides its query. Source: contract 5, "`contents` items". */
export type ContentItem =
  | { type: 'text'; text: string }
  | { type: 'image'; mediaType: string; data: string }
  | { type: 'file'; mediaType: 'application/pdf' | 'text/plain'; filename: string; data: string }

/** The input of a chain, from a start or a continue. Applied once per chain. */
export interface RunInput {
  query: string | null
  contents: ContentItem[]
}

/** A message from before the run. */
export interface HistoryMessage {
  role: 'user' | 'assistant'
  content: string
}

export type ReasoningBudget = number | 'low' | 'medium' | 'high'

/** The model of an agent. The server keeps its key and endpoint: assignments contain no secrets. */
export interface ModelBinding {
  provider: string
  model: string
  reasoningBudget: ReasoningBudget | null
}

/** One model step of an agent. The rest of the vendor's request comes from the run. */
export interface ModelCall {
  /** The run's agent, or a delegate. */
  agent: AssignedAgent
  /** The open model step of that agent. */
  agentStepId: number
  messages: ModelMessage[]
  tools: ToolDefinition[]
  /** Aborts the step and the vendor's call. */
  signal: AbortSignal
}

/** The conversation of one agent at one point in time. */
export interface StoredConversation {
  messages: ModelMessage[]
  /** The number of model steps in this chain. */
  stepCount: number
  pendingToolCalls: OpenCall[]
}

/** The state that a runner resumes from. Source: contract 5, `latest`. */
export interface RuntimeCheckpoint extends StoredConversation {
  version: 1
  /** The chain whose input the messages contain. */
  chain: number
  /**
   * The conversations of active delegates, by the id of the call that each answers: a pending call of the run's agent
   * or of another delegate. Omitted if there are none.
   */
  delegates?: Record<string, StoredConversation>
}

/** An operation or a workflow as a tool of a model. The server makes the call with its secrets. */
export interface OperationTool {
  description: string
  /** The JSON Schema of the input, of type object. */
  inputSchema: Record<string, unknown>
  /** Whether the operation is read-only or declared idempotent. */
  idempotent: boolean
}

/** The operations and delegates of an agent. */
export interface AgentMeans {
  model: ModelBinding
  /** Operations and workflows by tool name; missing ones are not offered to the model. */
  operations: Record<string, OperationTool>
  /** Delegates within the server, by name; missing ones are not offered to the model. */
  delegates: Record<string, AssignedAgent>
}

/** An agent of an attempt: the run's own, or a delegate. */
export interface AssignedAgent extends AgentMeans {
  agentId: string
  agentRevisionId: string
  /** The agent's own name. */
  name: string
  content: AgentContent
}

/** The maximum depth of delegates below the run's agent. */
export const delegateLevelsMax = 10

/** The work of an attempt. */
export interface Assignment extends AgentMeans {
  run: { id: string; organizationId: string; agentId: string; agentRevisionId: string }
  /** The number of the attempt in the run, and in the current chain. */
  attempt: number
  chain: number
  chainAttempt: number
  agent: { name: string; content: AgentContent }
  input: RunInput
  /** The checkpoint to resume from; null: from the beginning. */
  resume: RuntimeCheckpoint | null
  /**
   * Of a fork with a message: the open calls of `resume` are made before the input is applied. Until then a checkpoint
   * has the chain of `resume`.
   */
  callsFirst?: boolean
  /** Calls in the checkpoint's `pendingToolCalls`, including delegates', whose outcome is known. */
  settledCalls: SettledCall[]
  /** Calls with unknown outcome, started by an attempt that was lost. */
  interruptedCalls: string[]
  heartbeatMs: number
  /** The run's span, for the runner's own spans and for its requests; only if traces are enabled. */
  traceparent?: string
  tracestate?: string
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
  /** Authenticates the HTTP requests of this attempt; not needed by the embedded runner. */
  attemptToken: string
  assignment: Assignment
}

export interface LeaseRequest {
  machineId: string
  /** The machine's maximum of concurrent attempts; default 1. */
  slots?: number
  /** At most 25. */
  waitSeconds: number
}

export interface StepStart {
  /** Default: the attempt's root step. */
  parentAgentStepId?: number | null
  /** The step's agent: a delegate of the assignment. Default: the run's agent. */
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
    /** Names the call. */
    | { kind: 'toolInput'; text: string; toolCallId: string; toolName: string }
}

export type CompletionReport =
  | { outcome: 'completed'; stopReason: StopReason; output: unknown }
  | { outcome: 'failed'; error: Failure & { retryable: boolean; retryAfterMs?: number } }
  | { outcome: 'canceled' }
  | { outcome: 'awaitingToolResult' | 'awaitingDelegateResult'; awaiting: PendingInput[] }

export type Signal = 'continue' | 'cancel' | 'drain'

/**
 * One attempt, from the runner's side. Calls are delivered in order, so that a caller need not await one before the
 * next; each promise settles when its report is stored. A report of an attempt that has ended or was replaced rejects
 * with `StaleAttempt`.
 */
export interface AttemptChannel {
  readonly lease: Lease
  readonly assignment: Assignment
  boot(): Promise<void>
  heartbeat(progress: { lastStepSequence: number }): Promise<{ expiresAt: string; signal: Signal }>
  startStep(step: StepStart): Promise<{ agentStepId: number }>
  /**
   * Starts a step that is stored with the next report, or soon, if the transport knows its id in advance. Only for a
   * step that may be lost and repeated: a model call.
   */
  beginStep?(step: StepStart): Promise<{ agentStepId: number; stored: Promise<void> }>
  endStep(agentStepId: number, update: StepUpdate): Promise<void>
  checkpoint(agentStepId: number, report: CheckpointReport): Promise<{ checkpointId: number }>
  /** Streamed text, in small groups and in order. */
  deltas(deltas: StepDelta[]): Promise<void>
  /**
   * Calls an operation through the server. Independent of reports. The signal aborts the call. A repeated call with the
   * same `toolCallId` returns the first outcome. A call answered with `awaiting` must be reported, with its ids, among
   * those that the run waits for.
   */
  callOperation(call: OperationCall, signal: AbortSignal): Promise<CallAnswer>
  /**
   * Runs a model step. Independent of reports. Throws ProviderFailure, an AbortError after the call's signal is
   * aborted, or StaleAttempt.
   */
  streamModel(call: ModelCall): AsyncIterable<StepPart>
  complete(report: CompletionReport): Promise<void>
  /**
   * Calls the listener when the server wants the attempt to stop before its next heartbeat, if the transport supports
   * it.
   */
  onSignal?(listener: (signal: Signal) => void): void
  /** The attempt has ended at the runner, and its slot is free again. */
  close?(): void
}

/** The source of a runner's attempts. */
export interface RunnerTransport {
  /** The next attempt; null if none became available in time. */
  lease(request: LeaseRequest, signal: AbortSignal): Promise<AttemptChannel | null>
}

/** The attempt has ended or was replaced; its reports are rejected. */
export class StaleAttempt extends Error {
  override readonly name = 'StaleAttempt'
}
