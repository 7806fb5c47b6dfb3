/**
 * The structure of a JSON Schema: which parts of it are schemas, where they look, and what they refer to. Nothing here
 * fetches anything: a schema refers to its own parts only. Source: contract 3, "JSON Schemas".
 */
export type JsonSchema = Record<string, unknown>

/** Values of these are schemas by name. */
const maps = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'])
/** Values of these are data. */
const data = new Set(['const', 'enum', 'default', 'examples'])
const references = ['$ref', '$dynamicRef', '$recursiveRef'] as const

export const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const escaped = (part: string) => part.replaceAll('~', '~0').replaceAll('/', '~1')

export interface Part {
  /** The word that the part is under. */
  word: string
  /** Its name or index there, where there are several. */
  name: string | undefined
  /** From the schema around it. */
  path: string
  part: JsonSchema
}

/** The schemas right below a schema. */
export function* partsOf(schema: JsonSchema): Generator<Part> {
  for (const [word, value] of Object.entries(schema)) {
    if (data.has(word)) continue
    const path = `/${escaped(word)}`
    if (isObject(value) && !maps.has(word)) yield { word, name: undefined, path, part: value }
    else if (typeof value === 'object' && value !== null) {
      for (const [name, part] of Object.entries(value)) {
        if (isObject(part)) yield { word, name, path: `${path}/${escaped(name)}`, part }
      }
    }
  }
}

/** The schema and all below it, each with its path. */
export function* schemasIn(schema: JsonSchema, path: string): Generator<{ path: string; schema: JsonSchema }> {
  yield { path, schema }
  for (const { path: below, part } of partsOf(schema)) yield* schemasIn(part, path + below)
}

/** What a schema refers to: of each reference the word and the text. */
export const referencesOf = (schema: JsonSchema) =>
  references.flatMap((word) => {
    const reference = schema[word]
    return typeof reference === 'string' ? [{ word, reference }] : []
  })

/** Finds what the references of a schema name; undefined when there is nothing. */
export function targetsWithin(root: JsonSchema): (reference: string) => JsonSchema | undefined {
  const anchors = new Map<string, JsonSchema>()
  for (const { schema } of schemasIn(root, '')) {
    for (const anchor of [schema.$anchor, schema.$dynamicAnchor]) {
      if (typeof anchor === 'string') anchors.set(`#${anchor}`, schema)
    }
  }
  return (reference) => anchors.get(reference) ?? at(root, reference)
}

/** What a reference such as `#/$defs/item` names. */
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
