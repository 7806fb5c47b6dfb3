/** Parses JSON bodies strictly: 400 for malformed text, 422 for unsound strings. Source: contract 0, "Global statuses". */
import { isUtf8 } from 'node:buffer'
import { pointer } from '../../json.ts'
import { nextTurn } from '../../time/next-turn.ts'
import { type Issue, invalid, malformed } from '../answers/errors.ts'
import { jsonValuesMax, StructureScan } from './duplicates.ts'
import { readJson } from './json-lines.ts'
import { parseAround, stretch } from './long-texts.ts'

/**
 * Matches escaped surrogates, U+0000 and numbers that may be infinite, by their digits, their exponent or both: only then are
 * the values checked. Linear.
 */
const suspicious = /\\u(?:[dD][89a-fA-F]|0000)|(?:^|[^0-9])[0-9]{200}|[eE]\+?[0-9]{3}/
const issuesMax = 20

/** The fault of a string that UTF-8 cannot encode or that a store may not keep. */
function textFault(text: string): string | undefined {
  if (!text.isWellFormed()) return 'an unpaired surrogate'
  return text.includes('\0') ? 'the character U+0000' : undefined
}

/** Finds unsound strings, and numbers that overflow. */
function unsoundValues(value: unknown, path: string, issues: Issue[]): Issue[] {
  if (issues.length >= issuesMax) return issues
  if (typeof value === 'string') {
    const fault = textFault(value)
    if (fault) issues.push({ path, message: `Has ${fault}.` })
  } else if (typeof value === 'number' && !Number.isFinite(value)) {
    issues.push({ path, message: 'Is too large for a number.' })
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) unsoundValues(item, `${path}/${index}`, issues)
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      const fault = textFault(key)
      if (fault) issues.push({ path, message: `Has a key with ${fault}.` })
      else unsoundValues(item, path + pointer(key), issues)
    }
  }
  return issues
}

/** The longest match of `suspicious`. */
const suspiciousLength = 304

function assertSound(value: unknown): void {
  const issues = unsoundValues(value, '/body', [])
  if (issues.length > 0) throw invalid(issues)
}

/** Whether anything matches; pauses for other work. */
async function isSuspicious(text: string): Promise<boolean> {
  for (let from = 0; from < text.length; from += stretch) {
    if (suspicious.test(text.slice(from, from + stretch + suspiciousLength))) return true
    if (text.length > stretch) await nextTurn()
  }
  return false
}

/** Checks the structure of the text and parses it. Throws `malformed_request`. */
async function parsed(text: string, valuesMax: number): Promise<unknown> {
  const scan = new StructureScan(text, valuesMax)
  while (scan.advance(stretch)) await nextTurn()
  if (scan.fault) throw malformed(scan.fault)
  try {
    return await parseAround(text, scan.longTexts)
  } catch {
    throw malformed('The body is not valid JSON.')
  }
}

function textOf(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw malformed('The body is not valid UTF-8.')
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

/** What is wrong with a small text, and where. */
function notJson(text: string): string {
  const { fault } = readJson(text)
  if (!fault) return 'The body is not valid JSON.'
  const message = fault.message.endsWith('.') ? fault.message : `${fault.message}.`
  return `The body is not valid JSON at line ${fault.line}, column ${fault.column}: ${message}`
}

/** Nearly all bodies are small, and most requests have one: they are read at once, without pauses for others. */
function readSmall(bytes: Uint8Array, valuesMax: number): unknown {
  const text = textOf(bytes)
  const scan = new StructureScan(text, valuesMax)
  scan.advance(text.length)
  if (scan.fault) throw malformed(scan.fault)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw malformed(notJson(text))
  }
  if (suspicious.test(text)) assertSound(value)
  return value
}

async function readLarge(bytes: Uint8Array, valuesMax: number): Promise<unknown> {
  const text = textOf(bytes)
  await nextTurn()
  const value = await parsed(text, valuesMax)
  await nextTurn()
  if (await isSuspicious(text)) assertSound(value)
  return value
}

/** The parsing of the last large body; never rejects. */
let last: Promise<unknown> = Promise.resolve()

/**
 * The value of a JSON body; a promise of it if it is large. Throws `malformed_request` (400), or `validation_failed` (422)
 * for unsound strings.
 */
export function parseJson(bytes: Uint8Array, valuesMax: number = jsonValuesMax): unknown {
  if (bytes.length === 0) throw malformed('The body is empty; JSON is expected.')
  if (bytes.length <= stretch) return readSmall(bytes, valuesMax)
  // large bodies one after another: concurrent slices would add up to a long block
  const read = last.then(() => readLarge(bytes, valuesMax))
  last = read.catch(() => {})
  return read
}
