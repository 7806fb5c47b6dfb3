/**
 * Matches the patterns of JSON Schemas in linear time. Authors write JavaScript patterns with the `u` flag; RE2, which has
 * neither look-around nor back references, matches them. Source: contract 4, "Schemas of tenants".
 */
import { RE2JS } from 're2js'

/** A pattern that RE2 cannot match; the message names the unsupported part. */
export class UnsupportedPattern extends Error {
  override readonly name = 'UnsupportedPattern'
}

/** The interface that `ajv` needs of a regular expression. */
export class LinearPattern {
  readonly #expression: RE2JS

  /** Throws `UnsupportedPattern`, or `SyntaxError` for an invalid pattern. */
  constructor(private readonly source: string) {
    this.#expression = compiled(source)
  }

  /** Whether the pattern matches anywhere in the text. */
  test(text: string): boolean {
    return this.#expression.test(text)
  }

  /** The most steps for one character. */
  get steps(): number {
    return this.#expression.programSize()
  }

  toString(): string {
    return `/${this.source}/u`
  }
}

function compiled(source: string): RE2JS {
  new RegExp(source, 'u')
  const translated = inWordsOfRe2(source)
  try {
    return RE2JS.compile(translated)
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : ''
    if (/repeat count/.test(reason)) throw new UnsupportedPattern('Repeats something more than 1,000 times.')
    throw new UnsupportedPattern(`Cannot be matched in linear time: ${reason.slice(0, 100)}.`)
  }
}

const notLineEnd = '[^\\n\\r\\x{2028}\\x{2029}]'
const space = '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}'
const notSpace =
  '\\x00-\\x08\\x0e-\\x1f!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}' +
  '\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}'
const anything = '\\x00-\\x{10ffff}'

/** One token of a pattern, with the names of groups and properties. */
const word =
  /\\u\{[0-9a-f]+\}|\\u[0-9a-f]{4}(?:\\ud[c-f][0-9a-f]{2})?|\\x[0-9a-f]{2}|\\c[a-z]|\\p\{[^}]*\}|\\k<[^>]*>|\\[1-9]\d*|\\.|\[\^\]|\[\]|\[\^?|\(\?<(?![=!])[^>]*>|\(\?(?:<?[=!]|:)?|./gisu

/** Translates a valid JavaScript pattern to RE2. Throws `UnsupportedPattern`. */
function inWordsOfRe2(source: string): string {
  let inClass = false
  let written = ''
  for (const [part] of source.matchAll(word)) {
    if (part.startsWith('\\')) written += escapeOf(part, inClass)
    else if (inClass) {
      if (part === ']') inClass = false
      written += part.startsWith('[') ? part.replaceAll('[', '\\[') : part
      // "[^]" and "[]" are one token; within a class they end it
      if (part.startsWith('[') && part.endsWith(']')) inClass = false
    } else if (part === '[^]') written += `[${anything}]`
    else if (part === '[]') written += `[^${anything}]`
    else if (part.startsWith('[')) {
      inClass = true
      written += part
    } else if (part === '.') written += notLineEnd
    else if (part.startsWith('(?')) written += groupOf(part)
    else written += part
  }
  return written
}

function groupOf(part: string): string {
  if (part === '(?:') return part
  // named groups are not referred to
  if (part.startsWith('(?<') && part.endsWith('>')) return '('
  if (part === '(?') throw new UnsupportedPattern('Has modifiers, which are not supported: (?i:…).')
  throw new UnsupportedPattern(
    'Looks ahead or behind, which takes more than linear time and is not supported: (?=…), (?!…), (?<=…), (?<!…).',
  )
}

function escapeOf(part: string, inClass: boolean): string {
  const kind = part[1] as string
  if (/^\\(?:k<|[1-9])/.test(part)) {
    throw new UnsupportedPattern(
      'Refers back to a group, which takes more than linear time and is not supported: \\1, \\k<name>.',
    )
  }
  if (kind === 'u') return character(codeOf(part))
  if (kind === 'x') return character(Number.parseInt(part.slice(2), 16))
  if (kind === 'c' && part.length === 3) return character(part.charCodeAt(2) % 32)
  if (part === '\\0') return character(0)
  if (part === '\\b' && inClass) return character(8)
  if (part === '\\s') return inClass ? space : `[${space}]`
  if (part === '\\S') return inClass ? notSpace : `[^${space}]`
  if (kind === 'p' || kind === 'P') return propertyOf(part.slice(3, -1), kind, inClass)
  return part
}

function codeOf(part: string): number {
  if (part.startsWith('\\u{')) return Number.parseInt(part.slice(3, -1), 16)
  const first = Number.parseInt(part.slice(2, 6), 16)
  if (part.length === 6) return first
  const second = Number.parseInt(part.slice(8, 12), 16)
  const isHigh = first >= 0xd800 && first < 0xdc00
  return isHigh ? String.fromCharCode(first, second).codePointAt(0)! : throwUnpaired()
}

function throwUnpaired(): never {
  throw new UnsupportedPattern('Has an unpaired surrogate.')
}

const character = (code: number) => `\\x{${code.toString(16)}}`

/** General_Category names that RE2 knows only by their abbreviation. */
const categories: Record<string, string> = {
  Letter: 'L',
  Uppercase_Letter: 'Lu',
  Lowercase_Letter: 'Ll',
  Titlecase_Letter: 'Lt',
  Modifier_Letter: 'Lm',
  Other_Letter: 'Lo',
  Mark: 'M',
  Nonspacing_Mark: 'Mn',
  Spacing_Mark: 'Mc',
  Enclosing_Mark: 'Me',
  Number: 'N',
  Decimal_Number: 'Nd',
  Letter_Number: 'Nl',
  Other_Number: 'No',
  Punctuation: 'P',
  Connector_Punctuation: 'Pc',
  Dash_Punctuation: 'Pd',
  Open_Punctuation: 'Ps',
  Close_Punctuation: 'Pe',
  Initial_Punctuation: 'Pi',
  Final_Punctuation: 'Pf',
  Other_Punctuation: 'Po',
  Symbol: 'S',
  Math_Symbol: 'Sm',
  Currency_Symbol: 'Sc',
  Modifier_Symbol: 'Sk',
  Other_Symbol: 'So',
  Separator: 'Z',
  Space_Separator: 'Zs',
  Line_Separator: 'Zl',
  Paragraph_Separator: 'Zp',
  Other: 'C',
  Control: 'Cc',
  Format: 'Cf',
}

function propertyOf(text: string, kind: string, inClass: boolean): string {
  if (text === 'ASCII' && !inClass) return kind === 'p' ? '[\\x00-\\x7f]' : '[^\\x00-\\x7f]'
  const [, name = text] = /^(?:General_Category|gc|Script|sc)=(.*)$/.exec(text) ?? []
  return `\\${kind}{${categories[name] ?? name}}`
}
