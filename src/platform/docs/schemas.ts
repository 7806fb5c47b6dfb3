/** Converts schemas to the API document's JSON Schema; named schemas become `components.schemas`. */
import type { TSchema } from '@sinclair/typebox'
import { plainSchema } from '../http/validation/strict.ts'

type JsonSchema = Record<string, unknown>

/** Keywords for Elysia, the validator or this module only. */
const internalWords = new Set([
  '$id',
  'elysiaMeta',
  'error',
  'extension',
  'fault',
  'noValidate',
  'nullable',
  'opaque',
  'emptyIfFaulty',
  'original',
  'parameter',
])
/** Keywords that do not validate: each use of a named schema may have its own. */
const remarks = ['description', 'default', 'examples']

interface Named {
  schema: TSchema
  closed: boolean
  described: JsonSchema
}

/** The schema's validating keywords. */
const withoutRemarks = (schema: JsonSchema) =>
  JSON.stringify(Object.fromEntries(Object.entries(schema).filter(([word]) => !remarks.includes(word))))

/** Makes a scalar or null one type of two names rather than a choice of two schemas; its annotations apply to both. */
function withNull(choice: JsonSchema): JsonSchema {
  const { anyOf, ...around } = choice
  const [value, none] = Array.isArray(anyOf) && anyOf.length === 2 ? (anyOf as JsonSchema[]) : []
  if (!value || none?.type !== 'null') return choice
  const { description, ...rest } = value
  const annotations = { ...(description !== undefined && { description }), ...around }
  const isScalar = typeof value.type === 'string' && !['object', 'array'].includes(value.type) && !('const' in value)
  if (!isScalar) return { ...annotations, anyOf: [rest, none] }
  return {
    ...rest,
    ...annotations,
    type: [value.type, 'null'],
    ...(Array.isArray(value.enum) && { enum: [...value.enum, null] }),
  }
}

export class Schemas {
  readonly #named = new Map<string, Named>()

  /** The named schemas. */
  get components(): Record<string, JsonSchema> {
    const sorted = [...this.#named].sort(([one], [other]) => (one < other ? -1 : 1))
    return Object.fromEntries(sorted.map(([name, { described }]) => [name, described]))
  }

  /**
   * Converts a schema; one with an `$id` becomes a component, referenced here. `closed` is for requests: objects accept only
   * the fields that they list. A schema of both requests and answers is closed in both. Throws if two different schemas have
   * the same name.
   */
  describe(given: TSchema, closed = false): JsonSchema {
    const schema = plainSchema(given)
    const name = schema.$id
    if (!name) return this.#plain(schema, closed)
    const known = this.#named.get(name)
    const original: TSchema = known?.schema ?? schema.original ?? schema
    const named = known && (known.closed || !closed) ? known : this.#name(name, original, closed)
    const reference = { $ref: `#/components/schemas/${name}` }
    return original === schema ? reference : { ...reference, ...this.#ownRemarks(name, named, schema) }
  }

  #name(name: string, schema: TSchema, closed: boolean): Named {
    const named: Named = { schema, closed, described: {} }
    this.#named.set(name, named)
    named.described = this.#plain(schema, closed)
    return named
  }

  /** The annotations of this use of a named schema. */
  #ownRemarks(name: string, { described, closed }: Named, schema: TSchema): JsonSchema {
    const use = this.#plain(schema, closed)
    if (withoutRemarks(use) !== withoutRemarks(described)) throw new Error(`Two schemas are named ${name}`)
    const own = remarks.filter((word) => JSON.stringify(use[word]) !== JSON.stringify(described[word]))
    // otherwise the order of uses would decide about the component's
    if (own.length > 0 && !schema.original) throw new Error(`Two uses of ${name} have different annotations`)
    return Object.fromEntries(own.map((word) => [word, use[word]]))
  }

  #plain(schema: TSchema, closed: boolean): JsonSchema {
    const plain: JsonSchema = {}
    for (const [word, value] of Object.entries(schema)) {
      if (internalWords.has(word) || value === undefined) continue
      // files have a placeholder as their default
      if (word === 'default' && (value === 'File' || value === 'Files')) continue
      plain[word] = this.#value(word, value, closed)
    }
    if (schema.elysiaMeta === 'Files') {
      plain.items = { type: 'string', format: 'binary' }
    }
    if (closed && schema.properties) plain.additionalProperties ??= false
    return withNull(plain)
  }

  #value(word: string, value: unknown, closed: boolean): unknown {
    if (word === 'properties' || word === 'patternProperties') {
      return Object.fromEntries(
        Object.entries(value as Record<string, TSchema>).map(([name, of]) => [name, this.describe(of, closed)]),
      )
    }
    if (word === 'anyOf') return (value as TSchema[]).map((of) => this.describe(of, closed))
    // the parts of an `allOf` or `oneOf`, and a `not`, are not complete schemas
    if (word === 'allOf' || word === 'oneOf') return (value as TSchema[]).map((of) => this.describe(of))
    if (word === 'items' || word === 'additionalProperties') {
      if (Array.isArray(value)) return value.map((of) => this.describe(of, closed))
      return typeof value === 'object' && value !== null ? this.describe(value as TSchema, closed) : value
    }
    return word === 'not' || word === 'contentSchema' ? this.describe(value as TSchema) : value
  }
}
