/**
 * Finds faults that `JSON.parse` accepts: duplicate keys, unbounded nesting and unbounded numbers of values. One pass over
 * the text, linear in its length, which can be split into parts. Text that is not JSON passes here and fails in `JSON.parse`.
 */

/** The deepest nesting that a body may have. Source: contract 0, "Strings". */
const jsonDepthMax = 32
/** The most values and names in a body: processing time grows with them, and `JSON.parse` cannot be interrupted. */
export const jsonValuesMax = 100_000
/** A key is processed in one go. */
const keyLengthMax = 256 * 1024
/** Longer strings are parsed separately. */
const longTextLength = 128 * 1024

/** The positions of a string's quotes. */
export interface TextPlace {
  start: number
  end: number
}

const quote = 34
const comma = 44
const colon = 58
const openBracket = 91
const backslash = 92
const closeBracket = 93
const openBrace = 123
const closeBrace = 125

/** The key as `JSON.parse` reads it: the escape `\u0061` is the key `a`. */
function keyOf(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end)
  if (!raw.includes('\\')) return raw
  try {
    return String(JSON.parse(`"${raw}"`))
  } catch {
    return raw
  }
}

/** The pass over one text. */
export class StructureScan {
  /** The fault, worded for the caller; undefined if none was found so far. */
  fault: string | undefined
  /** The long strings that are values, in order. */
  readonly longTexts: TextPlace[] = []
  /** One entry per open bracket: the keys seen so far in an object, null in an array. */
  readonly #open: (Set<string> | null)[] = []
  #keyIsNext = false
  #values = 1
  #at = 0
  /** Start of the string that the pass is in; -1 outside strings. */
  #string = -1

  constructor(
    private readonly text: string,
    private readonly valuesMax: number = jsonValuesMax,
  ) {}

  /** Continues for about this many characters. Returns whether there is more to scan. */
  advance(characters: number): boolean {
    const until = Math.min(this.text.length, this.#at + characters)
    while (this.#at < until && !this.fault) {
      if (this.#string === -1) this.#look()
      else this.#findEnd(until)
    }
    return this.#at < this.text.length && !this.fault
  }

  /** Handles a character outside strings. */
  #look(): void {
    const open = this.#open
    const character = this.text.charCodeAt(this.#at)
    switch (character) {
      case quote:
        this.#string = this.#at
        break
      case openBrace:
      case openBracket:
        if (open.length === jsonDepthMax) this.fault = `The JSON body is nested deeper than ${jsonDepthMax} levels.`
        this.#keyIsNext = character === openBrace
        open.push(this.#keyIsNext ? new Set() : null)
        this.#count()
        break
      case closeBrace:
      case closeBracket:
        open.pop()
        this.#keyIsNext = false
        break
      case comma:
        this.#keyIsNext = open.at(-1) instanceof Set
        this.#count()
        break
      case colon:
        this.#keyIsNext = false
        this.#count()
        break
    }
    this.#at++
  }

  #count(): void {
    this.#values++
    if (this.#values <= this.valuesMax) return
    this.fault = `The JSON body has more than ${this.valuesMax.toLocaleString('en')} values and names. Send less of it at a time.`
  }

  /** Scans for the end of the string; stops after `until` to continue later. */
  #findEnd(until: number): void {
    const { text } = this
    for (let end = text.indexOf('"', this.#at); end !== -1; end = text.indexOf('"', end + 1)) {
      let escapes = 0
      while (text.charCodeAt(end - 1 - escapes) === backslash) escapes++
      this.#at = end + 1
      if (escapes % 2 === 0) {
        this.#close(end)
        return
      }
      if (this.#at >= until) return
    }
    this.#at = text.length
  }

  #close(end: number): void {
    const keys = this.#open.at(-1)
    const length = end - this.#string
    if (this.#keyIsNext && keys) {
      if (length > keyLengthMax) {
        this.fault = `An object of the JSON body has a key of more than ${keyLengthMax.toLocaleString('en')} characters.`
        return
      }
      const key = keyOf(this.text, this.#string, end)
      if (keys.has(key)) this.fault = 'An object of the JSON body has the same key twice.'
      keys.add(key)
    } else if (length > longTextLength) this.longTexts.push({ start: this.#string, end })
    this.#string = -1
  }
}

/** The fault in the structure of the text, worded for the caller; undefined if there is none. */
export function structuralFault(text: string): string | undefined {
  const scan = new StructureScan(text)
  scan.advance(text.length)
  return scan.fault
}
