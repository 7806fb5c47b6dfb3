/** A turn as events of AG-UI. */
import { toApiError } from '../../platform/http/answers/failure.ts'
import { keepAlive, message } from '../event-stream.ts'
import type { PendingCall, TurnEvent } from '../turns/events.ts'
import { TurnSummary } from '../turns/summary.ts'

interface AgUiHead {
  threadId: string
  /** The client's own id of the request. */
  runId: string
  agentRunId: string
  /** The calls that the run waits for, if there is nothing else to report. */
  waiting?: readonly PendingCall[]
}

/** Kinds of calls that the user of the client can answer. */
const answeredHere = new Set(['tool', 'approval'])
const approval = {
  type: 'object',
  properties: { approved: { type: 'boolean' }, reason: { type: 'string' } },
  required: ['approved'],
}

export async function* agUiEvents(events: AsyncIterable<TurnEvent>, head: AgUiHead): AsyncGenerator<string> {
  const { threadId, runId, agentRunId, waiting } = head
  const place = { threadId, runId, metadata: { agentRunId } }
  const writer = new Writer(agentRunId)
  const summary = new TurnSummary()
  yield message({ type: 'RUN_STARTED', ...place })
  try {
    if (waiting) summary.add({ type: 'waiting', pending: [...waiting] })
    else {
      for await (const event of events) {
        summary.add(event)
        yield* writer.tell(event)
        if (summary.ended || (summary.isAsking && summary.pending.some(({ kind }) => answeredHere.has(kind)))) break
      }
    }
    yield* writer.close()
    yield message(endOf(summary, place))
  } catch (error) {
    const { message: text, code } = toApiError(error)
    yield message({ type: 'RUN_ERROR', message: text, code })
  }
}

function endOf({ ended, pending, usage }: TurnSummary, place: object) {
  const used = { usage: [usage] }
  const finished = { type: 'RUN_FINISHED', ...place, ...used }
  if (!ended) {
    const interrupts = pending.flatMap(({ approvalId, toolName, toolCallId, input }) =>
      approvalId === undefined
        ? []
        : [
            {
              id: approvalId,
              reason: 'approval',
              message: `${toolName} ${JSON.stringify(input)}`,
              toolCallId,
              responseSchema: approval,
            },
          ],
    )
    if (interrupts.length > 0) return { ...finished, outcome: { type: 'interrupt', interrupts } }
    const pendingToolCallIds = pending.map(({ toolCallId }) => toolCallId)
    return { ...finished, outcome: { type: 'success', pendingToolCallIds } }
  }
  const { state, stateReason } = ended.run
  if (state === 'completed') {
    const isText = typeof ended.output === 'string' || ended.output === null
    return { ...finished, outcome: { type: 'success' }, ...(isText ? {} : { result: ended.output }) }
  }
  if (state === 'canceled') return { ...finished, outcome: { type: 'cancelled' } }
  const { message: text, code } = stateReason ?? { message: `The run has ${state}.`, code: `run_${state}` }
  return { type: 'RUN_ERROR', message: text, code, ...used }
}

class Writer {
  #open: { kind: 'text' | 'reasoning'; id: string } | undefined
  /** Calls whose input is being streamed. */
  readonly #calls = new Set<string>()

  constructor(private readonly agentRunId: string) {}

  *tell(event: TurnEvent): Generator<string> {
    switch (event.type) {
      case 'idle':
        yield keepAlive
        break
      case 'text':
      case 'reasoning':
        yield* this.#say(event.type, event.stepId, event.text)
        break
      case 'toolInput':
        yield* this.#begin(event.toolCallId, event.toolName, event.stepId)
        yield message({ type: 'TOOL_CALL_ARGS', toolCallId: event.toolCallId, delta: event.text })
        break
      case 'modelEnded':
        for (const { toolCallId, toolName, input } of event.toolCalls) {
          if (this.#calls.has(toolCallId)) continue
          yield* this.#begin(toolCallId, toolName, event.stepId)
          yield message({ type: 'TOOL_CALL_ARGS', toolCallId, delta: JSON.stringify(input) })
        }
        yield* this.close()
        break
      case 'modelFailed':
        yield* this.close()
        break
      case 'toolEnded': {
        const { toolCallId } = event.call
        const content = event.error ? event.error.message : textOf(event.output)
        yield message({
          type: 'TOOL_CALL_RESULT',
          messageId: `result_${toolCallId}`,
          toolCallId,
          content,
          role: 'tool',
        })
        break
      }
    }
  }

  /** Ends all open messages and calls. */
  *close(): Generator<string> {
    yield* this.#closeText()
    for (const toolCallId of this.#calls) yield message({ type: 'TOOL_CALL_END', toolCallId })
    this.#calls.clear()
  }

  *#say(kind: 'text' | 'reasoning', stepId: number, delta: string): Generator<string> {
    const id = this.#idOf(kind, stepId)
    if (this.#open?.id !== id) {
      yield* this.close()
      this.#open = { kind, id }
      if (kind === 'text') yield message({ type: 'TEXT_MESSAGE_START', messageId: id, role: 'assistant' })
      else {
        yield message({ type: 'REASONING_START', messageId: id })
        yield message({ type: 'REASONING_MESSAGE_START', messageId: id, role: 'reasoning' })
      }
    }
    const type = kind === 'text' ? 'TEXT_MESSAGE_CONTENT' : 'REASONING_MESSAGE_CONTENT'
    yield message({ type, messageId: id, delta })
  }

  *#closeText(): Generator<string> {
    if (!this.#open) return
    const { kind, id: messageId } = this.#open
    this.#open = undefined
    if (kind === 'text') yield message({ type: 'TEXT_MESSAGE_END', messageId })
    else {
      yield message({ type: 'REASONING_MESSAGE_END', messageId })
      yield message({ type: 'REASONING_END', messageId })
    }
  }

  *#begin(toolCallId: string, toolCallName: string, stepId: number): Generator<string> {
    if (this.#calls.has(toolCallId)) return
    const parentMessageId = this.#idOf('text', stepId)
    yield* this.#closeText()
    this.#calls.add(toolCallId)
    yield message({ type: 'TOOL_CALL_START', toolCallId, toolCallName, parentMessageId })
  }

  #idOf(kind: string, stepId: number): string {
    return `${kind}_${this.agentRunId.slice('run_'.length)}_${stepId}`
  }
}

const textOf = (output: unknown): string => (typeof output === 'string' ? output : JSON.stringify(output ?? null))
