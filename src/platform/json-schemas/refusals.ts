/**
 * Constructs that are refused although they compile: external references, patterns that need more than linear time, and
 * keywords whose work grows faster than the value. Source: contract 3, "JSON Schemas"; contract 4, "Schemas of tenants".
 */
import type { Issue } from '../http/answers/errors.ts'
import { isObject, pointer } from '../json.ts'
import { LinearPattern, UnsupportedPattern } from './patterns.ts'
import { type JsonSchema, referencesOf, schemasIn, targetsWithin } from './structure.ts'

const enumMax = 1_000
const comparedMax = 1_000
const scalars = new Set<unknown>(['string', 'number', 'integer', 'boolean', 'null'])

/** The refused constructs, below `path`, and invalid patterns. */
export function refusalsOf(root: JsonSchema, path: string): Issue[] {
  const target = targetsWithin(root)
  return [...schemasIn(root, path)].flatMap(({ schema, path: at }) => [
    ...referenceIssues(schema, at),
    ...patternIssues(schema, at),
    ...enumIssues(schema, at),
    ...uniqueItemsIssues(schema, at, target),
  ])
}

const referenceIssues = (schema: JsonSchema, path: string): Issue[] =>
  referencesOf(schema)
    .filter(({ reference }) => !reference.startsWith('#'))
    .map(({ word }) => ({ path: `${path}/${word}`, message: 'Must be a reference within the schema: # and a path.' }))

function patternIssues({ pattern, patternProperties }: JsonSchema, path: string): Issue[] {
  const names = Object.keys(isObject(patternProperties) ? patternProperties : {})
  const all = names.map((name) => ({ at: `${path}/patternProperties${pointer(name)}`, text: name }))
  if (typeof pattern === 'string') all.unshift({ at: `${path}/pattern`, text: pattern })
  return all.flatMap(({ at, text }) => {
    try {
      new LinearPattern(text)
      return []
    } catch (error) {
      const isUnsupported = error instanceof UnsupportedPattern
      return [{ path: at, message: isUnsupported ? error.message : 'Is not a valid regular expression.' }]
    }
  })
}

const enumIssues = ({ enum: values }: JsonSchema, path: string): Issue[] =>
  Array.isArray(values) && values.length > enumMax
    ? [{ path: `${path}/enum`, message: `May have at most ${enumMax.toLocaleString('en')} values.` }]
    : []

/** Scalars are compared by a look-up, objects and lists pairwise. */
function uniqueItemsIssues(
  schema: JsonSchema,
  path: string,
  target: (reference: string) => JsonSchema | undefined,
): Issue[] {
  const { uniqueItems, maxItems, items, prefixItems, additionalItems, type } = schema
  if (uniqueItems !== true || (typeof maxItems === 'number' && maxItems <= comparedMax)) return []
  if (type !== undefined && !(type === 'array' || (Array.isArray(type) && type.includes('array')))) return []
  // for a tuple, the items after its end
  const others = Array.isArray(items) ? additionalItems : items
  if (others === false && (Array.isArray(items) || Array.isArray(prefixItems))) return []
  if (isScalar(others, target, 0)) return []
  const message =
    'Compares every item with every other one: add maxItems of at most ' +
    `${comparedMax.toLocaleString('en')}, or items of type string, number, integer, boolean or null.`
  return [{ path: `${path}/uniqueItems`, message }]
}

const hopsMax = 32

/** Whether the schema accepts neither objects nor lists. */
function isScalar(schema: unknown, target: (reference: string) => JsonSchema | undefined, hops: number): boolean {
  if (!isObject(schema)) return schema === false
  const { type, $ref, const: only } = schema
  if (type !== undefined) return [type].flat().every((name) => scalars.has(name))
  const choices = Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [only] : undefined
  if (choices) return choices.every((choice) => typeof choice !== 'object' || choice === null)
  return typeof $ref === 'string' && hops < hopsMax && isScalar(target($ref), target, hops + 1)
}
