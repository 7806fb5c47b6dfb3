/**
 * The proof that a value can be checked in the server's own thread. Everything that the check may do is counted before it
 * begins, and the count is never too small:
 *
 * - Only words whose work is known are taken: no `unevaluated…`, no `$dynamicRef`, no `$id`. What `ajv` does for one schema
 *   at one value is a step for each value that is written down in the schema (a name under `required`, an item of `enum`),
 *   and `Looks` counts how many schemas look at one value at each level.
 * - Texts are read by `minLength`, `maxLength` (a step for each character), `pattern` (RE2: the size of its program for
 *   each character) and `format` (regular expressions that are never worse than quadratic: measured).
 * - `uniqueItems` compares each item with each other one.
 *
 * A schema that is too large to be compiled here in a few milliseconds is not simple either. Whatever is not proven goes
 * to a worker. Source: contract 4, "Schemas of tenants".
 */
import { Looks, levelsMax } from './looks.ts'
import { LinearPattern } from './patterns.ts'
import { isObject, type JsonSchema, partsOf, schemasIn } from './structure.ts'

/** Annotations: nobody looks at them. */
const said = new Set(['title', 'description', 'examples', 'default', '$comment', '$schema', '$defs', 'definitions'])
const known = new Set([
  ...['type', 'enum', 'const', 'nullable', '$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'],
  ...['multipleOf', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum'],
  ...['maxLength', 'minLength', 'pattern', 'format'],
  ...['items', 'prefixItems', 'additionalItems', 'contains', 'minContains', 'maxContains', 'maxItems', 'minItems'],
  ...['uniqueItems', 'properties', 'patternProperties', 'additionalProperties', 'propertyNames', 'required'],
  ...['minProperties', 'maxProperties', 'dependentRequired', 'dependentSchemas'],
  ...['deprecated', 'readOnly', 'writeOnly'],
])

/** Of the JSON of a schema without its annotations: the time to compile it grows faster than it does. */
const charactersMax = 2_000
/** Instructions of one pattern. */
const programMax = 2_000
/** Steps take from 5 to 50 ns: a check in the thread ends after a few milliseconds at most. */
const stepsMax = 100_000
const textLength = /^(?:min|max)Length$/

/** What the check of a simple schema costs: steps by the level of a value. */
export interface Profile {
  perValue: readonly number[]
  perCharacter: readonly number[]
  /** For each character, as many as the longest text has. */
  perFormat: readonly number[]
  /** Items are compared with each other. */
  compares: boolean
}

/** How large a value is. Names of properties count as values, and as text. */
export interface Extent {
  values: number
  characters: number
  longest: number
  levels: number
}

/** What checks by the schema cost; null when that cannot be told, or compiling it would cost too much. */
export function profileOf(root: JsonSchema): Profile | null {
  if (JSON.stringify(withoutWords(root)).length > charactersMax) return null
  let compares = false
  for (const { schema } of schemasIn(root, '')) {
    for (const [word, value] of Object.entries(schema)) {
      const isIgnored = typeof value !== 'object' && !/^(?:\$|unevaluated)/.test(word)
      if (!said.has(word) && !known.has(word) && !isIgnored) return null
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
    // patterns that are none are for those to tell who compile them
    return null
  }
}

const tooMuch = new Error('Asks for too much.')

/** How large a value is; null when it has more values than so, or is deeper. */
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

/** The schema as those see it who compile it. */
function withoutWords(schema: JsonSchema): unknown {
  return JSON.parse(JSON.stringify(schema), (word, value) =>
    ['title', 'description', '$comment', 'examples'].includes(word) && !isObject(value) ? undefined : value,
  )
}

/** The values that are written down in a schema itself. */
function wordsOf(schema: JsonSchema): number {
  let sum = 1
  for (const [word, value] of Object.entries(schema)) {
    if (said.has(word)) continue
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

/** The steps for one character of a text, or of the name of a property. Throws for patterns with large programs. */
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

/** How large the program of a pattern may become, before it is made: what is counted in it is written out. */
function sizeAtMost(pattern: string): number {
  const counts = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].map(([, min, max]) => Number(max || min))
  const isNested = pattern.includes('){')
  return isNested
    ? counts.reduce((product, count) => product * Math.max(1, count), pattern.length)
    : counts.reduce((sum, count) => sum + count, pattern.length)
}

const formatsOf = ({ format }: JsonSchema): number => (format === undefined ? 0 : 1)
