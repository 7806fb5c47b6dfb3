/** What an answer over a Connection means. Pure. Source: contract 4, "HTTP operations"; contract 6. */
import type { OutboundAnswer } from '../outbound/client.ts'
import { toolError } from './failure.ts'
import type { Redaction } from './redaction.ts'

/** Of the body that is read, and of it what a failure shows. */
export const answerBytesMax = 1024 * 1024
const excerptCharactersMax = 500
/** More than the longest secret, in any spelling, behind the excerpt. */
const excerptScanMax = 512 * 1024
const depthMax = 64

/**
 * The JSON of the body, or its text. Throws `OperationFailure` for an answer that is not 2xx, which shows how its body
 * begins, and for one that is too large.
 */
export function readAnswer(
  { status, headers, body, truncated }: OutboundAnswer,
  { operation, fromResults, fromMessages }: { operation: string; fromResults: Redaction; fromMessages: Redaction },
): unknown {
  const text = new TextDecoder().decode(body)
  if (status < 200 || status > 299) {
    const excerpt = excerptOf(fromMessages.hide(text.slice(0, excerptScanMax)))
    throw toolError(`${operation} answered ${status}${excerpt ? `: ${excerpt}` : '.'}`)
  }
  if (truncated) throw toolError(`${operation} answered with more than ${answerBytesMax} bytes.`)
  const shown = fromResults.hide(text)
  if (shown.trim() === '') return null
  return looksLikeJson(headers['content-type'], shown) ? jsonOr(shown) : shown.toWellFormed()
}

const looksLikeJson = (contentType: string | undefined, text: string) =>
  /^[^;]*[/+]json\b/i.test(contentType ?? '') || /^\s*[[{]/.test(text)

function jsonOr(text: string): unknown {
  if (isTooDeep(text)) return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text.toWellFormed()
  }
}

/** Nobody's code is made for it, and ours neither. */
function isTooDeep(text: string): boolean {
  let depth = 0
  for (const [bracket] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (bracket === '[' || bracket === '{') depth += 1
    else if (bracket === ']' || bracket === '}') depth -= 1
    if (depth > depthMax) return true
  }
  return false
}

/** One line of plain text. */
function excerptOf(text: string): string {
  const line = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
  return line.length > excerptCharactersMax ? `${line.slice(0, excerptCharactersMax).toWellFormed()}…` : line
}
