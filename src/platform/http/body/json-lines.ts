/**
 * Parses JSON and records the line of each value, so that syntax errors, and in the console also issues of the API
 * (`/body/content/tools/0/name`), can be shown at their lines.
 */
import { pointer } from '../../json.ts'

export interface JsonText {
  /** Undefined for invalid JSON. */
  value: unknown
  /** By JSON pointer; the root is ``. Lines count from 1. */
  lines: Map<string, number>
  /** Line and column count from 1. */
  fault: { line: number; column: number; message: string } | undefined
}

class Fault extends Error {}

const space = /[ \t\r\n]*/y
const scalar =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON does not allow them in a text
  /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/** Characters that cannot be seen, or are none by themselves. */
const invisible = /[\p{C}\p{Z}]/u

function noToken(text: string, at: number): string {
  const code = text.codePointAt(at)
  if (code === undefined) return 'The text ends too early.'
  const sign = String.fromCodePoint(code)
  if (sign === '"') return 'A string does not end, or has a line break, a tab or an unknown escape.'
  return `Unexpected ${invisible.test(sign) ? `U+${code.toString(16).toUpperCase().padStart(4, '0')}` : sign}`
}

export function readJson(text: string): JsonText {
  const lines = new Map<string, number>()
  let at = 0
  let line = 1

  const skip = () => {
    space.lastIndex = at
    const [found = ''] = space.exec(text) ?? []
    line += found.split('\n').length - 1
    at += found.length
  }
  const fail = (message: string): never => {
    throw new Fault(message)
  }
  const has = (sign: string): boolean => {
    if (text[at] !== sign) return false
    at++
    return true
  }
  const token = (): string => {
    scalar.lastIndex = at
    const [found] = scalar.exec(text) ?? []
    if (found === undefined) return fail(noToken(text, at))
    at += found.length
    return found
  }

  function value(path: string): void {
    skip()
    lines.set(path, line)
    if (has('{')) members(path)
    else if (has('[')) elements(path)
    else token()
  }
  function members(path: string): void {
    skip()
    if (has('}')) return
    do {
      skip()
      if (text[at] !== '"') fail('Expected a name in double quotes.')
      const key = JSON.parse(token()) as string
      skip()
      if (!has(':')) fail('Expected a colon.')
      value(`${path}${pointer(key)}`)
      skip()
    } while (has(','))
    if (!has('}')) fail('Expected a comma or }.')
  }
  function elements(path: string): void {
    skip()
    if (has(']')) return
    let place = 0
    do {
      value(`${path}/${place++}`)
      skip()
    } while (has(','))
    if (!has(']')) fail('Expected a comma or ].')
  }

  try {
    value('')
    skip()
    if (at < text.length) fail('Unexpected text after the value.')
    return { value: JSON.parse(text), lines, fault: undefined }
  } catch (thrown) {
    const message = thrown instanceof Fault ? thrown.message : 'This is nested too deeply.'
    return { value: undefined, lines, fault: { line, column: at - text.lastIndexOf('\n', at - 1), message } }
  }
}
