/** Removes sent secrets from answers. Source: requirement 5.9; contract 4. */
import { type PlacedBytes, unescaped } from './escapes.ts'

const replacement = '[hidden]'
/** A JSON text may contain another one, whose escapes are escaped again. */
const escapesMax = 3

/** The library of TypeScript does not know the source of a value yet. */
const parseWithSources = JSON.parse as (
  json: string,
  reviver: (name: string, value: unknown, context: { source?: string }) => unknown,
) => unknown

export class Redaction {
  readonly #spellings: readonly Buffer[]

  /** Secrets shorter than `charactersMin` are left: they occur in any text. */
  constructor(secrets: Iterable<string>, charactersMin: number) {
    const texts = [...secrets].filter((secret) => secret.length >= charactersMin).flatMap(spellingsOf)
    this.#spellings = [...new Set(texts)].map((text) => Buffer.from(text))
  }

  /** The text without the secrets, in all encodings that they may have in it. */
  hide(text: string): string {
    const bytes = Buffer.from(text)
    const shown = this.hideIn(bytes)
    return shown === bytes ? text : shown.toString()
  }

  /** The bytes without the secrets in UTF-8; the same bytes if they contain none. */
  hideIn(bytes: Uint8Array): Uint8Array {
    const ranges: Range[] = []
    if (this.#spellings.length === 0) return bytes
    let view: PlacedBytes | undefined = { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length) }
    for (let depth = 0; view && depth <= escapesMax; depth += 1) {
      for (const spelling of this.#spellings) for (const range of rangesOf(spelling, view)) ranges.push(range)
      view = unescaped(view)
    }
    return ranges.length === 0 ? bytes : without(ranges, bytes)
  }

  /** The value of a JSON text without the secrets; a number that contains one becomes a text. Throws `SyntaxError`. */
  parse(json: string): unknown {
    if (this.hide(json) === json) return JSON.parse(json)
    return parseWithSources(json, (_, value, { source = '' }) => {
      if (typeof value === 'string') return this.hide(value)
      if (typeof value === 'number') return this.hide(source) === source ? value : replacement
      return this.#withoutNames(value)
    })
  }

  #withoutNames(value: unknown): unknown {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [this.hide(name), item]))
  }
}

/** The secret unchanged, as in a form, and in base64; escapes are undone before it is searched. */
function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const base64 = bytes.toString('base64')
  return [secret, secret.replaceAll(' ', '+'), base64, base64.replace(/=+$/, ''), bytes.toString('base64url')]
}

/** From, and to before. */
type Range = [number, number]

function* rangesOf(spelling: Buffer, { bytes, places }: PlacedBytes): Generator<Range> {
  for (let at = bytes.indexOf(spelling); at !== -1; at = bytes.indexOf(spelling, at + spelling.length)) {
    const to = at + spelling.length
    yield places ? [places[at] as number, places[to] as number] : [at, to]
  }
}

function without(ranges: Range[], bytes: Uint8Array): Buffer {
  const parts: Uint8Array[] = []
  let end = 0
  for (const [from, to] of ranges.sort(([one], [other]) => one - other)) {
    if (from >= end) parts.push(bytes.subarray(end, from), Buffer.from(replacement))
    end = Math.max(end, to)
  }
  return Buffer.concat([...parts, bytes.subarray(end)])
}
