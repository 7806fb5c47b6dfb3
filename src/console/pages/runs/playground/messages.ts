/**
 * Builds the conversation from the messages of the latest checkpoint and the steps after it. Messages come from vendors and
 * tools, so their shape is not trusted.
 */
import type { Step } from '../steps/steps.ts'

export type Part =
  | { kind: 'text'; text: string }
  | { kind: 'image'; mediaType: string; data: string }
  | { kind: 'file'; name: string }

/** Outcome of a call. */
type Outcome = { is: 'open' } | { is: 'result'; value: unknown } | { is: 'error'; message: string }

export type Entry =
  | { is: 'user'; key: string; parts: Part[] }
  | {
      is: 'assistant'
      key: string
      text: string
      failure: string | null
      agentStepId: number | null
      streaming: boolean
    }
  | { is: 'call'; key: string; toolCallId: string; name: string; input: unknown; outcome: Outcome; isDelegate: boolean }

type Fields = Record<string, unknown>
type CallEntry = Extract<Entry, { is: 'call' }>

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const partsOf = (content: unknown): Fields[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : Array.isArray(content) ? content.map(fieldsOf) : []

function userPart({ type, text, image, data, mediaType, filename }: Fields): Part[] {
  if (type === 'text') return [{ kind: 'text', text: textOf(text) }]
  if (type === 'image') return [{ kind: 'image', mediaType: textOf(mediaType), data: textOf(image ?? data) }]
  return type === 'file' ? [{ kind: 'file', name: textOf(filename) || 'file' }] : []
}

function outcomeOf(output: unknown): Outcome {
  const { type, value } = fieldsOf(output)
  if (textOf(type).startsWith('error'))
    return { is: 'error', message: typeof value === 'string' ? value : JSON.stringify(value) }
  return { is: 'result', value }
}

/** Entries of a checkpoint's messages. */
export function entriesOfMessages(messages: readonly unknown[]): Entry[] {
  const entries: Entry[] = []
  const calls = new Map<string, CallEntry>()
  for (const [place, message] of messages.map(fieldsOf).entries()) {
    const parts = partsOf(message.content)
    const key = `message ${place}`
    if (message.role === 'user') entries.push({ is: 'user', key, parts: parts.flatMap(userPart) })
    if (message.role === 'assistant') {
      const text = parts.map((part) => (part.type === 'text' ? textOf(part.text) : '')).join('')
      if (text !== '') entries.push({ is: 'assistant', key, text, failure: null, agentStepId: null, streaming: false })
      for (const { type, toolCallId, toolName, input } of parts) {
        if (type === 'tool-call') addCall(entries, calls, textOf(toolCallId), textOf(toolName), input)
      }
    }
    if (message.role === 'tool') {
      for (const { toolCallId, output } of parts) {
        const call = calls.get(textOf(toolCallId))
        if (call) call.outcome = outcomeOf(output)
      }
    }
  }
  return entries
}

function addCall(
  entries: Entry[],
  calls: Map<string, CallEntry>,
  toolCallId: string,
  name: string,
  input: unknown,
): CallEntry {
  const known = calls.get(toolCallId)
  if (known) return known
  const call: CallEntry = {
    is: 'call',
    key: `call ${toolCallId}`,
    toolCallId,
    name,
    input,
    outcome: { is: 'open' },
    isDelegate: false,
  }
  entries.push(call)
  calls.set(toolCallId, call)
  return call
}

function settle(call: CallEntry, { kind, status, output, error }: Step): void {
  call.isDelegate = kind === 'delegate'
  if (error) call.outcome = { is: 'error', message: error.message }
  else if (status === 'completed') call.outcome = { is: 'result', value: output }
}

/** The whole conversation: messages of the checkpoint, then `steps` after it, in order. Steps of delegates are omitted. */
export function conversationOf(
  messages: readonly unknown[],
  checkpointStepId: number,
  steps: readonly Step[],
): Entry[] {
  const entries = entriesOfMessages(messages)
  const calls = new Map(entries.flatMap((entry) => (entry.is === 'call' ? [[entry.toolCallId, entry] as const] : [])))
  const attempts = new Set(
    steps.filter(({ parentAgentStepId }) => parentAgentStepId === null).map((step) => step.agentStepId),
  )
  // a step of another server may have the lower id
  const checkpointStep = steps.findLastIndex(({ agentStepId }) => agentStepId === checkpointStepId)
  for (const [place, step] of steps.entries()) {
    const isCovered = checkpointStep >= 0 ? place <= checkpointStep : step.agentStepId <= checkpointStepId
    const { agentStepId, parentAgentStepId, kind, name, status, execution, output } = step
    if (parentAgentStepId === null || !attempts.has(parentAgentStepId)) continue
    if (kind === 'model') {
      if (isCovered) continue
      const fields = fieldsOf(output)
      const text = textOf(fields.text)
      const streaming = status === 'running'
      const failure = step.error?.message ?? null
      if (streaming || text !== '' || failure) {
        entries.push({ is: 'assistant', key: `step ${agentStepId}`, text, failure, agentStepId, streaming })
      }
      for (const call of partsOf(fields.toolCalls)) {
        addCall(entries, calls, textOf(call.toolCallId), textOf(call.toolName), call.input)
      }
    } else if (execution.toolCallId !== null) {
      const call = isCovered
        ? calls.get(execution.toolCallId)
        : addCall(entries, calls, execution.toolCallId, name, step.input)
      // messages take precedence over steps
      if (call?.outcome.is === 'open') settle(call, step)
    }
  }
  return entries
}
