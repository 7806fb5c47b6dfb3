/** The API document as OpenAPI 3.0, without webhooks: Swagger UI takes seconds to resolve a 3.1 document. */

type Json = unknown
type JsonObject = Record<string, Json>

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Keywords whose value is a schema, a list of schemas or a map of schemas. */
const withSchemas = new Set(['items', 'additionalProperties', 'not', 'anyOf', 'oneOf', 'allOf'])
const withNamedSchemas = new Set(['properties'])
/** Keywords that 3.0 does not have, and that only remark on a value. */
const newer = new Set(['contentMediaType', 'contentSchema'])

const each = (value: Json, change: (schema: Json) => Json): Json =>
  Array.isArray(value) ? value.map(change) : change(value)
const eachNamed = (value: Json, change: (value: Json) => Json): Json =>
  isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, part]) => [name, change(part)])) : value

/** 3.0 has no null type: this schema accepts only null. */
const nullSchema = { type: 'string', nullable: true, enum: [null] }

/** Several types, one of which may be null. */
function typed(types: readonly Json[]): JsonObject {
  const others = types.filter((type) => type !== 'null')
  if (others.length === 1) return { type: others[0], nullable: true }
  const choices: Json[] = others.map((type) => ({ type }))
  return { anyOf: others.length < types.length ? [...choices, nullSchema] : choices }
}

/** Converts one schema. */
function schemaOf(schema: Json): Json {
  if (!isObject(schema)) return schema
  const { $ref, ...others } = schema
  if (schema.type === 'null') return nullSchema
  // 3.0 ignores siblings of a reference
  if ($ref !== undefined) return Object.keys(others).length > 0 ? { allOf: [{ $ref }], ...others } : schema
  const parts = Object.entries(others).flatMap(([keyword, value]): [string, Json][] => {
    if (newer.has(keyword)) return []
    if (keyword === 'type' && Array.isArray(value)) return Object.entries(typed(value))
    if (keyword === 'const') return [['enum', [value]]]
    if (keyword === 'examples' && Array.isArray(value)) return [['example', value[0]]]
    if (keyword === 'patternProperties')
      return [['additionalProperties', schemaOf(Object.values(value as JsonObject)[0])]]
    if (withSchemas.has(keyword)) return [[keyword, each(value, schemaOf)]]
    if (withNamedSchemas.has(keyword)) return [[keyword, eachNamed(value, schemaOf)]]
    return [[keyword, value]]
  })
  return Object.fromEntries(parts)
}

/** Converts the parts around schemas: operations, answers, parameters. */
function around(part: Json): Json {
  if (Array.isArray(part)) return part.map(around)
  if (!isObject(part)) return part
  return Object.fromEntries(
    Object.entries(part).map(([name, value]) => {
      if (name === 'schema') return [name, schemaOf(value)]
      return [name, name === 'example' || name === 'examples' ? value : around(value)]
    }),
  )
}

/** The converted document as JSON text, in pieces. */
export function* olderDialect(document: JsonObject): Generator<string> {
  const { openapi: _newer, webhooks: _webhooks, info, paths, components, ...others } = document
  const { summary: _summary, license, ...head } = info as JsonObject
  const { identifier: _identifier, ...licence } = license as JsonObject
  const { schemas, ...parts } = components as JsonObject
  const entries = function* (of: JsonObject, change: (value: Json) => Json) {
    let comma = ''
    for (const [name, value] of Object.entries(of)) {
      yield `${comma}${JSON.stringify(name)}:${JSON.stringify(change(value))}`
      comma = ','
    }
  }
  yield `{"openapi":"3.0.3","info":${JSON.stringify({ ...head, license: licence })},`
  for (const [name, value] of Object.entries(others)) yield `${JSON.stringify(name)}:${JSON.stringify(value)},`
  yield '"paths":{'
  yield* entries(paths as JsonObject, around)
  yield '},"components":{'
  for (const [name, value] of Object.entries(parts)) yield `${JSON.stringify(name)}:${JSON.stringify(around(value))},`
  yield '"schemas":{'
  yield* entries(schemas as JsonObject, schemaOf)
  yield '}}}'
}
