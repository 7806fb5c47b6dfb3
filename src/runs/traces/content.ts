/**
 * The inputs and outputs of models in spans, if the operator enables them. Files appear by their type only. Source:
 * OpenTelemetry, `gen_ai.input.messages` and `gen_ai.output.messages`.
 */
import type { ModelMessage } from 'ai'

/** Attributes of the span of a model call. */
export interface ModelContent {
  'gen_ai.system_instructions'?: string
  'gen_ai.input.messages'?: string
}

type Part = Record<string, unknown>

/** The input of a model call; `cut` shortens a text. */
export const asked = (
  system: string,
  messages: readonly ModelMessage[],
  cut: (text: string) => string,
): ModelContent => ({
  ...(system !== '' && { 'gen_ai.system_instructions': cut(JSON.stringify([{ type: 'text', content: system }])) }),
  'gen_ai.input.messages': cut(JSON.stringify(messages.map(messageOf))),
})

/** The output of an agent's or a model's step, as JSON. */
export function answered(output: string | null): string {
  const parsed: unknown = output === null ? null : JSON.parse(output)
  return JSON.stringify([{ role: 'assistant', parts: partsOfOutput(parsed) }])
}

function partsOfOutput(output: unknown): Part[] {
  if (output === null || output === undefined) return []
  if (typeof output === 'string') return [{ type: 'text', content: output }]
  const { text, toolCalls } = output as { text?: unknown; toolCalls?: unknown }
  if (typeof text !== 'string' || !Array.isArray(toolCalls)) return [{ type: 'text', content: JSON.stringify(output) }]
  const calls = (toolCalls as { toolCallId: string; toolName: string; input: unknown }[]).map(
    ({ toolCallId, toolName, input }) => ({ type: 'tool_call', id: toolCallId, name: toolName, arguments: input }),
  )
  return [...(text === '' ? [] : [{ type: 'text', content: text }]), ...calls]
}

const messageOf = ({ role, content }: ModelMessage): Part => ({
  role,
  parts: typeof content === 'string' ? [{ type: 'text', content }] : content.map((part) => partOf(part as never)),
})

interface AnyPart {
  type: string
  text?: string
  toolCallId?: string
  toolName?: string
  input?: unknown
  output?: unknown
  mediaType?: string
}

function partOf({ type, text, toolCallId, toolName, input, output, mediaType }: AnyPart): Part {
  switch (type) {
    case 'text':
    case 'reasoning':
      return { type, content: text }
    case 'tool-call':
      return { type: 'tool_call', id: toolCallId, name: toolName, arguments: input }
    case 'tool-result':
      return { type: 'tool_call_response', id: toolCallId, response: output }
    default:
      return { type, ...(mediaType !== undefined && { mime_type: mediaType }) }
  }
}
