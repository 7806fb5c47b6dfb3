/**
 * Proves that a check is short enough for the server's own thread, by an upper bound of its steps:
 *
 * - Only keywords of known cost are accepted: no `unevaluated…`, no `$dynamicRef`, no `$id`. One schema at one value costs a
 *   step for each value in the schema (a name under `required`, an item of `enum`); `Looks` counts how many schemas visit
 *   one value at each level.
 * - Strings are read by `minLength`, `maxLength` (a step per character), `pattern` (RE2: the size of its program per
 *   character) and `format` (regular expressions that are at worst quadratic, as measured).
 * - `uniqueItems` compares each item with every other one.
 *
 * A schema that takes more than a few milliseconds to compile is not accepted either. Everything else goes to a worker.
 * Source: contract 4, "Schemas of tenants".
 */

import { isObject } from '../json.ts'
import { Looks, levelsMax } from './looks.ts'
import { LinearPattern } from './patterns.ts'
import { type JsonSchema, partsOf, schemasIn } from './structure.ts'

/** Annotations, which cost nothing. */
const annotations = new Set([
  'title',
  'description',
  'examples',
  'default',
  '$comment',
  '$schema',
  '$defs',
  'definitions',
])
const known = new Set([
  ...['type', 'enum', 'const', 'nullable', '$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'],
  ...['multipleOf', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum'],
  ...['maxLength', 'minLength', 'pattern', 'format'],
  ...['items', 'prefixItems', 'additionalItems', 'contains', 'minContains', 'maxContains', 'maxItems', 'minItems'],
  ...['uniqueItems', 'properties', 'patternProperties', 'additionalProperties', 'propertyNames', 'required'],
  ...['minProperties', 'maxProperties', 'dependentRequired', 'dependentSchemas'],
  ...['deprecated', 'readOnly', 'writeOnly'],
])

/** Characters of a schema's JSON without annotations: compile time grows faster than that. */
const charactersMax = 2_000
/** Instructions of one pattern. */
const programMax = 2_000
/** A step takes 5 to 50 ns, so a check in the thread takes a few milliseconds at most. */
const stepsMax = 100_000
const textLength = /^(?:min|max)Length$/

/** The cost of a check: steps by level of the value. */
export interface Profile {
  perValue: readonly number[]
  perCharacter: readonly number[]
  /** For each character, multiplied by the length of the longest string. */
  perFormat: readonly number[]
  /** Whether items are compared with each other. */
  compares: boolean
}

/** The size of a value. Property names count as values and as text. */
interface Extent {
  values: number
  characters: number
  longest: number
  levels: number
}

/** The cost of checks by the schema; null if it is unknown, or compiling would take too long. */
export function profileOf(root: JsonSchema): Profile | null {
  if (JSON.stringify(withoutWords(root)).length > charactersMax) return null
  let compares = false
  for (const { schema } of schemasIn(root, '')) {
    for (const [word, value] of Object.entries(schema)) {
      const isIgnored = typeof value !== 'object' && !/^(?:\$|unevaluated)/.test(word)
      if (!annotations.has(word) && !known.has(word) && !isIgnored) return null
    }
    if (typeof schema.$ref === 'string' && !/^#(?:\/|$)/.test(schema.$ref)) return null
    compares ||= schema.uniqueItems === true
  }
  try {
    const stepsOf = (own: (schema: JsonSchema) => number) => {
      const looks = new Looks(root, 'all', own)
      if (!looks.within(stepsMax)) throw tooMuch
      return looks.byLevel(stepsMax)
    }
    return { perValue: stepsOf(wordsOf), perCharacter: stepsOf(readsOf), perFormat: stepsOf(formatsOf), compares }
  } catch {
    // invalid patterns are reported by the compiler
    return null
  }
}

const tooMuch = new Error('Asks for too much.')

/** The size of a value; null if it has more values or is deeper. */
export function extentOf(value: unknown, valuesMax: number, depthMax = levelsMax): Extent | null {
  const extent: Extent = { values: 0, characters: 0, longest: 0, levels: 0 }
  const text = ({ length }: string) => {
    extent.characters += length
    if (length > extent.longest) extent.longest = length
  }
  const count = (part: unknown, level: number): boolean => {
    extent.values += 1
    if (level > extent.levels) extent.levels = level
    if (extent.values > valuesMax || level > depthMax) return false
    if (typeof part === 'string') text(part)
    else if (Array.isArray(part)) return part.every((item) => count(item, level + 1))
    else if (typeof part === 'object' && part !== null) {
      for (const name in part) {
        extent.values += 1
        text(name)
        if (!count((part as Record<string, unknown>)[name], level + 1)) return false
      }
    }
    return true
  }
  return count(value, 0) ? extent : null
}

/** Whether the check of a value is proven to be short. */
export function isProven({ perValue, perCharacter, perFormat, compares }: Profile, value: unknown): boolean {
  const extent = extentOf(value, stepsMax / Math.max(1, perValue[0]!))
  if (!extent) return false
  const { values, characters, longest, levels } = extent
  const most = (steps: readonly number[]) => Math.max(...steps.slice(0, levels + 1))
  const pairs = compares ? values * values : 0
  const steps =
    most(perValue) * (values + pairs) + most(perCharacter) * characters + most(perFormat) * characters * longest
  return steps <= stepsMax
}

/** The schema as the compiler sees it. */
function withoutWords(schema: JsonSchema): unknown {
  return JSON.parse(JSON.stringify(schema), (word, value) =>
    ['title', 'description', '$comment', 'examples'].includes(word) && !isObject(value) ? undefined : value,
  )
}

/** The values in a schema itself. */
function wordsOf(schema: JsonSchema): number {
  let sum = 1
  for (const [word, value] of Object.entries(schema)) {
    if (annotations.has(word)) continue
    sum += word === 'enum' || word === 'const' ? valuesIn(value) : 1
    if (Array.isArray(value) && word !== 'enum') sum += value.length
    if (word === 'dependentRequired') sum += valuesIn(value)
  }
  for (const { word } of partsOf(schema)) if (word === 'properties') sum += 1
  if (isObject(schema.patternProperties)) sum += Object.keys(schema.patternProperties).length
  return sum
}

const valuesIn = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce((sum: number, item) => sum + valuesIn(item), 1)
    : 1

/** Steps per character of a string or property name. Throws for patterns with large programs. */
function readsOf(schema: JsonSchema): number {
  const { pattern, patternProperties } = schema
  let steps = Object.keys(schema).filter((word) => textLength.test(word)).length
  const patterns = Object.keys(isObject(patternProperties) ? patternProperties : {})
  if (typeof pattern === 'string') patterns.push(pattern)
  for (const each of patterns) {
    if (sizeAtMost(each) > programMax) throw tooMuch
    steps += new LinearPattern(each).steps
  }
  return steps
}

/** An upper bound for the program of a pattern before it is compiled: counted repetitions are written out. */
function sizeAtMost(pattern: string): number {
  const counts = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].map(([, min, max]) => Number(max || min))
  const isNested = pattern.includes('){')
  return isNested
    ? counts.reduce((product, count) => product * Math.max(1, count), pattern.length)
    : counts.reduce((sum, count) => sum + count, pattern.length)
}

const formatsOf = ({ format }: JsonSchema): number => (format === undefined ? 0 : 1)
