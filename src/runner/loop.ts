/**
 * The durable loop of an attempt: model step, checkpoint, tool calls one by one with a checkpoint after each, and again.
 * Whatever happens in between, another attempt goes on from the latest checkpoint. Source: contract 5; design 4.
 */
import type { PendingInput, StopReason } from '../../machines/run.ts'
import { ProviderFailure } from '../providers/errors.ts'
import type { Provider } from '../providers/vendors.ts'
import { type CallOutcome, Conversation, makesCalls } from './conversation.ts'
import { DeltaStream } from './deltas.ts'
import { type Interruption, interrupted } from './interruption.ts'
import { closings } from './messages.ts'
import { type ModelAnswer, readModelStep, stopReasonOf } from './model-step.ts'
import { outputInstructions, readOutput } from './output.ts'
import {
  type Assignment,
  type CheckpointReport,
  type CompletionReport,
  type OpenCall,
  StaleAttempt,
  type StepUpdate,
} from './protocol.ts'
import type { Reports } from './reports.ts'
import type { RunnerServices } from './services.ts'
import { execute, refusalOf, toolError } from './tools/call.ts'
import { type OfferedTool, Toolbox } from './tools/toolbox.ts'

const maxStepsDefault = 20

export class AttemptLoop {
  readonly #conversation: Conversation
  readonly #toolbox: Toolbox
  /** Begun by an earlier attempt, outcome unknown. */
  readonly #interruptedCalls: ReadonlySet<string>
  #lastStepId: number | null = null

