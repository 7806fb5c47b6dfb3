/** A turn as the AI SDK's UI message stream. */
import { toApiError } from '../../platform/http/answers/failure.ts'
import type { ReachedAgent } from '../agents.ts'
import { keepAlive, message } from '../event-stream.ts'
import type { PendingCall, TurnEvent } from '../turns/events.ts'
import { TurnSummary } from '../turns/summary.ts'

export interface ChatHead {
  agentRunId: string
  messageId: string
  agent: Pick<ReachedAgent, 'content'>
  /** The calls that the run waits for, if there is nothing else to report. */
  waiting?: readonly PendingCall[]
  /** Calls that the client has just rejected. */
  denied?: readonly string[]
  /** The client may lack the outputs of its own tools: it has the message from its beginning. */
  isWhole?: boolean
}

const finishReasons: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  max_steps: 'length',
  max_output_tokens: 'length',
  content_filter: 'content-filter',
}

export async function* chatChunks(events: AsyncIterable<TurnEvent>, head: ChatHead): AsyncGenerator<string> {
  const { agentRunId, messageId } = head
  const writer = new Writer(head)
  const summary = new TurnSummary()
  yield message({ type: 'start', messageId, messageMetadata: { agentRunId } })
  try {
    if (head.waiting) yield* writer.waiting(head.waiting)
    else {
      for await (const event of events) {
        summary.add(event)
        yield* writer.tell(event)
        if (summary.isUsersTurn) break
      }
    }
    yield* writer.closeStep()
    const { ended, usage } = summary
    const state = ended?.run.state
    if (state === 'failed')
      yield message({ type: 'error', errorText: ended?.run.stateReason?.message ?? 'The run failed.' })
    else if (state === 'canceled' || state === 'expired')
      yield message({ type: 'abort', reason: `The run was ${state}.` })
    const finishReason = ended ? finishReasonOf(state, ended.run.stopReason) : 'tool-calls'
    yield message({ type: 'finish', finishReason, messageMetadata: { agentRunId, usage } })
  } catch (error) {
    yield message({ type: 'error', errorText: toApiError(error).message })
  }
  yield message('[DONE]')
}

const finishReasonOf = (state: string | undefined, stopReason: string | null): string => {
  if (state === 'completed') return finishReasons[stopReason ?? 'end_turn'] ?? 'stop'
  return state === 'failed' ? 'error' : 'other'
}

class Writer {
  #isStepOpen = false
  #open: { kind: 'text' | 'reasoning'; id: string } | undefined
  /** Calls whose begin the client has received, and not their whole input: their tools by id. */
  readonly #begun = new Map<string, string>()
  /** Calls that were begun and not made; a repeated step may begin them again. */
  readonly #dropped = new Set<string>()
  /** Approvals that the client has been asked for. */
  readonly #asked = new Set<string>()
  readonly #interactive: ReadonlySet<string>

  constructor(private readonly head: ChatHead) {
    const { agent } = head
    const tools = agent.content.tools ?? []
    this.#interactive = new Set(tools.flatMap((tool) => (tool.kind === 'interactive' ? [tool.name] : [])))
  }

  *tell(event: TurnEvent): Generator<string> {
    switch (event.type) {
      case 'idle':
        yield keepAlive
        break
      case 'modelStarted':
        yield* this.closeStep()
        yield* this.#openStep()
        break
      case 'text':
      case 'reasoning':
        yield* this.#say(event.type, event.stepId, event.text)
        break
      case 'toolInput':
        yield* this.#begin(event.toolCallId, event.toolName)
        yield message({ type: 'tool-input-delta', toolCallId: event.toolCallId, inputTextDelta: event.text })
        break
      case 'modelEnded':
        yield* this.#closeText()
        for (const { toolCallId, toolName, input } of event.toolCalls) {
          this.#begun.delete(toolCallId)
          yield message({ type: 'tool-input-available', toolCallId, toolName, input, ...this.#executedBy(toolName) })
        }
        yield* this.#dropCalls()
        break
      case 'modelFailed':
        yield* this.#closeText()
        yield* this.#dropCalls()
        break
      case 'toolEnded':
        yield* this.#result(event)
        break
      case 'waiting':
        yield* this.waiting(event.pending)
        break
    }
  }

  *waiting(pending: readonly PendingCall[]): Generator<string> {
    for (const { toolCallId, approvalId } of pending) {
      // of several, one may have been decided: the client would lose its decisions on the others
      if (approvalId === undefined || this.#asked.has(approvalId)) continue
      this.#asked.add(approvalId)
      yield message({ type: 'tool-approval-request', approvalId, toolCallId })
    }
  }

  *closeStep(): Generator<string> {
    yield* this.#closeText()
    if (this.#isStepOpen) yield message({ type: 'finish-step' })
    this.#isStepOpen = false
  }

  *#openStep(): Generator<string> {
    if (this.#isStepOpen) return
    this.#isStepOpen = true
    yield message({ type: 'start-step' })
  }

  *#say(kind: 'text' | 'reasoning', stepId: number, delta: string): Generator<string> {
    const id = `${kind}_${stepId}`
    if (this.#open?.id !== id) {
      yield* this.#closeText()
      yield* this.#openStep()
      yield message({ type: `${kind}-start`, id })
      this.#open = { kind, id }
    }
    yield message({ type: `${kind}-delta`, id, delta })
  }

  *#closeText(): Generator<string> {
    if (this.#open) yield message({ type: `${this.#open.kind}-end`, id: this.#open.id })
    this.#open = undefined
  }

  *#begin(toolCallId: string, toolName: string): Generator<string> {
    if (this.#begun.has(toolCallId)) return
    this.#begun.set(toolCallId, toolName)
    yield* this.#closeText()
    const again = this.#dropped.has(toolCallId) && { providerExecuted: false }
    yield message({ type: 'tool-input-start', toolCallId, toolName, ...again, ...this.#executedBy(toolName) })
  }

  /** The step broke off, or its answer was cut: nobody makes these calls, nor answers them. */
  *#dropCalls(): Generator<string> {
    for (const [toolCallId, toolName] of this.#begun) {
      const errorText = 'The model did not complete this call.'
      const call = { toolCallId, toolName, input: {}, providerExecuted: true }
      yield message({ type: 'tool-input-error', ...call, errorText })
      this.#dropped.add(toolCallId)
    }
    this.#begun.clear()
  }

  /** The client that goes on with a message has the outputs of its own tools. */
  *#result({ call, output, error }: Extract<TurnEvent, { type: 'toolEnded' }>): Generator<string> {
    const { toolCallId, toolName } = call
    if (this.#interactive.has(toolName) && !this.head.isWhole) return
    const executed = this.#executedBy(toolName)
    if (!error) yield message({ type: 'tool-output-available', toolCallId, output, ...executed })
    else if (this.head.denied?.includes(toolCallId)) yield message({ type: 'tool-output-denied', toolCallId })
    else yield message({ type: 'tool-output-error', toolCallId, errorText: error.message, ...executed })
  }

  #executedBy(toolName: string) {
    return this.#interactive.has(toolName) ? {} : { providerExecuted: true }
  }
}
