/**
 * Parses JSON with long strings without blocking other requests: `JSON.parse` cannot be interrupted, and escapes cost 5 ns
 * per character, 75 ms for the longest body. So each long string is parsed separately, in slices.
 */
import { nextTurn } from '../../time/next-turn.ts'
import { StructureScan, type TextPlace } from './duplicates.ts'

/** Strings up to this length are parsed at once. */
export const stretch = 128 * 1024

const backslash = 92
const letterU = 117

/** The position at or shortly after `at` that splits no escape. `from` must not be inside an escape. */
function cutAt(text: string, from: number, at: number): number {
  for (let last = at - 1; last >= Math.max(from, at - 6); last--) {
    if (text.charCodeAt(last) !== backslash) continue
    let first = last
    while (first > from && text.charCodeAt(first - 1) === backslash) first--
    const begins = (last - first) % 2 === 0
    if (!begins) return at
    return Math.max(at, last + (text.charCodeAt(last + 1) === letterU ? 6 : 2))
  }
  return at
}

/** The string between two quotes. */
async function readText(text: string, start: number, end: number): Promise<string> {
  const pieces: string[] = []
  for (let from = start; from < end; ) {
    const until = from + stretch < end ? Math.min(end, cutAt(text, from, from + stretch)) : end
    pieces.push(JSON.parse(`"${text.slice(from, until)}"`))
    from = until
    await nextTurn()
  }
  return pieces.join('')
}

/** Replaces the marks by their strings. */
function restored(value: unknown, mark: string, texts: readonly string[]): unknown {
  if (typeof value === 'string') return value.startsWith(mark) ? texts[Number(value.slice(mark.length))] : value
  if (typeof value !== 'object' || value === null) return value
  const parts = value as Record<string, unknown>
  for (const name of Object.keys(parts)) parts[name] = restored(parts[name], mark, texts)
  return parts
}

/** Parses the text, whose long strings are at these places. Throws `SyntaxError`. */
export async function parseAround(text: string, places: readonly TextPlace[]): Promise<unknown> {
  if (places.length === 0) return JSON.parse(text)
  const mark = crypto.randomUUID()
  const texts: string[] = []
  let remainder = ''
  let from = 0
  for (const { start, end } of places) {
    remainder += `${text.slice(from, start)}"${mark}${texts.length}"`
    texts.push(await readText(text, start + 1, end))
    from = end + 1
  }
  return restored(JSON.parse(remainder + text.slice(from)), mark, texts)
}

/** Parses stored JSON, which may be large. */
export async function parseStored(text: string): Promise<unknown> {
  if (text.length <= stretch) return JSON.parse(text)
  const scan = new StructureScan(text, Number.POSITIVE_INFINITY)
  while (scan.advance(stretch)) await nextTurn()
  return scan.fault === undefined ? parseAround(text, scan.longTexts) : JSON.parse(text)
}
