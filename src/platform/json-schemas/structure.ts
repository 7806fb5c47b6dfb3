/**
 * The structure of a JSON Schema: its subschemas, the values they apply to, and its references, which are internal only:
 * nothing is fetched. Source: contract 3, "JSON Schemas".
 */
import { isObject, pointer } from '../json.ts'

export type JsonSchema = Record<string, unknown>

/** Keywords with maps of schemas. */
export const schemaMaps: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
])
/** Keywords with data. */
const data = new Set(['const', 'enum', 'default', 'examples'])
const references = ['$ref', '$dynamicRef', '$recursiveRef'] as const

export interface Part {
  /** The keyword of the part. */
  word: string
  /** Its name or index there, if there are several. */
  name: string | undefined
  /** Relative to the parent schema. */
  path: string
  part: JsonSchema
}

/** The direct subschemas. */
export function* partsOf(schema: JsonSchema): Generator<Part> {
  for (const [word, value] of Object.entries(schema)) {
    if (data.has(word)) continue
    const path = pointer(word)
    if (isObject(value) && !schemaMaps.has(word)) yield { word, name: undefined, path, part: value }
    else if (typeof value === 'object' && value !== null) {
      for (const [name, part] of Object.entries(value)) {
        if (isObject(part)) yield { word, name, path: `${path}${pointer(name)}`, part }
      }
    }
  }
}

/** The schema and all its descendants, with their paths. */
export function* schemasIn(schema: JsonSchema, path: string): Generator<{ path: string; schema: JsonSchema }> {
  yield { path, schema }
  for (const { path: below, part } of partsOf(schema)) yield* schemasIn(part, path + below)
}

/** The references of a schema: keyword and text. */
export const referencesOf = (schema: JsonSchema) =>
  references.flatMap((word) => {
    const reference = schema[word]
    return typeof reference === 'string' ? [{ word, reference }] : []
  })

/** Makes a resolver for the references of a schema; undefined for a dangling one. */
export function targetsWithin(root: JsonSchema): (reference: string) => JsonSchema | undefined {
  const anchors = new Map<string, JsonSchema>()
  for (const { schema } of schemasIn(root, '')) {
    for (const anchor of [schema.$anchor, schema.$dynamicAnchor]) {
      if (typeof anchor === 'string') anchors.set(`#${anchor}`, schema)
    }
  }
  return (reference) => anchors.get(reference) ?? at(root, reference)
}

/** Resolves a reference such as `#/$defs/item`. */
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
