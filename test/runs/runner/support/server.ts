/**
 * The server's side of one run, in memory: it stores reports, refuses those of a stale attempt, and makes the next
 * assignment from what it has stored.
 */

import type { Clock } from '../../../../src/platform/time/clock.ts'
import { streamStep } from '../../../../src/runs/providers/call.ts'
import type { StepPart, StepRequest } from '../../../../src/runs/providers/step.ts'
import {
  type AgentContent,
  type AgentMeans,
  type Assignment,
  type CallAnswer,
  type CheckpointReport,
  type CompletionReport,
  isCallFailure,
  type OperationCall,
  type RunInput,
  type SettledCall,
  type Signal,
  type StepDelta,
  type StepStart,
  type StepUpdate,
} from '../../../../src/runs/runner/protocol/protocol.ts'
import { FakeChannel } from './channel.ts'

export interface RecordedStep extends StepStart {
  agentStepId: number
  attempt: number
  status: string
  update?: StepUpdate
}

export interface RecordedCall {
  attempt: number
  name: 'boot' | 'startStep' | 'endStep' | 'checkpoint' | 'deltas' | 'complete'
  detail: unknown
}

export const sandbox = { provider: 'sandbox', model: 'sandbox', reasoningBudget: null }

export class FakeServer {
  readonly calls: RecordedCall[] = []
  readonly steps: RecordedStep[] = []
  readonly checkpoints: (CheckpointReport & { agentStepId: number; attempt: number })[] = []
  readonly deltas: StepDelta[] = []
  readonly completions: CompletionReport[] = []
  readonly results = new Map<string, unknown>()
  /** Calls of operations that reached the server, in order. */
  readonly operationCalls: OperationCall[] = []
  /** Calls an operation; by default it returns its input. */
  onOperation: (call: OperationCall, signal: AbortSignal) => CallAnswer | Promise<CallAnswer> = ({
    toolName,
    input,
  }) => ({ result: { did: toolName, input } })
  /** The models of the attempts. */
  streamStep: (request: StepRequest) => AsyncIterable<StepPart> = streamStep
  /** The answer to heartbeats. */
  signal: Signal = 'continue'
  /** Called for every heartbeat; may throw instead. */
  onHeartbeat: (() => void | Promise<void>) | undefined
  heartbeats: { lastStepSequence: number }[] = []
  /** Called for each report before it is accepted, with its number from 1; may throw instead. */
  onReport: ((number: number, call: RecordedCall) => void) | undefined
  /** Called when a report has been accepted; throws to lose the answer. */
  onTaken: ((number: number, call: RecordedCall) => void) | undefined
  attempt = 0
  chain = 1
  chainAttempt = 0
  #live: FakeChannel | undefined

  constructor(
    private readonly clock: Clock,
    readonly content: AgentContent,
    public input: RunInput = { query: 'Hello', contents: [] },
    readonly means: Partial<AgentMeans> = {},
  ) {}

  /** The next attempt; the previous one is stale from now on. */
  lease(overrides: Partial<Assignment> = {}): FakeChannel {
    this.endAttempt()
    this.attempt++
    this.chainAttempt++
    this.#live = new FakeChannel(this, this.clock, { ...this.assignment(), ...overrides })
    return this.#live
  }

  /** The attempt has ended: its running steps have failed with it. */
  endAttempt() {
    this.#live = undefined
    for (const step of this.steps) {
      if (step.status === 'running') {
        step.status = 'failed'
        step.update = { status: 'failed', error: { code: 'lease_lost', message: 'The lease was lost.' } }
      }
    }
  }

  /** A continue: a new chain with this input, and with results for calls that wait. */
  continue(input: RunInput, results: Record<string, unknown> = {}) {
    this.chain++
    this.chainAttempt = 0
    this.input = input
    for (const [toolCallId, result] of Object.entries(results)) this.results.set(toolCallId, result)
    for (const step of this.steps) {
      if (step.status !== 'waiting') continue
      const toolCallId = step.execution?.toolCallId ?? ''
      step.status = toolCallId in results ? 'completed' : 'canceled'
      step.update = { status: 'completed', output: results[toolCallId] }
    }
  }

  assignment(): Assignment {
    const resume = this.checkpoints.at(-1)?.runtimeCheckpoint ?? null
    const settledCalls: SettledCall[] = []
    const interruptedCalls: string[] = []
    const conversations = resume ? [resume, ...Object.values(resume.delegates ?? {})] : []
    for (const { toolCallId } of conversations.flatMap(({ pendingToolCalls }) => pendingToolCalls)) {
      const step = this.steps.findLast(({ execution }) => execution?.toolCallId === toolCallId)
      if (this.results.has(toolCallId))
        settledCalls.push({ toolCallId, outcome: { result: this.results.get(toolCallId) } })
      else if (step?.status === 'completed') settledCalls.push({ toolCallId, outcome: { result: step.update?.output } })
      else if (step?.status === 'failed' && step.update?.error && isCallFailure(step.update.error)) {
        settledCalls.push({ toolCallId, outcome: { error: step.update.error } })
      } else if (step && step.status !== 'waiting') interruptedCalls.push(toolCallId)
    }
    return structuredClone({
      run: { id: 'run_1', organizationId: 'org_1', agentId: 'agt_1', agentRevisionId: 'agr_1' },
      attempt: this.attempt,
      chain: this.chain,
      chainAttempt: this.chainAttempt,
      agent: { name: 'Agent', content: this.content },
      model: sandbox,
      operations: {},
      delegates: {},
      ...this.means,
      input: this.input,
      resume,
      settledCalls,
      interruptedCalls,
      heartbeatMs: 10_000,
    })
  }

  isLive(channel: FakeChannel): boolean {
    return this.#live === channel
  }

  /** Tells the runner of the live attempt what the server wants, at once. */
  tell(signal: Signal) {
    this.#live?.tell(signal)
  }

  get names(): string[] {
    return this.calls.map(({ name }) => name)
  }

  /** Messages of the latest checkpoint. */
  get messages() {
    return this.checkpoints.at(-1)?.runtimeCheckpoint.messages ?? []
  }

  stepsOf(kind: StepStart['kind']): RecordedStep[] {
    return this.steps.filter((step) => step.kind === kind)
  }
}
