/** Schemas as authors write them: JSON Schema, or one of a Standard Schema library. */
import type { InferJson, JsonSchema } from './json-schema.ts'
import { type InferOutput, isStandardSchema, type StandardSchema, validated } from './standard.ts'

/** A JSON Schema, or a schema of a library. */
export type AnySchema = StandardSchema | JsonSchema

/** The type of values that a schema describes, once they are checked. */
export type Infer<Schema> = Schema extends StandardSchema ? InferOutput<Schema> : InferJson<Schema>

/** What libraries offer to give their schemas as JSON Schema, by the standard for it or by a method of their own. */
interface Convertible {
  '~standard': { vendor: string; jsonSchema?: { input(options: { target: string }): JsonSchema } }
  toJSONSchema?(): JsonSchema
  toJsonSchema?(): JsonSchema
}

/**
 * The schema as JSON Schema, of what is given to it where it changes values. Throws `TypeError` for one of a library that
 * cannot say.
 */
export function jsonSchemaOf(schema: AnySchema): JsonSchema {
  if (!isStandardSchema(schema)) return schema
  const convertible = schema as unknown as Convertible
  const { vendor, jsonSchema } = convertible['~standard']
  if (jsonSchema) return jsonSchema.input({ target: 'draft-2020-12' })
  if (convertible.toJSONSchema) return convertible.toJSONSchema()
  if (convertible.toJsonSchema) return convertible.toJsonSchema()
  throw new TypeError(
    `This schema of ${vendor} does not give its JSON Schema: write it as JSON Schema, or take a library that does.`,
  )
}

/** The value as its schema gives it; what a JSON Schema describes, the server has checked. Throws `InvalidValueError`. */
export const checked = <Schema extends AnySchema>(
  schema: Schema,
  value: unknown,
): Promise<Infer<Schema>> | Infer<Schema> =>
  isStandardSchema(schema) ? (validated(schema, value) as Promise<Infer<Schema>>) : (value as Infer<Schema>)
