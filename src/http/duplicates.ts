/**
 * What `JSON.parse` does not refuse: a key given twice in one object, and nesting without end. One pass over the text,
 * linear in its length. It judges nothing else: text that is not JSON passes here and fails in `JSON.parse`.
 */

/** The deepest nesting that a body may have. Source: contract 0, "Strings". */
export const jsonDepthMax = 32

const quote = 34
const comma = 44
const colon = 58
const openBracket = 91
const backslash = 92
const closeBracket = 93
const openBrace = 123
const closeBrace = 125

/** The index of the quote that ends the string opened at `start`, or the length of the text when none does. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1) {
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes++
    if (escapes % 2 === 0) return end
    end = text.indexOf('"', end + 1)
  }
  return text.length
}

/** A key as it will be read: an escaped `\u0061` is the key `a`. */
function keyOf(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end)
  if (!raw.includes('\\')) return raw
  try {
    return String(JSON.parse(`"${raw}"`))
  } catch {
    return raw
  }
}

/** What is wrong with the structure of the text, in words for the caller; undefined when nothing is. */
export function structuralFault(text: string): string | undefined {
  // one entry per open bracket: the keys seen so far in an object, null in an array
  const open: (Set<string> | null)[] = []
  let keyIsNext = false
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote: {
        const end = endOfString(text, at)
        const keys = open.at(-1)
        if (keyIsNext && keys) {
          const key = keyOf(text, at, end)
          if (keys.has(key)) return 'An object of the JSON body has the same key twice.'
          keys.add(key)
        }
        at = end
        break
      }
      case openBrace:
      case openBracket:
        if (open.length === jsonDepthMax) return `The JSON body is nested deeper than ${jsonDepthMax} levels.`
        keyIsNext = text.charCodeAt(at) === openBrace
        open.push(keyIsNext ? new Set() : null)
        break
      case closeBrace:
      case closeBracket:
        open.pop()
        keyIsNext = false
        break
      case comma:
        keyIsNext = open.at(-1) instanceof Set
        break
      case colon:
        keyIsNext = false
        break
    }
  }
  return undefined
}
