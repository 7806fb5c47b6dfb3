/** A run's input: what the request says, checked, and the digest by which it is known. Source: contract 5. */

import { ApiError } from '../../platform/http/answers/errors.ts'
import { canonical } from '../../platform/http/canonical.ts'
import { digestOfText } from '../../platform/http/digest.ts'
import type { ContentItem, RunInput } from '../runner/protocol/protocol.ts'
import { checkContents } from './attachments.ts'

const isBlank = (text: string | undefined) => text === undefined || text.trim() === ''

/** The input of a start. Throws `empty_input` (400) besides what the attachments may throw. */
export function startInput(query: string | undefined, contents: ContentItem[] = []): RunInput {
  if (isBlank(query) && contents.length === 0) {
    throw new ApiError(400, 'empty_input', 'The run has neither a query nor attachment content.')
  }
  if (contents.length > 0) checkContents(contents)
  return { query: isBlank(query) ? null : (query as string), contents }
}

const largeLength = 256 * 1024

/** Whether it takes milliseconds to look at, so that others get their turn in between. */
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
  // a query alone is canonical as it is: the keys are in order, and strings are written as JSON.stringify does
  const text = input.contents.length === 0 ? `{"contents":[],"query":${JSON.stringify(input.query)}}` : canonical(input)
  return digestOfText(text)
}
