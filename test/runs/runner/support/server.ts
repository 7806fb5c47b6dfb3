/**
 * The server's side of one run, in memory: it stores reports, refuses those of a stale attempt, and makes the next
 * assignment from what it has stored.
 */

import type { Clock } from '../../../../src/platform/time/clock.ts'
import { streamStep } from '../../../../src/runs/providers/call.ts'
import type { ModelAccess, StepPart, StepRequest } from '../../../../src/runs/providers/step.ts'
import { stepRequest } from '../../../../src/runs/runner/model-request.ts'
import {
  type AgentContent,
  type AgentMeans,
  type AssignedAgent,
  type Assignment,
  type AttemptChannel,
  type CallAnswer,
  type CheckpointReport,
  type CompletionReport,
  isCallFailure,
  type ModelCall,
  type OperationCall,
  type RunInput,
  type SettledCall,
  type Signal,
  StaleAttempt,
  type StepDelta,
  type StepStart,
  type StepUpdate,
} from '../../../../src/runs/runner/protocol/protocol.ts'

interface RecordedStep extends StepStart {
  agentStepId: number
  attempt: number
  status: string
  update?: StepUpdate
}

interface RecordedCall {
  attempt: number
  name: 'boot' | 'startStep' | 'endStep' | 'checkpoint' | 'deltas' | 'complete'
  detail: unknown
}

export const leaseMs = 30_000

export const sandbox = { provider: 'sandbox', model: 'sandbox', reasoningBudget: null }

/** The ids of all delegates of an agent, at all levels. */
const idsBelow = (delegates: Record<string, AssignedAgent>): string[] =>
  Object.values(delegates).flatMap((agent) => [agent.agentId, ...idsBelow(agent.delegates)])

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

export class FakeChannel implements AttemptChannel {
  readonly lease
  #booted = false
  #tail: Promise<unknown> = Promise.resolve()
  #listener: ((signal: Signal) => void) | undefined

  constructor(
    private readonly server: FakeServer,
    private readonly clock: Clock,
    readonly assignment: Assignment,
  ) {
    this.lease = {
      attemptId: `att_${assignment.attempt}`,
      agentRunId: assignment.run.id,
      fencingToken: assignment.attempt,
      expiresAt: new Date(clock.now() + leaseMs).toISOString(),
    }
  }

  boot() {
    return this.#take('boot', null, () => {
      if (this.#booted) throw new Error('An attempt boots once.')
      this.#booted = true
    })
  }

  streamModel({ agent, ...asked }: ModelCall) {
    const access = agent.model as ModelAccess
    return this.server.streamStep(stepRequest(agent.content, access, this.assignment.chainAttempt, asked))
  }

  async heartbeat(progress: { lastStepSequence: number }) {
    this.server.heartbeats.push(progress)
    await this.server.onHeartbeat?.()
    if (!this.server.isLive(this)) throw new StaleAttempt('stale')
    return { expiresAt: new Date(this.clock.now() + leaseMs).toISOString(), signal: this.server.signal }
  }

  startStep(step: StepStart) {
    return this.#take('startStep', step, () => {
      const agentStepId = this.server.steps.length + 1
      const { attempt, run, delegates } = this.assignment
      const { agentId = run.agentId, parentAgentStepId: parent } = step
      if (![run.agentId, ...idsBelow(delegates)].includes(agentId)) throw new Error(`${agentId} is not at work here.`)
      const above = parent ? this.#step(parent) : undefined
      if (above && (above.status !== 'running' || above.attempt !== attempt)) {
        throw new Error('A step lies below one that has not ended.')
      }
      this.server.steps.push({ ...structuredClone(step), agentStepId, attempt, status: 'running' })
      return { agentStepId }
    })
  }

  endStep(agentStepId: number, update: StepUpdate) {
    return this.#take('endStep', update, () => {
      const step = this.#step(agentStepId)
      if (step.status !== 'running') throw new Error(`Step ${agentStepId} has ended already.`)
      step.status = update.status
      step.update = structuredClone(update)
    })
  }

  checkpoint(agentStepId: number, report: CheckpointReport) {
    return this.#take('checkpoint', report, () => {
      const { attempt } = this.#step(agentStepId)
      const { attempt: own } = this.assignment
      if (attempt !== own) throw new Error('A checkpoint belongs to a step of its own attempt.')
      this.server.checkpoints.push({ ...structuredClone(report), agentStepId, attempt })
      return { checkpointId: this.server.checkpoints.length }
    })
  }

  deltas(deltas: StepDelta[]) {
    return this.#take('deltas', deltas, () => {
      for (const { agentStepId } of deltas) {
        if (this.#step(agentStepId).status !== 'running') throw new Error('Text for a step that has ended.')
      }
      this.server.deltas.push(...structuredClone(deltas))
    })
  }

  async callOperation(call: OperationCall, signal: AbortSignal): Promise<CallAnswer> {
    await this.#tail
    if (!this.server.isLive(this)) throw new StaleAttempt('stale')
    const { operationCalls, steps } = this.server
    const isAbout = ({ status, execution }: RecordedStep) =>
      status === 'running' && execution?.toolCallId === call.toolCallId
    if (!steps.some(isAbout)) throw new Error('No step is about this call.')
    operationCalls.push(structuredClone(call))
    const outcome = await this.server.onOperation(call, signal)
    if (!this.server.isLive(this)) throw new StaleAttempt('stale')
    return structuredClone(outcome)
  }

  complete(report: CompletionReport) {
    return this.#take('complete', report, () => {
      this.server.completions.push(structuredClone(report))
      this.server.endAttempt()
    })
  }

  onSignal(listener: (signal: Signal) => void) {
    this.#listener = listener
  }

  /** What the server wants of the runner, told at once. */
  tell(signal: Signal) {
    this.#listener?.(signal)
  }

  #step(agentStepId: number): RecordedStep {
    const step = this.server.steps[agentStepId - 1]
    if (!step) throw new Error(`There is no step ${agentStepId}.`)
    return step
  }

  /** Takes reports in the order in which they are made, each a little later. */
  #take<Result>(name: RecordedCall['name'], detail: unknown, apply: () => Result): Promise<Result> {
    const call: RecordedCall = { attempt: this.assignment.attempt, name, detail: structuredClone(detail) }
    const taken = this.#tail.then(() => {
      if (!this.server.isLive(this)) throw new StaleAttempt('stale')
      if (name !== 'boot' && !this.#booted) throw new Error(`${name} before boot.`)
      this.server.onReport?.(this.server.calls.length + 1, call)
      const result = apply()
      this.server.calls.push(call)
      this.server.onTaken?.(this.server.calls.length, call)
      return result
    })
    this.#tail = taken.catch(() => {})
    return taken
  }
}