  constructor(
    private readonly assignment: Assignment,
    private readonly reports: Reports,
    private readonly interruption: Interruption,
    private readonly services: RunnerServices,
  ) {
    this.#conversation = new Conversation(assignment)
    this.#toolbox = new Toolbox(assignment, services.tools)
    this.#interruptedCalls = new Set(assignment.interruptedCalls)
    if (this.#toolbox.missing.length > 0) {
      services.log.warn({ runId: assignment.run.id, tools: this.#toolbox.missing }, 'tools that this runner lacks')
    }
  }

  /**
   * Carries the attempt out and says how it ended; the last reports before that may still be on their way. Throws
   * StaleAttempt when the attempt is lost, or what a failed report threw.
   */
  async run(): Promise<CompletionReport> {
    const { interruption } = this
    this.reports.boot()
    await this.#takeUp()
    for (;;) {
      if (interruption.reason) return this.#windDown()
      const report = await (this.#conversation.openCalls.length > 0 ? this.#answerCalls() : this.#nextStep())
      if (report) return report
    }
  }

  /** Closes what an earlier attempt or the user has settled, and applies the input of a new chain. */
  async #takeUp() {
    const conversation = this.#conversation
    const settled = new Map(this.assignment.settledCalls.map(({ toolCallId, outcome }) => [toolCallId, outcome]))
    for (const call of conversation.openCalls) {
      const outcome = settled.get(call.toolCallId)
      if (outcome) conversation.answer(call, outcome)
    }
    if (!conversation.unappliedInput) return
    for (const call of conversation.openCalls) {
      if (this.interruption.reason) return
      if (this.#isUnknown(call, this.#toolbox.find(call.toolName))) await this.#toolStep(call, closings.unknown)
      else conversation.answer(call, closings.superseded)
    }
    conversation.applyInput()
  }

  #nextStep(): Promise<CompletionReport | null> | CompletionReport {
    const { stopReason, stepCount } = this.#conversation
    if (stopReason) return this.#complete(stopReason)
    if (stepCount >= (this.assignment.agent.content.maxSteps ?? maxStepsDefault)) return this.#complete('max_steps')
    return this.#modelStep()
  }

  async #modelStep(): Promise<CompletionReport | null> {
    const { assignment, interruption, reports, services } = this
    const { provider, model } = assignment.model
    const conversation = this.#conversation
    const agentStepId = await reports.startStep({
      kind: 'model',
      name: model,
      input: { messages: conversation.messages.length },
      execution: { provider, model },
    })
    this.#lastStepId = agentStepId
    const deltas = new DeltaStream(agentStepId, services.pace, (group) => reports.deltas(group))
    try {
      const answer = await readModelStep(services.streamStep(this.#request()), deltas, interruption)
      if (answer.finish) return await this.#takeAnswer(agentStepId, answer as Finished)
      reports.endStep(agentStepId, { status: 'canceled', output: { text: answer.text, toolCalls: [] } })
      if (interruption.reason === 'cancel') conversation.replyInPart(answer.text)
      return null
    } catch (error) {
      if (error instanceof ProviderFailure) return this.#failStep(agentStepId, error)
      throw error
    }
  }

  #request() {
    const { model, agent, chainAttempt } = this.assignment
    const { content } = agent
    const maxOutputTokens = content.model?.settings?.maxOutputTokens
    return {
      provider: model.provider as Provider,
      model: model.model,
      apiKey: model.apiKey,
      baseUrl: model.baseUrl,
      reasoningBudget: model.reasoningBudget,
      system: content.outputSchema
        ? content.instructions + outputInstructions(content.outputSchema)
        : content.instructions,
      messages: this.#conversation.messages,
      tools: this.#toolbox.definitions,
      signal: this.interruption.signal,
      attempt: chainAttempt,
      ...(isPositiveInteger(maxOutputTokens) ? { maxOutputTokens } : {}),
    }
  }

  /** Ends a model step that has finished, and the attempt if it made no calls. */
  async #takeAnswer(agentStepId: number, { text, finish }: Finished): Promise<CompletionReport | null> {
    const conversation = this.#conversation
    const { assistantMessage } = finish
    const stopReason = makesCalls(assistantMessage) ? null : stopReasonOf(finish)
    const ending: StepUpdate = {
      status: 'completed',
      output: { text, toolCalls: [] },
      tokenUsage: finish.usage,
      execution: { finishReason: finish.finishReason },
    }
    if (stopReason) {
      const output = await this.#outputOf(text, stopReason)
      if ('problem' in output) {
        const failure = new ProviderFailure('invalid_model_output', output.problem, { retryable: true })
        return this.#failStep(agentStepId, failure, ending)
      }
      conversation.reply(assistantMessage, stopReason)
      this.reports.endStep(agentStepId, ending)
      this.#checkpoint(agentStepId, 'final')
      return { outcome: 'completed', stopReason, output: output.value }
    }
    const toolCalls = conversation.reply(assistantMessage, null)
    this.reports.endStep(agentStepId, { ...ending, output: { text, toolCalls } })
    this.#checkpoint(agentStepId, 'step')
    return null
  }

  /** Ends a model step that failed. What was said before is kept, so that a later chain knows of it. */
  #failStep(agentStepId: number, failure: ProviderFailure, ending?: StepUpdate): CompletionReport {
    const { code, message, retryable, retryAfterMs } = failure
    this.reports.endStep(agentStepId, { ...ending, status: 'failed', error: { code, message } })
    if (this.#conversation.unsaved) this.#checkpoint(agentStepId, 'step')
    const error = { code, message, retryable, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
    return { outcome: 'failed', error }
  }

  /** Makes the calls that can be made here; the run then waits for the others. */
  async #answerCalls(): Promise<CompletionReport | null> {
    const awaited: AwaitedCall[] = []
    for (const call of this.#conversation.openCalls) {
      if (this.interruption.reason) return null
      const tool = this.#toolbox.find(call.toolName)
      const refusal = this.#isUnknown(call, tool) ? closings.unknown : await refusalOf(call, tool)
      if (!refusal && tool?.executor === null) awaited.push({ call, kind: tool.stepKind })
      else await this.#toolStep(call, refusal, tool)
    }
    return awaited.length > 0 && !this.interruption.reason ? this.#suspend(awaited) : null
  }

  /** Whether a call may have taken effect already, and must not be made again. */
  #isUnknown({ toolCallId }: OpenCall, tool: OfferedTool | undefined): boolean {
    if (!this.#interruptedCalls.has(toolCallId)) return false
    return !tool || (tool.executor !== null && !tool.executor.idempotent)
  }

  /** One step for a call: it is made, unless its outcome is given. */
  async #toolStep(call: OpenCall, given: CallOutcome | null, tool?: OfferedTool) {
    const { interruption, reports } = this
    const agentStepId = await this.#startCall(call, tool?.stepKind ?? 'tool')
    // Called off in time; but one that would count as begun and can't be repeated is rather made than handed back.
    const calledOff = interruption.reason === 'drain' ? tool?.executor?.idempotent !== false : interruption.reason
    const outcome = given ?? (calledOff ? interrupted : await this.#execute(call, tool))
    if (outcome === interrupted) return reports.endStep(agentStepId, { status: 'canceled' })
    reports.endStep(
      agentStepId,
      'error' in outcome ? { status: 'failed', error: outcome.error } : { status: 'completed', output: outcome.result },
    )
    this.#conversation.answer(call, outcome)
    this.#checkpoint(agentStepId, 'step')
  }

  #execute(call: OpenCall, tool: OfferedTool | undefined) {
    if (!tool?.executor) return toolError(`There is no tool named ${call.toolName}.`)
    const { log } = this.services
    return execute(call, tool.executor, { runId: this.assignment.run.id, interruption: this.interruption, log })
  }

