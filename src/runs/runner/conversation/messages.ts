/** Messages of users and tools. Source: contract 5, "`contents` items". */
import type { FilePart, ImagePart, JSONValue, ModelMessage, TextPart, ToolModelMessage, UserModelMessage } from 'ai'
import type { ContentItem, OpenCall, RunInput, SettledCall } from '../protocol/protocol.ts'

/** Converts the input of a chain to a user message. */
export function userMessage({ query, contents }: RunInput): UserModelMessage {
  if (contents.length === 0) return { role: 'user', content: query ?? '' }
  const text: TextPart[] = query ? [{ type: 'text', text: query }] : []
  return { role: 'user', content: [...text, ...contents.map(userPart)] }
}

function userPart(item: ContentItem): TextPart | ImagePart | FilePart {
  if (item.type === 'text') return { type: 'text', text: item.text }
  if (item.type === 'image') return { type: 'image', image: item.data, mediaType: item.mediaType }
  // All vendors accept text, and few accept text files.
  if (item.mediaType === 'text/plain') {
    return { type: 'text', text: `${item.filename}:\n${Buffer.from(item.data, 'base64').toString()}` }
  }
  return { type: 'file', data: item.data, filename: item.filename, mediaType: item.mediaType }
}

/** The limits on an unusable answer and on its problem in the model's feedback. */
const refusedCharactersMax = 4_000
const problemCharactersMax = 1_000

/** An unusable answer and the feedback to the model, both bounded. */
export function refusal(answer: string, problem: string): ModelMessage[] {
  const shown = cut(answer, refusedCharactersMax).trim() || '(nothing that could be read)'
  const correction = `Your last answer could not be used. ${cut(problem, problemCharactersMax)} Correct this and answer again.`
  return [
    { role: 'assistant', content: shown },
    { role: 'user', content: correction },
  ]
}

const cut = (text: string, max: number) => (text.length > max ? `${text.slice(0, max - 1).toWellFormed()}…` : text)

/** Converts the outcome of a call, new or stored, to a message for the model. */
export function toolMessage({ toolCallId, toolName }: OpenCall, outcome: SettledCall['outcome']): ToolModelMessage {
  const result = { type: 'tool-result', toolCallId, toolName, output: outputOf(outcome) } as const
  return { role: 'tool', content: [result] }
}

function outputOf(outcome: SettledCall['outcome']) {
  if ('error' in outcome) return { type: 'error-text' as const, value: outcome.error.message }
  if (typeof outcome.result === 'string') return { type: 'text' as const, value: outcome.result }
  const parts = partsOf(outcome.result)
  if (parts) return { type: 'content' as const, value: parts }
  return { type: 'json' as const, value: (outcome.result ?? null) as JSONValue }
}

/** The content parts of a result with images, as tools of MCP servers return them; undefined for any other. */
function partsOf(result: unknown) {
  const content: unknown = Object(result).content
  if (!Array.isArray(content) || !content.some((part) => isImage(part))) return undefined
  return content.map((part) =>
    isImage(part)
      ? { type: 'image-data' as const, data: part.data, mediaType: part.mediaType }
      : { type: 'text' as const, text: isText(part) ? part.text : JSON.stringify(part) },
  )
}

const isImage = (part: unknown): part is { data: string; mediaType: string } => {
  const { type, data, mediaType } = Object(part) as Record<string, unknown>
  return type === 'image' && typeof data === 'string' && typeof mediaType === 'string'
}
const isText = (part: unknown): part is { text: string } => {
  const { type, text } = Object(part) as Record<string, unknown>
  return type === 'text' && typeof text === 'string'
}

/** Outcomes of calls that are closed without a result. */
export const closings = {
  superseded: { result: { superseded: 'The user continued without a result of this call.' } },
  canceled: { result: { canceled: 'The run was canceled before this call had a result.' } },
  unknown: {
    error: {
      code: 'tool_error',
      message: 'Outcome unknown: interrupted. The call may or may not have taken effect; it was not repeated.',
    },
  },
} as const satisfies Record<string, SettledCall['outcome']>
