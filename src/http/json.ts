/** A JSON body, read strictly. Source: contract 0, "Global statuses": 400 for what is malformed, 422 for bad strings. */
import { isUtf8 } from 'node:buffer'
import { nextTurn } from '../runtime/next-turn.ts'
import { jsonValuesMax, StructureScan } from './duplicates.ts'
import { type Issue, invalid, malformed } from './errors.ts'

/** An escaped surrogate or U+0000, or a number that may be infinite: only then is the value worth a walk. Linear in the text. */
const suspicious = /\\u(?:[dD][89a-fA-F]|0000)|(?:^|[^0-9])[0-9]{300}|[eE]\+?[0-9]{3}/
const issuesMax = 20

/** What is wrong with a text: no UTF-8 carries it, or not every store keeps it. */
function textFault(text: string): string | undefined {
  if (!text.isWellFormed()) return 'a surrogate without its other half'
  return text.includes('\0') ? 'the character U+0000' : undefined
}

/** Unsound strings, and numbers beyond all bounds. */
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
      else unsoundValues(item, `${path}/${key}`, issues)
    }
  }
  return issues
}

/** Texts up to this length are looked through at once. */
const stretch = 128 * 1024

/** Looks through the structure of the text, others between the stretches. Throws `malformed_request`. */
async function assertStructure(text: string, valuesMax: number): Promise<void> {
  const scan = new StructureScan(text, valuesMax)
  while (scan.advance(stretch)) await nextTurn()
  if (scan.fault) throw malformed(scan.fault)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw malformed('The body is not valid JSON.')
  }
}

/** The value of a JSON body. Throws `malformed_request` (400), or `validation_failed` (422) for unsound strings. */
export async function parseJson(bytes: Uint8Array, valuesMax: number = jsonValuesMax): Promise<unknown> {
  if (bytes.length === 0) throw malformed('The body is empty; JSON is expected.')
  if (!isUtf8(bytes)) throw malformed('The body is not valid UTF-8.')
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  const isLarge = text.length > stretch
  await assertStructure(text, valuesMax)
  if (isLarge) await nextTurn()
  const value = parsed(text)
  if (isLarge) await nextTurn()
  if (suspicious.test(text)) {
    const issues = unsoundValues(value, '/body', [])
    if (issues.length > 0) throw invalid(issues)
  }
  if (isLarge) await nextTurn()
  return value
}
