/**
 * The format of the answer that a client asks for. The revision decides it, so a schema must be that of the revision.
 * Source: `docs/protocols.md`.
 */
import { isObject } from '../../platform/json.ts'
import { type JsonSchema, schemaMaps } from '../../platform/json-schemas/structure.ts'
import type { ReachedAgent } from '../agents.ts'
import { unsupported } from './errors.ts'

/** Keywords that exclude no value. */
const annotations: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$comment',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
])
/** Keywords whose values are no schemas. */
const plain: ReadonlySet<string> = new Set(['const', 'enum'])
const unordered: ReadonlySet<string> = new Set(['required', 'enum', 'type'])

/** It contains names of the client. */
const placeCharactersMax = 500

/**
 * Whether the client asks for JSON only. `path` is the place of the format in the body, `wrapper` the field of it that
 * holds the schema. Throws `unsupported_parameter` (400) for a format that the revision does not have.
 */
export function asksForJson(
  format: unknown,
  { address, content: { outputSchema } }: ReachedAgent,
  path: string,
  wrapper?: string,
): boolean {
  const { type = 'text' } = Object(format) as { type?: unknown }
  if (type === 'text') return false
  if (type !== 'json_object' && type !== 'json_schema') {
    throw unsupported(path, 'The type is text, json_object or json_schema.')
  }
  if (outputSchema === undefined) {
    throw unsupported(
      path,
      `The revision of ${address} has no \`outputSchema\`; the schema of the output belongs there.`,
    )
  }
  if (type === 'json_object') return true
  const { schema } = Object(wrapper === undefined ? format : Object(format)[wrapper]) as { schema?: unknown }
  const place = differenceOf(
    schema,
    outputSchema,
    [path, ...(wrapper === undefined ? [] : [wrapper]), 'schema'].join('/'),
  )
  if (place === undefined) return true
  throw unsupported(
    place.slice(0, placeCharactersMax),
    `The \`outputSchema\` of ${address} differs here. Send the same schema, or publish this one.`,
  )
}

/** The place of the first difference that matters. It recurses no deeper than the revision's schema, which is bounded. */
function differenceOf(asked: unknown, own: unknown, path: string): string | undefined {
  if (!isObject(asked) || !isObject(own)) return Bun.deepEquals(asked, own) ? undefined : path
  const [one, other] = [merged(asked), merged(own)]
  const keywords = new Set([...Object.keys(other), ...Object.keys(one)].filter((name) => !annotations.has(name)))
  return first([...keywords], (name) => differenceIn(name, one[name], other[name], `${path}/${name}`))
}

const isNull = (schema: unknown) => Object(schema).type === 'null'

/** Writes `anyOf` of a schema and null as a list of types, the other usual form. */
function merged(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || !anyOf.some(isNull)) return schema
  const value = anyOf.find((each) => !isNull(each))
  const isPlain = isObject(value) && typeof value.type === 'string' && !('enum' in value) && !('const' in value)
  if (!isPlain || !Object.keys(rest).every((name) => annotations.has(name))) return schema
  return { ...value, type: [value.type, 'null'] }
}

function differenceIn(keyword: string, asked: unknown, own: unknown, path: string): string | undefined {
  if (schemaMaps.has(keyword) && isObject(asked) && isObject(own)) {
    const names = [...new Set([...Object.keys(own), ...Object.keys(asked)])]
    return first(names, (name) => differenceOf(asked[name], own[name], `${path}/${name}`))
  }
  if (!Array.isArray(asked) || !Array.isArray(own)) {
    if (plain.has(keyword)) return Bun.deepEquals(asked, own) ? undefined : path
    return differenceOf(asked, own, path)
  }
  if (asked.length !== own.length) return path
  if (unordered.has(keyword)) {
    const [values, others] = [setOf(own), setOf(asked)]
    return values.size === others.size && values.isSubsetOf(others) ? undefined : path
  }
  return first([...own.keys()], (index) => differenceOf(asked[index], own[index], `${path}/${index}`))
}

const setOf = (values: readonly unknown[]) => new Set(values.map((value) => JSON.stringify(value)))

function first<Item>(items: readonly Item[], find: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}
