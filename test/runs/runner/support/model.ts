/** A model that follows a script, at the current position of the conversation. */
import type { AssistantModelMessage, ModelMessage } from 'ai'
import type { FinishReason, StepPart, StepRequest } from '../../../../src/runs/providers/step.ts'
import { aborted } from '../../../../src/runs/providers/step.ts'

export interface Turn {
  text?: string
  reasoning?: string
  calls?: { toolCallId: string; toolName: string; input: unknown }[]
  finishReason?: FinishReason
  /** Thrown after the text. */
  fails?: Error
  /** Waits for this after the text, respecting the signal. */
  until?: Promise<void>
  /** Waits without respecting the signal. */
  deaf?: boolean
  /** Ends without `finish`. */
  unfinished?: boolean
}

export const usage = {
  inputTokens: 3,
  outputTokens: 2,
  totalTokens: 5,
  cachedInputTokens: 1,
  reasoningTokens: 0,
}

export interface ScriptedModel {
  streamStep(request: StepRequest): AsyncIterable<StepPart>
  requests: StepRequest[]
}

/**
 * Uses the turn with the number of answers since the last user message; the last turn is repeated. `turnsOf`: for other
 * agents, identified by their instructions.
 */
export function scriptedModel(turns: Turn[], turnsOf: Record<string, Turn[]> = {}): ScriptedModel {
  const requests: StepRequest[] = []
  return {
    requests,
    async *streamStep(request) {
      requests.push({ ...request, messages: structuredClone(request.messages) })
      const script = turnsOf[request.system] ?? turns
      const turn = script[Math.min(answersSince(request.messages), script.length - 1)]!
      yield* play(turn, request.signal)
    },
  }
}

async function* play(turn: Turn, signal: AbortSignal): AsyncGenerator<StepPart, void, undefined> {
  const { text = '', reasoning, calls = [], finishReason, fails, until, deaf, unfinished } = turn
  if (signal.aborted) throw aborted()
  if (reasoning) yield { type: 'reasoning', text: reasoning }
  for (const word of text.match(/\S+\s*/g) ?? []) yield { type: 'text', text: word }
  if (deaf) await new Promise(() => {})
  if (until) await Promise.race([until, abortOf(signal)])
  if (signal.aborted) throw aborted()
  if (fails) throw fails
  if (unfinished) return
  for (const call of calls) {
    yield { type: 'toolInput', toolCallId: call.toolCallId, toolName: call.toolName, text: JSON.stringify(call.input) }
    yield { type: 'toolCall', ...call, input: call.input as Record<string, unknown> }
  }
  const said = text === '' ? [] : [{ type: 'text' as const, text }]
  const content: AssistantModelMessage['content'] = calls.length
    ? [...said, ...calls.map((call) => ({ type: 'tool-call' as const, ...call }))]
    : text
  yield {
    type: 'finish',
    finishReason: finishReason ?? (calls.length > 0 ? 'tool-calls' : 'stop'),
    usage,
    assistantMessage: { role: 'assistant', content },
  }
}

function answersSince(messages: ModelMessage[]): number {
  const lastUser = messages.findLastIndex(({ role }) => role === 'user')
  return messages.slice(lastUser + 1).filter(({ role }) => role === 'assistant').length
}

const abortOf = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
