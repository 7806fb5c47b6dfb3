/**
 * The JSON Schema of an operation's input, from schemas of a document: their references become `$defs`, so circular
 * references stay circular. Constraints that this server refuses are omitted; the service checks them.
 */
import { upgradeFromThreeToThreeOne } from '@scalar/openapi-upgrader/3.0-to-3.1'
import { isObject } from '../../../platform/json.ts'
import { LinearPattern } from '../../../platform/json-schemas/patterns.ts'
import type { JsonSchema } from '../../../platform/json-schemas/structure.ts'
import { Names } from '../names.ts'
import { Skip } from '../skip.ts'
import type { OpenApiDocument } from './document.ts'

/**
 * The detail of a schema: all of it; without descriptions below the first level; or only the first levels, without
 * referenced schemas.
 */
export const details = ['full', 'brief', 'outline'] as const
export type Detail = (typeof details)[number]

/** The most nested schemas, with references followed once. */
const partsMax = 5_000
/** The most schemas that are looked at for read-only properties. */
const looksMax = 100_000
const depthMax = 24
const outlineDepth = 2
const descriptionCharactersMax = 300
const enumMax = 1_000

/** Keywords that do not constrain a value, or that refer to the document. */
const dropped = new Set([
  'example',
  'examples',
  'xml',
  'externalDocs',
  'discriminator',
  'readOnly',
  'writeOnly',
  'deprecated',
  '$id',
  '$schema',
  '$anchor',
  '$dynamicAnchor',
  '$dynamicRef',
  '$comment',
  '$defs',
  'definitions',
  'uniqueItems',
])
const none: ReadonlySet<string> = new Set()
const words = new Set(['description', 'title'])
const ofData = new Set(['enum', 'const', 'default', 'required', 'type'])
const mapsOfSchemas = new Set(['properties', 'patternProperties', 'dependentSchemas'])

export interface Property {
  name: string
  schema: unknown
  required: boolean
  description?: string | undefined
}

/** The schema of an object with these properties. Throws `Skip` for a schema that cannot be converted. */
export function inputSchemaOf(document: OpenApiDocument, properties: readonly Property[], detail: Detail): JsonSchema {
  const copy = new Copy(document, detail)
  const parts = properties.map(({ name, schema, description }): [string, unknown] => {
    const own = copy.of(schema, 1)
    const text = description?.trim().slice(0, descriptionCharactersMax).toWellFormed()
    return [name, text && isObject(own) ? { ...own, description: text } : own]
  })
  const required = properties.filter((each) => each.required).map(({ name }) => name)
  const schema = {
    type: 'object',
    properties: Object.fromEntries(parts),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
    ...copy.definitions(),
  }
  return document.isOld ? upgraded(schema) : schema
}

/** Converts a schema of OpenAPI 3.0 to JSON Schema. */
function upgraded(schema: JsonSchema): JsonSchema {
  const document = { openapi: '3.0.3', info: {}, paths: {}, components: { schemas: { input: schema } } }
  const { components } = upgradeFromThreeToThreeOne(document) as unknown as typeof document
  return components.schemas.input
}

class Copy {
  readonly #defs: Record<string, unknown> = {}
  readonly #names = new Names()
  /** By reference: the name among the definitions. */
  readonly #known = new Map<string, string>()
  #parts = 0
  #looks = 0

  constructor(
    private readonly document: OpenApiDocument,
    private readonly detail: Detail,
  ) {}