  async #startCall({ toolCallId, toolName, input }: OpenCall, kind: 'tool' | 'delegate'): Promise<number> {
    this.#lastStepId = await this.reports.startStep({ kind, name: toolName, input, execution: { toolCallId } })
    return this.#lastStepId
  }

  /** Lets the run wait: for the results of interactive tools first, for those of delegates in a later attempt. */
  async #suspend(awaited: AwaitedCall[]): Promise<CompletionReport | null> {
    const kind = awaited.some((pending) => pending.kind === 'tool') ? 'tool' : 'delegate'
    const chosen = awaited.filter((pending) => pending.kind === kind)
    const steps = await Promise.all(chosen.map(({ call }) => this.#startCall(call, kind)))
    const status = this.interruption.reason ? 'canceled' : 'waiting'
    for (const agentStepId of steps) this.reports.endStep(agentStepId, { status })
    if (status === 'canceled') return null
    this.#checkpoint(steps[0]!, 'suspended')
    const awaiting = chosen.map(({ call }): PendingInput => ({ kind, ...call }))
    return { outcome: kind === 'tool' ? 'awaitingToolResult' : 'awaitingDelegateResult', awaiting }
  }

  /** Ends an attempt whose conversation has come to its end without another model step. */
  async #complete(stopReason: StopReason): Promise<CompletionReport> {
    const output = await this.#outputOf(this.#conversation.lastAnswer, stopReason)
    if (this.#lastStepId !== null) this.#checkpoint(this.#lastStepId, 'final')
    return { outcome: 'completed', stopReason, output: 'value' in output ? output.value : null }
  }

  /** Only the end of a turn promises an output that matches the schema; an answer that was cut short may have none. */
  async #outputOf(text: string, stopReason: StopReason): Promise<{ value: unknown } | { problem: string }> {
    const { outputSchema } = this.assignment.agent.content
    if (!outputSchema) return { value: text }
    const output = await readOutput(text, outputSchema)
    return 'problem' in output && stopReason !== 'end_turn' ? { value: null } : output
  }

  #windDown(): CompletionReport | Promise<CompletionReport> {
    const { reason } = this.interruption
    if (reason === 'lost') throw new StaleAttempt('The lease was lost.')
    if (reason === 'broken') return this.reports.settle().then(() => Promise.reject(new Error('A report failed.')))
    if (reason === 'drain') return drained
    const conversation = this.#conversation
    for (const call of conversation.openCalls) conversation.answer(call, closings.canceled)
    conversation.applyInput()
    if (this.#lastStepId !== null && conversation.unsaved) this.#checkpoint(this.#lastStepId, 'step')
    return { outcome: 'canceled' }
  }

  #checkpoint(agentStepId: number, kind: CheckpointReport['kind']) {
    this.reports.checkpoint(agentStepId, { kind, runtimeCheckpoint: this.#conversation.checkpoint() })
  }
}

type Finished = ModelAnswer & { finish: NonNullable<ModelAnswer['finish']> }

/** A call whose result comes from outside. */
interface AwaitedCall {
  call: OpenCall
  kind: 'tool' | 'delegate'
}

/** What the server takes for an attempt that was handed back: it costs no retry. */
const drained: CompletionReport = {
  outcome: 'failed',
  error: { code: 'machine_unavailable', retryable: true, message: 'The runner was drained.' },
}

const isPositiveInteger = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0
