/**
 * The structure of a JSON Schema: which parts of it are schemas, what they refer to, and how much work they ask for.
 * Nothing here fetches anything: a schema refers to its own parts only. Source: contract 3, "JSON Schemas".
 */
import type { Issue } from '../http/errors.ts'
import type { JsonSchema } from './json-schema.ts'

/** Values of these are schemas by name. */
const maps = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'])
/** Values of these are data. */
const data = new Set(['const', 'enum', 'default', 'examples'])
/** Schemas under these look at the same value as the schema around them. */
const inPlace = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas', 'dependencies'])
const references = ['$ref', '$dynamicRef', '$recursiveRef'] as const

/** How many schemas may look at one value, when every reference is followed. */
const looksMax = 1_000

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const escaped = (part: string) => part.replaceAll('~', '~0').replaceAll('/', '~1')

/** The schemas right below a schema, each with the word it is under and its path from there. */
function* partsOf(schema: JsonSchema): Generator<{ word: string; path: string; part: JsonSchema }> {
  for (const [word, value] of Object.entries(schema)) {
    if (data.has(word)) continue
    const path = `/${escaped(word)}`
    if (isObject(value) && !maps.has(word)) yield { word, path, part: value }
    else if (typeof value === 'object' && value !== null) {
      for (const [name, part] of Object.entries(value)) {
        if (isObject(part)) yield { word, path: `${path}/${escaped(name)}`, part }
      }
    }
  }
}

/** References to elsewhere, and patterns that are none. */
export function structureIssues(schema: JsonSchema, path: string): Issue[] {
  const issues: Issue[] = []
  for (const word of references) {
    const reference = schema[word]
    if (typeof reference === 'string' && !reference.startsWith('#')) {
      issues.push({ path: `${path}/${word}`, message: 'Must be a reference within the schema: # and a path.' })
    }
  }
  if (typeof schema.pattern === 'string' && !isPattern(schema.pattern)) {
    issues.push({ path: `${path}/pattern`, message: 'Is not a regular expression.' })
  }
  for (const pattern of Object.keys(isObject(schema.patternProperties) ? schema.patternProperties : {})) {
    if (isPattern(pattern)) continue
    issues.push({ path: `${path}/patternProperties/${escaped(pattern)}`, message: 'Is not a regular expression.' })
  }
  for (const { path: below, part } of partsOf(schema)) issues.push(...structureIssues(part, path + below))
  return issues
}

function isPattern(text: string): boolean {
  try {
    return Boolean(new RegExp(text, 'u'))
  } catch {
    return false
  }
}

/**
 * Whether checking a value ends, and soon: no schema leads back to itself at the same value, and none multiplies itself
 * by references to references.
 */
export function foldedTightly(root: JsonSchema): boolean {
  const anchors = new Map<string, JsonSchema>()
  const all: JsonSchema[] = []
  const collect = (schema: JsonSchema) => {
    all.push(schema)
    for (const anchor of [schema.$anchor, schema.$dynamicAnchor]) {
      if (typeof anchor === 'string') anchors.set(`#${anchor}`, schema)
    }
    for (const { part } of partsOf(schema)) collect(part)
  }
  collect(root)

  /** How many schemas look at a value that the schema looks at; without end while that is being counted. */
  const counted = new Map<JsonSchema, number>()
  const looks = (schema: JsonSchema): number => {
    const known = counted.get(schema)
    if (known !== undefined) return known
    counted.set(schema, Number.POSITIVE_INFINITY)
    let sum = 1
    for (const { word, part } of partsOf(schema)) if (inPlace.has(word)) sum += looks(part)
    for (const word of references) {
      const reference = schema[word]
      if (typeof reference !== 'string') continue
      const target = anchors.get(reference) ?? at(root, reference)
      if (target) sum += looks(target)
    }
    counted.set(schema, sum)
    return sum
  }
  return all.every((schema) => looks(schema) <= looksMax)
}

/** What a reference such as `#/$defs/item` names; undefined when there is nothing. */
function at(root: JsonSchema, reference: string): JsonSchema | undefined {
  let found: unknown = root
  for (const part of reference.slice(1).split('/').slice(1)) {
    const name = unescaped(part)
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined
    found = (found as JsonSchema)[name]
  }
  return isObject(found) ? found : undefined
}

function unescaped(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return part
  }
}
