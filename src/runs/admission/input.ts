/** Validates a run's input and computes its digest. Source: contract 5. */

import { ApiError, invalid } from '../../platform/http/answers/errors.ts'
import { canonical } from '../../platform/http/canonical.ts'
import { digestOfText } from '../../platform/http/digest.ts'
import type { ContentItem, RunInput } from '../runner/protocol/protocol.ts'
import { checkContents } from './attachments.ts'

const isBlank = (text: string | undefined) => text === undefined || text.trim() === ''

const queryBytesMax = 5 * 1024 * 1024

/** The input of a start. Throws `empty_input` (400), 422 for a query that is too long, and the attachment errors. */
export function startInput(query: string | undefined, contents: ContentItem[] = []): RunInput {
  const isEmpty = (item: ContentItem) => item.type === 'text' && isBlank(item.text)
  if (isBlank(query) && contents.every(isEmpty)) {
    throw new ApiError(400, 'empty_input', 'Give a query or attachments: the run has no input.')
  }
  if (query !== undefined && Buffer.byteLength(query) > queryBytesMax) {
    throw invalid([{ path: '/body/query', message: 'Must have at most 5 MiB; send further text as attachments.' }])
  }
  if (contents.length > 0) checkContents(contents)
  return { query: isBlank(query) ? null : (query as string), contents }
}

const beginningMax = 200

/** The beginning of the input, for lists: at most 200 characters; null if there are only attachments. */
export function beginningOf({ query, contents }: RunInput): string | null {
  const text = query ?? contents.find((item) => item.type === 'text')?.text
  return text?.trimStart().slice(0, beginningMax).toWellFormed() ?? null
}

const contextBytesMax = 16 * 1024

/** The context of a run's operations. Throws 422 if it is too large. */
export function checkedContext(context: Record<string, unknown>, path = '/body/context'): Record<string, unknown> {
  if (Buffer.byteLength(JSON.stringify(context)) > contextBytesMax) {
    throw invalid([{ path, message: 'Must have at most 16 KiB as JSON.' }])
  }
  return context
}

const largeLength = 256 * 1024

/** Whether the digest takes milliseconds, so that the caller yields to other requests. */
export const isLarge = ({ query, contents }: RunInput): boolean =>
  contents.reduce((sum, item) => sum + (item.type === 'text' ? item.text : item.data).length, query?.length ?? 0) >
  largeLength

/** The query of a continue. Throws `empty_input` (400). */
export function continueQuery(query: string): string {
  if (isBlank(query)) throw new ApiError(400, 'empty_input', 'The query is empty.')
  return query
}

/** SHA-256 over the canonical JSON (RFC 8785) of `{query, contents}`. */
export function inputDigest(input: RunInput): string {
  // a query alone is already canonical: its keys are sorted and JSON.stringify escapes strings as RFC 8785 does
  const text = input.contents.length === 0 ? `{"contents":[],"query":${JSON.stringify(input.query)}}` : canonical(input)
  return digestOfText(text)
}
