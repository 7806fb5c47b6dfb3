/**
 * The durable loop of an attempt: model step, checkpoint, tool calls one by one with a checkpoint after each, and again.
 * Whatever happens in between, another attempt goes on from the latest checkpoint. Source: contract 5; design 4.
 */
import type { StopReason } from '../../machines/run.ts'
import { ProviderFailure } from '../providers/errors.ts'
import type { Provider } from '../providers/vendors.ts'
import { Conversation, makesCalls } from './conversation.ts'
import { DeltaStream } from './deltas.ts'
import type { Interruption } from './interruption.ts'
import { closings } from './messages.ts'
import { type ModelAnswer, readModelStep, stopReasonOf } from './model-step.ts'
import { OpenCalls } from './open-calls.ts'
import { outputInstructions, readOutput } from './output.ts'
import {
  type Assignment,
  type CheckpointReport,
  type CompletionReport,
  StaleAttempt,
  type StepUpdate,
} from './protocol.ts'
import type { Reports } from './reports.ts'
import type { RunnerServices } from './services.ts'
import { Toolbox } from './tools/toolbox.ts'

const maxStepsDefault = 20

export class AttemptLoop {
  readonly #conversation: Conversation
  readonly #toolbox: Toolbox
  readonly #calls: OpenCalls

  constructor(
    private readonly assignment: Assignment,
    private readonly reports: Reports,
    private readonly interruption: Interruption,
    private readonly services: RunnerServices,
  ) {
    this.#conversation = new Conversation(assignment)
    this.#toolbox = new Toolbox(assignment, services.tools)
    this.#calls = new OpenCalls(assignment, this.#conversation, this.#toolbox, reports, interruption, services.log)
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
    await this.#calls.takeUp()
    for (;;) {
      if (interruption.reason) return this.#windDown()
      const report = await (this.#conversation.openCalls.length > 0 ? this.#calls.answer() : this.#nextStep())
      if (report) return report
    }
  }

  #nextStep(): Promise<CompletionReport | null> | CompletionReport {
    const { stopReason, stepCount } = this.#conversation
    if (stopReason) return this.#complete(stopReason)
    if (stepCount >= (this.assignment.agent.content.maxSteps ?? maxStepsDefault)) return this.#complete('max_steps')
    return this.#modelStep()
  }

  async #modelStep(): Promise<CompletionReport | null> {
    const { interruption, reports, services } = this
    const agentStepId = await this.#startModelStep()
    const deltas = new DeltaStream(agentStepId, services.pace, (group) => reports.deltas(group))
    try {
      const answer = await readModelStep(services.streamStep(this.#request()), deltas, interruption)
      if (answer.finish) return await this.#takeAnswer(agentStepId, answer as Finished)
      reports.endStep(agentStepId, { status: 'canceled', output: { text: answer.text, toolCalls: [] } })
      if (interruption.reason === 'cancel') this.#conversation.replyInPart(answer.text)
      return null
    } catch (error) {
      if (error instanceof ProviderFailure) return this.#failStep(agentStepId, error)
      throw error
    }
  }

  #startModelStep(): Promise<number> {
    const { provider, model } = this.assignment.model
    const input = { messages: this.#conversation.messages.length }
    return this.reports.startStep({ kind: 'model', name: model, input, execution: { provider, model } })
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
    const error = {
      code,
      message,
      retryable,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs: Math.ceil(retryAfterMs) }),
    }
    return { outcome: 'failed', error }
  }

  /** Ends an attempt whose conversation has come to its end without another model step. */
  async #complete(stopReason: StopReason): Promise<CompletionReport> {
    const output = await this.#outputOf(this.#conversation.lastAnswer, stopReason)
    const { lastStepId } = this.reports
    if (lastStepId !== null) this.#checkpoint(lastStepId, 'final')
    return { outcome: 'completed', stopReason, output: 'value' in output ? output.value : null }
  }

  /** Only the end of a turn promises an output that matches the schema; an answer that was cut short may have none. */
  async #outputOf(text: string, stopReason: StopReason): Promise<{ value: unknown } | { problem: string }> {
    const { outputSchema } = this.assignment.agent.content
    if (!outputSchema) return { value: text }
    const output = await readOutput(text, outputSchema)
    return 'problem' in output && stopReason !== 'end_turn' ? { value: null } : output
  }

  async #windDown(): Promise<CompletionReport> {
    const { reason } = this.interruption
    if (reason === 'drain') return drained
    if (reason === 'cancel') {
      await this.#keepConversation()
      return { outcome: 'canceled' }
    }
    if (reason === 'broken') await this.reports.settle()
    throw new StaleAttempt('The lease was lost.')
  }

  /** Closes what is open and stores what was said, so that a later chain goes on from a conversation that is whole. */
  async #keepConversation() {
    const conversation = this.#conversation
    for (const call of conversation.openCalls) conversation.answer(call, closings.canceled)
    conversation.applyInput()
    if (!conversation.unsaved) return
    const { reports } = this
    let agentStepId = reports.lastStepId
    if (agentStepId === null) {
      // A checkpoint needs a step, and the cancel came before the first one.
      agentStepId = await this.#startModelStep()
      reports.endStep(agentStepId, { status: 'canceled' })
    }
    this.#checkpoint(agentStepId, 'step')
  }

  #checkpoint(agentStepId: number, kind: CheckpointReport['kind']) {
    this.reports.checkpoint(agentStepId, { kind, runtimeCheckpoint: this.#conversation.checkpoint() })
  }
}

type Finished = ModelAnswer & { finish: NonNullable<ModelAnswer['finish']> }

/** What the server takes for an attempt that was handed back: it costs no retry. */
const drained: CompletionReport = {
  outcome: 'failed',
  error: { code: 'machine_unavailable', retryable: true, message: 'The runner was drained.' },
}

const isPositiveInteger = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0
