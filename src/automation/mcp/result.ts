/** Converts the result of an MCP tool to the output of an operation. Source: contract 11, "MCP servers as tools". */
import type { CallToolResult } from '@modelcontextprotocol/client'
import { toolError } from '../operations/failure.ts'
import type { Redaction } from '../operations/redaction.ts'

/** Content parts of the output; runs show images to models that accept them. */
type ResultPart =
  | { type: 'text'; text: string }
  | { type: 'image'; mediaType: string; data: string }
  | { type: 'resource'; uri: string; mediaType: string | null; text: string | null }
  | { type: 'other'; kind: string }

interface ResultOptions {
  operation: string
  /** Whether the output must match a schema, which only structured content can. */
  isStructured: boolean
  fromResults: Redaction
  fromMessages: Redaction
}

/** The same bound as for an answer over HTTP. */
const outputCharactersMax = 1024 * 1024
const excerptCharactersMax = 500

/**
 * Structured content if the operation has a schema for it, a single text as that text, else `{content,
 * structuredContent?}`. Throws `OperationFailure` for an error result, or one that is too large.
 */
export function outputOf(result: CallToolResult, options: ResultOptions): unknown {
  const { operation, isStructured, fromResults, fromMessages } = options
  const parts = (result.content ?? []).map(partOf)
  if (result.isError) {
    const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ')
    const excerpt = fromMessages.hide(text.slice(0, 4 * excerptCharactersMax)).slice(0, excerptCharactersMax)
    throw toolError(`${operation} failed${excerpt ? `: ${excerpt.toWellFormed()}` : '.'}`)
  }
  const { structuredContent } = result
  const output =
    isStructured && structuredContent !== undefined
      ? structuredContent
      : (loneText(parts, structuredContent) ?? {
          content: parts,
          ...(structuredContent === undefined ? {} : { structuredContent }),
        })
  const text = JSON.stringify(output)
  if (text.length > outputCharactersMax) {
    throw toolError(`${operation} gave more than ${outputCharactersMax} characters.`, { isAnswered: true })
  }
  return fromResults.hide(text) === text ? output : fromResults.parse(text)
}

function loneText(parts: readonly ResultPart[], structuredContent: unknown): string | undefined {
  const [first] = parts
  return parts.length === 1 && first?.type === 'text' && structuredContent === undefined ? first.text : undefined
}

function partOf(block: CallToolResult['content'][number]): ResultPart {
  if (block.type === 'text') return { type: 'text', text: block.text.toWellFormed() }
  if (block.type === 'image') return { type: 'image', mediaType: block.mimeType, data: block.data }
  if (block.type === 'resource_link') {
    return { type: 'resource', uri: block.uri, mediaType: block.mimeType ?? null, text: null }
  }
  if (block.type !== 'resource') return { type: 'other', kind: block.type }
  const { uri, mimeType, ...rest } = block.resource
  const text = 'text' in rest && typeof rest.text === 'string' ? rest.text.toWellFormed() : null
  return { type: 'resource', uri, mediaType: mimeType ?? null, text }
}
