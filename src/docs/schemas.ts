/** Schemas of the code as JSON Schema of the API document: plain, and named ones once, under `components`. */
import type { TSchema } from '@sinclair/typebox'
import { plainSchema } from '../http/strict.ts'

export type JsonSchema = Record<string, unknown>

/** Words that mean something to Elysia or to the validator only. */
const internalWords = new Set(['$id', 'elysiaMeta', 'extension', 'fault', 'noValidate', 'error', 'nullable'])

export class Components {
  readonly schemas: Record<string, JsonSchema> = {}

  /** The schema in the document's words; one with an `$id` becomes a component, and this a reference to it. */
  describe(given: TSchema): JsonSchema {
    const schema = plainSchema(given)
    const name = schema.$id
    if (!name) return this.#plain(schema)
    if (!(name in this.schemas)) {
      this.schemas[name] = {}
      this.schemas[name] = this.#plain(schema)
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  #plain(schema: TSchema): JsonSchema {
    const plain: JsonSchema = {}
    for (const [word, value] of Object.entries(schema)) {
      if (internalWords.has(word) || value === undefined) continue
      // files have a placeholder for a default
      if (word === 'default' && (value === 'File' || value === 'Files')) continue
      plain[word] = this.#value(word, value)
    }
    if (schema.elysiaMeta === 'Files') {
      plain.items = { type: 'string', format: 'binary' }
    }
    return plain
  }

  #value(word: string, value: unknown): unknown {
    if (word === 'properties' || word === 'patternProperties') {
      return Object.fromEntries(
        Object.entries(value as Record<string, TSchema>).map(([name, of]) => [name, this.describe(of)]),
      )
    }
    if (word === 'anyOf' || word === 'allOf' || word === 'oneOf')
      return (value as TSchema[]).map((of) => this.describe(of))
    if (word === 'items' || word === 'not' || word === 'additionalProperties') {
      if (Array.isArray(value)) return value.map((of) => this.describe(of))
      return typeof value === 'object' && value !== null ? this.describe(value as TSchema) : value
    }
    return value
  }
}
