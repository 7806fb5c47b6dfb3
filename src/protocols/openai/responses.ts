/** Responses: the turns of a run, each a response that continues the one before. Source: contract 12. */
import { invalid } from '../../platform/http/answers/errors.ts'
import type { ReachedAgent } from '../agents.ts'
import { conversationOf, type Earlier } from '../content.ts'
import type { PendingCall } from '../turns/events.ts'
import type { Saying, TurnSummary } from '../turns/summary.ts'
import type { Message, Turn } from '../turns/turns.ts'
import { callIdOf, responseIdOf, suffixOf } from './calls.ts'
import { contentOf, withType } from './content.ts'
import { unsupported } from './errors.ts'
import type { CallOutput, TurnInput } from './turn-input.ts'

/** Clients that keep the conversation themselves repeat these; the run, or an earlier one, has them. */
const repeated: ReadonlySet<unknown> = new Set(['function_call', 'reasoning', 'item_reference'])

/**
 * A text, or items: the last message, or the outputs of calls at the end. `isNext`: for a run that has the messages up to
 * its last answer; those after it are one message. Throws 400 for content that a run does not accept.
 */
export function readInput(input: string | readonly Record<string, unknown>[], isNext: boolean): TurnInput {
  if (typeof input === 'string') return { message: { query: input } }
  const outputs: CallOutput[] = []
  const earlier: Earlier[] = []
  let followsOutputs = false
  for (const [index, item] of input.entries()) {
    const path = `input/${index}`
    const { type = 'message', role } = item
    if (type === 'function_call_output') {
      if (typeof item.call_id !== 'string') throw invalid([{ path: `/body/${path}/call_id`, message: 'Is required.' }])
      const { text, attachments } = contentOf(item.output, `${path}/output`)
      const hasFiles = attachments.length > 0
      outputs.push({ callId: item.call_id, output: text, hasFiles, path: `/body/${path}/call_id` })
    } else if (type === 'message' && (role === 'user' || role === 'assistant')) {
      followsOutputs = role === 'user' && (followsOutputs || outputs.length > 0)
      outputs.length = 0
      if (isNext && role === 'assistant') earlier.length = 0
      earlier.push({ role, ...contentOf(item.content, `${path}/content`) })
    } else if (type === 'message') {
      throw unsupported(path, "The Agent's revision has the instructions: messages are of users and assistants.")
    } else if (!repeated.has(type)) {
      throw unsupported(path, `An item ${withType(type)} is not taken.`)
    } else if (isNext) earlier.length = 0
  }
  if (outputs.length > 0) return { outputs }
  const last = earlier.pop()
  if (last?.role !== 'user') {
    throw invalid([
      { path: '/body/input', message: 'The last item must be the message of a user, or the output of a call.' },
    ])
  }
  const message = isNext ? joined([...earlier, last]) : conversationOf(earlier, last, '/body/input')
  return { message, followsOutputs }
}

/** The messages of the user as one, without an answer before them. */
function joined(messages: readonly Earlier[]): Message {
  const said = messages.filter(({ role }) => role === 'user')
  const contents = said.flatMap(({ attachments }) => attachments)
  const texts = said.flatMap(({ text }) => (text === '' ? [] : [text]))
  return { query: texts.join('\n\n'), ...(contents.length > 0 && { contents }) }
}

/** The fields of a request that its response repeats. */
export interface ResponseHead {
  turn: Turn
  /** When the turn began, in epoch milliseconds. */
  beganAt: number
  agent: Pick<ReachedAgent, 'address'>
  background: boolean
  /** The client asked for JSON only. */
  json: boolean
  /** As requested; unknown when a response is read later. */
  format?: unknown
  /** Likewise. */
  metadata?: unknown
}

const incomplete: Readonly<Record<string, string>> = {
  max_steps: 'max_output_tokens',
  max_output_tokens: 'max_output_tokens',
  content_filter: 'content_filter',
}

/** `status`, and its reason. */
function standingOf({ ended, callsOfClient }: TurnSummary, { run }: Turn) {
  if (callsOfClient.length > 0) return { status: 'completed', error: null, incomplete_details: null }
  if (!ended) {
    return { status: run.state === 'queued' ? 'queued' : 'in_progress', error: null, incomplete_details: null }
  }
  const { state, stateReason, stopReason } = ended.run
  const reason = incomplete[stopReason ?? '']
  if (state === 'completed') {
    return { status: reason ? 'incomplete' : 'completed', error: null, incomplete_details: reason ? { reason } : null }
  }
  if (state === 'canceled') return { status: 'cancelled', error: null, incomplete_details: null }
  const { code, message } = stateReason ?? { code: 'run_canceled', message: `The run has ${state}.` }
  // the AI SDK rejects an error without a type
  return { status: 'failed', error: { code, message, type: 'server_error' }, incomplete_details: null }
}

export const messageItem = ({ run }: Turn, { stepId, text }: Saying, status: string) => ({
  id: `msg_${suffixOf(run.id)}_${stepId}`,
  type: 'message',
  role: 'assistant',
  status,
  content: status === 'in_progress' ? [] : [textPart(text)],
})

export const textPart = (text: string) => ({ type: 'output_text', text, annotations: [], logprobs: [] })

export const callItem = ({ run }: Turn, call: PendingCall, status = 'completed') => ({
  id: `fc_${suffixOf(run.id)}_${call.toolCallId}`,
  type: 'function_call',
  status,
  call_id: callIdOf(run.id, call),
  name: call.toolName,
  arguments: status === 'completed' ? JSON.stringify(call.input) : '',
})

/** The current response. */
export function responseOf(summary: TurnSummary, head: ResponseHead) {
  const { turn, beganAt, agent, background, json, format, metadata } = head
  const { usage, sayings, callsOfClient } = summary
  const standing = standingOf(summary, turn)
  const isOver = standing.status !== 'queued' && standing.status !== 'in_progress'
  const messageItems = sayings.map((saying) => messageItem(turn, saying, saying.isWhole ? 'completed' : 'incomplete'))
  return {
    id: responseIdOf(turn, { background, json }),
    object: 'response',
    created_at: Math.floor(beganAt / 1000),
    ...standing,
    background,
    instructions: null,
    max_output_tokens: null,
    metadata: metadata ?? {},
    model: agent.address,
    output: [...messageItems, ...callsOfClient.map((call) => callItem(turn, call))],
    parallel_tool_calls: true,
    previous_response_id: turn.number > 1 ? responseIdOf({ ...turn, number: turn.number - 1 }) : null,
    reasoning: { effort: null, summary: null },
    store: true,
    temperature: null,
    text: { format: format ?? { type: json ? 'json_object' : 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: null,
    truncation: 'disabled',
    usage: isOver
      ? {
          input_tokens: usage.inputTokens,
          input_tokens_details: { cached_tokens: usage.cachedInputTokens },
          output_tokens: usage.outputTokens,
          output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
          total_tokens: usage.totalTokens,
        }
      : null,
  }
}
