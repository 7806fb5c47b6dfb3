/** Interprets answers over a Connection. Pure. Source: contract 4, "HTTP operations"; contract 6. */
import { isUtf8 } from 'node:buffer'
import type { OutboundAnswer } from '../../platform/outbound/client.ts'
import { toolError } from './failure.ts'
import type { Redaction } from './redaction.ts'

/** The most bytes of a body. */
export const answerBytesMax = 1024 * 1024
const excerptCharactersMax = 500
/** More than the longest secret, in any encoding, after the excerpt. */
const excerptScanMax = 512 * 1024
const depthMax = 64

/** The most bytes of a binary body in the output. Source: contract 11, "A binary answer". */
const binaryBytesMax = 64 * 1024

/** An answer that is not text. */
interface BinaryAnswer {
  mediaType: string
  /** Base64. */
  bytes: string
  /** Present if `bytes` is incomplete. */
  truncated?: true
}

/**
 * The body as JSON, else as text, else as bytes. Throws `OperationFailure` for a status other than 2xx, with the start of the
 * body, and for a body that is too large.
 */
export function readAnswer(
  { status, headers, body, truncated }: OutboundAnswer,
  { operation, fromResults, fromMessages }: { operation: string; fromResults: Redaction; fromMessages: Redaction },
): unknown {
  const type = headers['content-type'] ?? ''
  const text = isBinary(type, body) ? undefined : decoded(type, body)
  if (status < 200 || status > 299) {
    const excerpt = excerptOf(fromMessages.hide((text ?? '').slice(0, excerptScanMax)))
    throw toolError(`${operation} answered ${status}${excerpt ? `: ${excerpt}` : '.'}`)
  }
  if (truncated) throw toolError(`${operation} answered with more than ${answerBytesMax} bytes.`, { isAnswered: true })
  if (text === undefined) return binaryAnswer(type, fromResults.hideIn(body))
  const shown = fromResults.hide(text)
  if (shown.trim() === '') return null
  return looksLikeJson(type, text) ? jsonOr(shown, text, fromResults) : shown.toWellFormed()
}

function binaryAnswer(contentType: string, bytes: Uint8Array): BinaryAnswer {
  const [mediaType = ''] = contentType.split(';')
  return {
    mediaType: mediaType.trim().toLowerCase() || 'application/octet-stream',
    bytes: Buffer.from(bytes.subarray(0, binaryBytesMax)).toString('base64'),
    ...(bytes.length > binaryBytesMax ? { truncated: true } : {}),
  }
}

const textTypes = /^\s*(?:text\/|[^;]*[/+](?:json|xml)\b|application\/x-www-form-urlencoded\b)/i
const binaryTypes =
  /^\s*(?:image\/|audio\/|video\/|font\/|application\/(?:octet-stream|pdf|zip|gzip|x-tar|wasm|vnd\.(?:ms-|openxmlformats)))/i

/** By the declared type; if it is missing or inconclusive, by whether the body decodes as text. */
function isBinary(contentType: string, body: Uint8Array): boolean {
  if (body.length === 0 || textTypes.test(contentType)) return false
  if (binaryTypes.test(contentType) || body.includes(0)) return true
  return charsetOf(contentType) === undefined && !isUtf8(body)
}

const decoded = (contentType: string, body: Uint8Array) => new TextDecoder(charsetOf(contentType)).decode(body)

/** The declared encoding, if it is a known one. */
function charsetOf(contentType: string): Bun.Encoding | undefined {
  const name = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1]
  try {
    return name === undefined ? undefined : (new TextDecoder(name as Bun.Encoding).encoding as Bun.Encoding)
  } catch {
    return undefined
  }
}

const looksLikeJson = (contentType: string, text: string) =>
  /^[^;]*[/+]json\b/i.test(contentType) || /^\s*[[{]/.test(text)

function jsonOr(shown: string, text: string, fromResults: Redaction): unknown {
  if (isTooDeep(text)) return shown
  try {
    return shown === text ? JSON.parse(text) : fromResults.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return shown.toWellFormed()
  }
}

/**
 * Nesting that neither clients nor this server support. Sign by sign: a pattern may read an unfinished text again and
 * again.
 */
function isTooDeep(text: string): boolean {
  let depth = 0
  let isInText = false
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] as string
    if (isInText) {
      if (sign === '\\') at += 1
      else isInText = sign !== '"'
    } else if (sign === '"') isInText = true
    else if (sign === '[' || sign === '{') depth += 1
    else if (sign === ']' || sign === '}') depth -= 1
    if (depth > depthMax) return true
  }
  return false
}

/** An excerpt on one line. */
function excerptOf(text: string): string {
  const line = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
  return line.length > excerptCharactersMax ? `${line.slice(0, excerptCharactersMax).toWellFormed()}…` : line
}
