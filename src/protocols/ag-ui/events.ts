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
        if (summary.isUsersTurn) break
      }
    }
    yield* writer.close()
    yield message(finishOf(summary, place))
  } catch (error) {
    const { message: text, code } = toApiError(error)
    yield message({ type: 'RUN_ERROR', message: text, code })
  }
}

function finishOf({ ended, pending, usage }: TurnSummary, place: object) {
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

interface CallName {
  toolCallId: string
  toolName: string
}

/** A call whose begin the client has received, and that is not made yet. */
interface BegunCall {
  stepId: number
  /** What the client has of its input. */
  sent: string
  /** How much of that this step has said; undefined: it said something else. */
  at: number | undefined
  isOpen: boolean
}

class Writer {
  #open: { kind: 'text' | 'reasoning'; id: string } | undefined
  /** By id. A step that repeats one that broke off may begin its calls again. */
  readonly #calls = new Map<string, BegunCall>()

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
        yield* this.#input(event, event.stepId, event.text)
        break
      case 'modelEnded':
        for (const call of event.toolCalls) {
          const begun = this.#calls.get(call.toolCallId)
          if (!begun || !isSaid(begun)) {
            if (begun) begun.at = 0
            yield* this.#input(call, begun?.stepId ?? event.stepId, JSON.stringify(call.input))
          }
          if (this.#calls.get(call.toolCallId)?.isOpen) yield endOf(call.toolCallId)
          this.#calls.delete(call.toolCallId)
        }
        yield* this.close()
        break
      case 'modelFailed':
        yield* this.#pause()
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

  /** Ends all open messages and calls. Calls that were begun and not made have failed: nobody answers them. */
  *close(): Generator<string> {
    yield* this.#pause()
    for (const [toolCallId, { stepId }] of this.#calls) {
      const messageId = `${this.#idOf('broken', stepId)}_${toolCallId}`
      const content = 'The model did not complete this call.'
      yield message({ type: 'TOOL_CALL_RESULT', messageId, toolCallId, content, role: 'tool' })
    }
    this.#calls.clear()
  }

  /** The same for a step that broke off, whose calls may be begun again. */
  *#pause(): Generator<string> {
    yield* this.#closeText()
    for (const [toolCallId, call] of this.#calls) {
      if (call.isOpen) yield endOf(toolCallId)
      call.isOpen = false
    }
  }

  *#say(kind: 'text' | 'reasoning', stepId: number, delta: string): Generator<string> {
    const id = this.#idOf(kind, stepId)
    if (this.#open?.id !== id) {
      yield* this.#closeText()
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

  /** The client appends each input: of a repeated step it gets what it lacks, and what differs cannot be taken back. */
  *#input({ toolCallId, toolName: toolCallName }: CallName, stepId: number, text: string): Generator<string> {
    const before = this.#calls.get(toolCallId)
    const call = before ?? { stepId, sent: '', at: 0, isOpen: false }
    this.#calls.set(toolCallId, call)
    if (call.stepId !== stepId) Object.assign(call, { stepId, at: 0 })
    if (call.at === undefined) return
    const known = call.at < call.sent.length ? call.sent.slice(call.at, call.at + text.length) : ''
    const isSame = text.startsWith(known)
    call.at = isSame ? call.at + text.length : undefined
    const lacks = text.slice(known.length)
    if (before && (!isSame || lacks === '')) return
    if (!call.isOpen) {
      yield* this.#closeText()
      const parentMessageId = this.#idOf('text', stepId)
      yield message({ type: 'TOOL_CALL_START', toolCallId, toolCallName, parentMessageId })
    }
    call.isOpen = true
    call.sent += lacks
    yield message({ type: 'TOOL_CALL_ARGS', toolCallId, delta: lacks })
  }

  #idOf(kind: string, stepId: number): string {
    return `${kind}_${this.agentRunId.slice('run_'.length)}_${stepId}`
  }
}

const endOf = (toolCallId: string) => message({ type: 'TOOL_CALL_END', toolCallId })

/** Whether the step has streamed the whole input of the call. */
function isSaid({ sent, at }: BegunCall): boolean {
  if (at === undefined) return true
  try {
    JSON.parse(sent.slice(0, at))
    return true
  } catch {
    return false
  }
}

const textOf = (output: unknown): string => (typeof output === 'string' ? output : JSON.stringify(output ?? null))
