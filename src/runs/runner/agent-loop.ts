/**
 * The durable loop of one agent, the run's own or a delegate: a model step, a checkpoint, its tool calls one by one
 * with a checkpoint after each, and again. After an interruption another attempt resumes from the latest checkpoint.
 * Source: contract 5; design 4.
 */
import type { StopReason } from '../../../machines/run.ts'
import { ProviderFailure } from '../providers/errors.ts'
import { estimatedUsage } from '../providers/estimate.ts'
import { type AgentEnd, type AgentPlace, type AttemptWork, startStep } from './attempt-work.ts'
import { makesCalls } from './conversation/conversation.ts'
import { OpenCalls } from './conversation/open-calls.ts'
import { readOutput } from './conversation/output.ts'
import { conversationTooLarge } from './conversation/size.ts'
import { DeltaStream } from './deltas.ts'
import { type ModelAnswer, readModelStep, stopReasonOf } from './model-step.ts'
import type { AssignedAgent, ModelCall, OpenCall, StepUpdate } from './protocol/protocol.ts'
import { Toolbox } from './tools/toolbox.ts'

const maxStepsDefault = 20

export class AgentLoop {
  readonly #toolbox: Toolbox
  readonly #calls: OpenCalls

  constructor(
    private readonly work: AttemptWork,
    private readonly place: AgentPlace,
  ) {
    const { agent, level } = place
    const { assignment, reports, services } = work
    this.#toolbox = new Toolbox({
      agent,
      level,
      executors: services.tools,
      callOperation: (call, signal) => reports.callOperation(call, signal),
    })
    this.#calls = new OpenCalls(work, place, this.#toolbox, (call, delegate, delegateStepId) =>
      this.#loopOf(call, delegate, delegateStepId),
    )
    const { missing } = this.#toolbox
    if (missing.length > 0) {
      const { agentId } = agent
      services.log.warn({ runId: assignment.run.id, agentId, tools: missing }, 'tools without an executor')
    }
  }

  /** Runs until the agent completes, fails, waits or is interrupted. Throws the error of a failed report. */
  async run(): Promise<AgentEnd> {
    const { interruption } = this.work
    await this.#calls.takeUp()
    for (;;) {
      if (interruption.reason) return { end: 'interrupted' }
      const { openCalls } = this.place.conversation
      if (this.#calls.unavailable) return this.#calls.unavailable
      const end = await (openCalls.length > 0 ? this.#calls.answer() : this.#nextStep())
      if (end) return end
    }
  }

  /** Whether an open call of this agent or of its delegates may have taken effect without a known outcome. */
  get mayHaveActed(): boolean {
    return this.#calls.mayHaveActed
  }

  /** The end of an agent that lacks a required dependency, else null. */
  get unavailable(): AgentEnd | null {
    return this.#calls.unavailable
  }

  #loopOf(call: OpenCall, agent: AssignedAgent, delegateStepId: number): AgentLoop {
    const conversation = this.work.conversations.answering(call)
    return new AgentLoop(this.work, { agent, conversation, delegateStepId, level: this.place.level + 1 })
  }

  #nextStep(): Promise<AgentEnd | null> {
    // it may have had to wait for the open calls
    this.place.conversation.applyInput()
    const { stopReason, stepCount } = this.place.conversation
    if (stopReason) return this.#complete(stopReason)
    if (stepCount >= (this.place.agent.content.maxSteps ?? maxStepsDefault)) return this.#complete('max_steps')
    if (this.place.conversation.isFull) return Promise.resolve({ end: 'failed', error: conversationTooLarge })
    return this.#modelStep()
  }

  async #modelStep(): Promise<AgentEnd | null> {
    const { interruption, reports, services } = this.work
    const agentStepId = await startModelStep(this.work, this.place)
    const deltas = new DeltaStream(agentStepId, services.pace, (group) => reports.deltas(group))
    const callIdOf = (vendorId: string) => this.place.conversation.callIds.of(vendorId)
    try {
      const parts = reports.streamModel(this.#request(agentStepId))
      const answer = await readModelStep(parts, deltas, interruption, callIdOf)
      if (answer.finish) return await this.#takeAnswer(agentStepId, answer as Finished)
      // the vendor reports usage at the end of a call, which did not come
      const tokenUsage = answer.streamed === '' ? undefined : await this.#estimateOf(answer.streamed)
      const output = { text: answer.text, toolCalls: [] }
      reports.endStep(agentStepId, { status: 'canceled', output, ...(tokenUsage && { tokenUsage }) })
      if (interruption.reason === 'cancel') this.place.conversation.replyInPart(answer.text)
      return null
    } catch (error) {
      if (error instanceof ProviderFailure) return this.#failStep(agentStepId, error)
      throw error
    }
  }

  #estimateOf(streamed: string) {
    const { agent, conversation } = this.place
    const { provider } = agent.model
    const system = agent.content.instructions
    return estimatedUsage(
      { provider, system, messages: conversation.messages, tools: this.#toolbox.definitions },
      streamed,
    )
  }

  #request(agentStepId: number): ModelCall {
    const { agent, conversation } = this.place
    return {
      agent,
      agentStepId,
      messages: conversation.messages,
      tools: this.#toolbox.definitions,
      signal: this.work.interruption.signal,
    }
  }

  /** Ends a finished model step, and the agent if the step made no calls. */
  async #takeAnswer(agentStepId: number, { text, finish }: Finished): Promise<AgentEnd | null> {
    const { conversation } = this.place
    const { reports } = this.work
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
        return this.#failStep(agentStepId, failure, { text, ending })
      }
      conversation.reply(assistantMessage, stopReason)
      reports.endStep(agentStepId, ending)
      this.#checkpoint(agentStepId, this.#isDelegate ? 'step' : 'final')
      return { end: 'completed', stopReason, output: output.value }
    }
    const toolCalls = conversation.reply(assistantMessage, null)
    reports.endStep(agentStepId, { ...ending, output: { text, toolCalls } })
    this.#checkpoint(agentStepId, 'step')
    return null
  }

  /**
   * Ends a failed model step. Partial text is stored for a later chain, as is an unusable answer with its problem, so
   * that the next attempt does not repeat it.
   */
  #failStep(agentStepId: number, failure: ProviderFailure, { text = '', ending }: FailedStep = {}): AgentEnd {
    const { code, message, retryable, retryAfterMs } = failure
    if (code === 'invalid_model_output') this.place.conversation.refuse(text, message)
    this.work.reports.endStep(agentStepId, { ...ending, status: 'failed', error: { code, message } })
    if (this.place.conversation.unsaved) this.#checkpoint(agentStepId, 'step')
    const error = {
      code,
      message,
      retryable,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs: Math.ceil(retryAfterMs) }),
    }
    return { end: 'failed', error }
  }

  /** Completes an agent whose conversation already ends with an answer. */
  async #complete(stopReason: StopReason): Promise<AgentEnd> {
    const output = await this.#outputOf(this.place.conversation.lastAnswer, stopReason)
    const { lastStepId } = this.work.reports
    if (lastStepId !== null && !this.#isDelegate) this.#checkpoint(lastStepId, 'final')
    return { end: 'completed', stopReason, output: 'value' in output ? output.value : null }
  }

  /** Only an answer that ended the turn must match the schema; a truncated one may have no output. */
  async #outputOf(text: string, stopReason: StopReason): Promise<{ value: unknown } | { problem: string }> {
    const { outputSchema } = this.place.agent.content
    if (!outputSchema) return { value: text }
    const output = await readOutput(text, outputSchema, this.work.assignment.run.organizationId)
    return 'problem' in output && stopReason !== 'end_turn' ? { value: null } : output
  }

  get #isDelegate(): boolean {
    return this.place.delegateStepId !== null
  }

  #checkpoint(agentStepId: number, kind: 'step' | 'final') {
    const { conversations, reports } = this.work
    reports.checkpoint(agentStepId, { kind, runtimeCheckpoint: conversations.checkpoint() })
  }
}

interface FailedStep {
  text?: string
  ending?: StepUpdate
}

type Finished = ModelAnswer & { finish: NonNullable<ModelAnswer['finish']> }

/** Starts the step of a model call that continues the agent's conversation. */
export function startModelStep(work: AttemptWork, place: AgentPlace): Promise<number> {
  const { provider, model } = place.agent.model
  const input = { messages: place.conversation.messages.length }
  return startStep(work, place, { kind: 'model', name: model, input, execution: { provider, model } })
}
