/** Chat completions: each request is a separate run with the conversation as its history. Source: contract 12. */
import { ApiError, invalid } from '../../platform/http/answers/errors.ts'
import { toApiError } from '../../platform/http/answers/failure.ts'
import type { ReachedAgent } from '../agents.ts'
import { conversationOf, type Earlier } from '../content.ts'
import { keepAlive, message as sent } from '../event-stream.ts'
import type { PendingCall, TurnEvent } from '../turns/events.ts'
import { TurnSummary } from '../turns/summary.ts'
import type { Turn } from '../turns/turns.ts'
import { callIdOf, suffixOf } from './calls.ts'
import { contentOf } from './content.ts'
import { errorOf, unsupported } from './errors.ts'
import type { CallOutput, TurnInput } from './turn-input.ts'

type ChatMessage = Record<string, unknown> & { role: string }

/** The last message, or the tools' messages at the end. Throws 400 for content that a run does not accept. */
export function readMessages(messages: readonly ChatMessage[]): TurnInput {
  const outputs: CallOutput[] = []
  const earlier: Earlier[] = []
  for (const [index, each] of messages.entries()) {
    const path = `messages/${index}`
    const { role } = each
    if (role === 'tool') {
      if (typeof each.tool_call_id !== 'string') {
        throw invalid([{ path: `/body/${path}/tool_call_id`, message: 'Is required.' }])
      }
      const { text, attachments } = contentOf(each.content, `${path}/content`)
      const hasFiles = attachments.length > 0
      outputs.push({ callId: each.tool_call_id, output: text, hasFiles, path: `/body/${path}/tool_call_id` })
      continue
    }
    if (role !== 'user' && role !== 'assistant') {
      throw unsupported(path, "The Agent's revision has the instructions: messages are of users, assistants and tools.")
    }
    // answered in an earlier run
    outputs.length = 0
    earlier.push({ role, ...contentOf(each.content, `${path}/content`) })
  }
  if (outputs.length > 0) return { outputs }
  const last = earlier.pop()
  if (last?.role !== 'user') {
    throw invalid([{ path: '/body/messages', message: 'The last message must be of a user or a tool.' }])
  }
  return { message: conversationOf(earlier, last, '/body/messages') }
}

/** The common fields of all answers of one request. */
interface Head {
  turn: Turn
  /** When the turn began, in epoch milliseconds. */
  beganAt: number
  agent: ReachedAgent
}

const headOf = ({ turn: { run, number }, beganAt, agent }: Head, object: string) => ({
  id: `chatcmpl_${suffixOf(run.id)}_${number}`,
  object,
  created: Math.floor(beganAt / 1000),
  model: agent.address,
  system_fingerprint: run.agentRevisionId,
})

const usageOf = ({ usage }: TurnSummary) => ({
  prompt_tokens: usage.inputTokens,
  completion_tokens: usage.outputTokens,
  total_tokens: usage.totalTokens,
  prompt_tokens_details: { cached_tokens: usage.cachedInputTokens },
  completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
})

const finishReasons: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  max_steps: 'length',
  max_output_tokens: 'length',
  content_filter: 'content_filter',
}

const callOf = (runId: string, call: PendingCall) => ({
  id: callIdOf(runId, call),
  type: 'function' as const,
  function: { name: call.toolName, arguments: JSON.stringify(call.input) },
})

/** The finish reason of the turn. Throws 502 for a failed turn. */
function finishOf({ ended, callsOfClient }: TurnSummary): string {
  if (callsOfClient.length > 0) return 'tool_calls'
  const run = ended?.run
  if (run?.state === 'completed') return finishReasons[run.stopReason ?? 'end_turn'] ?? 'stop'
  if (run?.state === 'failed') {
    const { code, message } = run.stateReason ?? { code: 'internal_error', message: 'The run has failed.' }
    throw new ApiError(502, 'run_failed', `${message} (${code})`, { details: { agentRunId: run.id } })
  }
  throw new ApiError(502, 'run_canceled', `The run was ${run?.state ?? 'interrupted'}.`, {
    details: { agentRunId: run?.id },
  })
}

/** Whether the stream of chat completions ends here. */
const isOver = ({ ended, callsOfClient }: TurnSummary) => ended !== undefined || callsOfClient.length > 0

/** The complete answer. Throws 502 for a failed run. */
export async function completion(events: AsyncIterable<TurnEvent>, head: Head) {
  const summary = new TurnSummary()
  for await (const event of events) {
    summary.add(event)
    if (isOver(summary)) break
  }
  const finish_reason = finishOf(summary)
  const calls = summary.callsOfClient.map((call) => callOf(head.turn.run.id, call))
  // a structured output is one JSON text
  const output = summary.ended?.output
  const text =
    typeof output === 'string' || output === null || output === undefined ? summary.text : JSON.stringify(output)
  const message = {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    refusal: null,
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  const choices = [{ index: 0, message, logprobs: null, finish_reason }]
  return { ...headOf(head, 'chat.completion'), choices, usage: usageOf(summary) }
}

/** The same in chunks, live; a failed run ends the stream with an error. */
export async function* chunks(
  events: AsyncIterable<TurnEvent>,
  head: Head,
  { withUsage }: { withUsage: boolean },
): AsyncGenerator<string> {
  const summary = new TurnSummary()
  const begun = headOf(head, 'chat.completion.chunk')
  const chunk = (delta: object, finish_reason: string | null = null) =>
    sent({ ...begun, choices: [{ index: 0, delta, logprobs: null, finish_reason }], ...(withUsage && { usage: null }) })
  try {
    yield chunk({ role: 'assistant', content: '', refusal: null })
    let speaker: number | undefined
    for await (const event of events) {
      summary.add(event)
      if (event.type === 'idle') yield keepAlive
      if (event.type === 'text') {
        const isNext = speaker !== undefined && speaker !== event.stepId
        speaker = event.stepId
        yield chunk({ content: isNext ? `\n\n${event.text}` : event.text })
      }
      if (isOver(summary)) break
    }
    const finish = finishOf(summary)
    const calls = summary.callsOfClient.map((call, index) => ({ index, ...callOf(head.turn.run.id, call) }))
    if (calls.length > 0) yield chunk({ tool_calls: calls })
    yield chunk({}, finish)
    if (withUsage) yield sent({ ...begun, choices: [], usage: usageOf(summary) })
    yield sent('[DONE]')
  } catch (error) {
    yield sent({ error: errorOf(toApiError(error)) })
  }
}