  definitions(): { $defs?: Record<string, unknown> } {
    return Object.keys(this.#defs).length > 0 ? { $defs: this.#defs } : {}
  }

  /** `answers` names properties that are read-only by another part of the same `allOf`. */
  of(schema: unknown, depth: number, answers: ReadonlySet<string> = none): unknown {
    if (schema === undefined || typeof schema === 'boolean') return schema ?? {}
    if (!isObject(schema)) throw new Skip('A schema of it is not an object.')
    this.#parts += 1
    if (this.#parts > partsMax) throw new Skip(`Its schemas have more than ${partsMax.toLocaleString('en')} parts.`)
    if (this.detail === 'outline' && depth > outlineDepth) return typed(schema)
    if (depth > depthMax) throw new Skip(`Its schemas are nested more than ${depthMax} levels deep.`)
    return typeof schema.$ref === 'string'
      ? this.#reference(schema.$ref, schema, depth, answers)
      : this.#copied(schema, depth, answers)
  }

  /** OpenAPI 3.0 ignores what stands beside a reference, but for `nullable`, which documents rely on. */
  #reference(reference: string, schema: JsonSchema, depth: number, answers: ReadonlySet<string>): unknown {
    if (this.detail === 'outline') return this.of(this.document.resolved(schema), depth)
    let name = this.#known.get(reference)
    if (name === undefined) {
      const target = this.document.at(reference)
      name = this.#names.of(reference.slice(reference.lastIndexOf('/') + 1))
      this.#known.set(reference, name)
      this.#defs[name] = this.of(target, depth + 1)
    }
    const { $ref: _, nullable, ...beside } = schema
    const own = this.document.isOld ? {} : this.#copied(beside, depth, answers)
    return { ...own, $ref: `#/$defs/${name}`, ...(nullable === true ? { nullable } : {}) }
  }

  #copied(schema: JsonSchema, depth: number, answersOfOthers: ReadonlySet<string>): JsonSchema {
    const answers = answersOfOthers.union(this.#answersIn(schema))
    const entries = Object.entries(schema).flatMap(([word, value]): [string, unknown][] => {
      if (dropped.has(word) || word.startsWith('x-')) return []
      if (words.has(word)) return this.#described(word, value, depth)
      if (word === 'required' && Array.isArray(value)) return [[word, value.filter((name) => !answers.has(name))]]
      if (ofData.has(word)) return word === 'enum' && isLong(value) ? [] : [[word, value]]
      if (word === 'pattern') return isSupported(value) ? [[word, value]] : []
      if (word === 'patternProperties' && !Object.keys(Object(value)).every(isSupported)) return []
      if (word === 'properties' && isObject(value)) return [[word, this.#ofEach(without(value, answers), depth)]]
      if (mapsOfSchemas.has(word) && isObject(value)) return [[word, this.#ofEach(value, depth)]]
      if (Array.isArray(value)) {
        const ofParts = word === 'allOf' ? answers : none
        return [[word, value.map((part) => (isObject(part) ? this.of(part, depth + 1, ofParts) : part))]]
      }
      return [[word, isObject(value) ? this.of(value, depth + 1) : value]]
    })
    return Object.fromEntries(entries)
  }

  /** The read-only properties of the values of a schema: a request has none of them. */
  #answersIn(schema: JsonSchema): Set<string> {
    const maps = this.#included(schema).map(({ properties }) => (isObject(properties) ? properties : {}))
    const all = maps.flatMap((properties) => Object.entries(properties))
    return new Set(all.filter(([, part]) => this.#isReadOnly(part)).map(([name]) => name))
  }

  #isReadOnly(schema: unknown): boolean {
    return this.#included(schema).some(({ readOnly }) => readOnly === true)
  }

  /** The schema, and those that every one of its values meets too: targets of references, and parts of `allOf`. */
  #included(schema: unknown): JsonSchema[] {
    const found = new Set<JsonSchema>()
    const add = (each: unknown) => void (isObject(each) && found.add(each))
    add(schema)
    for (const { $ref, allOf } of found) {
      this.#looks += 1
      if (this.#looks > looksMax) throw new Skip('Its schemas refer to too many others.')
      if (typeof $ref === 'string') add(this.#target($ref))
      if (Array.isArray(allOf)) allOf.forEach(add)
    }
    return [...found]
  }

  /** The target of a reference; undefined if it leads nowhere, which matters only where it is copied. */
  #target(reference: string): unknown {
    try {
      return this.document.at(reference)
    } catch (error) {
      if (error instanceof Skip) return undefined
      throw error
    }
  }

  #described(word: string, value: unknown, depth: number): [string, unknown][] {
    if (word === 'title' || typeof value !== 'string' || (this.detail !== 'full' && depth > 1)) return []
    return [[word, value.slice(0, descriptionCharactersMax).toWellFormed()]]
  }

  #ofEach(map: JsonSchema, depth: number): JsonSchema {
    return Object.fromEntries(Object.entries(map).map(([name, part]) => [name, this.of(part, depth + 1)]))
  }
}

const without = (properties: JsonSchema, names: ReadonlySet<string>): JsonSchema =>
  Object.fromEntries(Object.entries(properties).filter(([name]) => !names.has(name)))

/** The rest of a schema below the outline: its type. */
const typed = ({ type, nullable }: JsonSchema): JsonSchema => ({
  ...(typeof type === 'string' || Array.isArray(type) ? { type } : {}),
  ...(nullable === true ? { nullable } : {}),
})

const isLong = (value: unknown) => Array.isArray(value) && value.length > enumMax

function isSupported(pattern: unknown): boolean {
  try {
    return typeof pattern === 'string' && Boolean(new LinearPattern(pattern))
  } catch {
    return false
  }
}
