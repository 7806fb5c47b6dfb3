/** Schemas as authors write them: JSON Schema, or a schema of a Standard Schema library. */
import type { InferJson, JsonSchema } from './json-schema.ts'
import { type InferOutput, isStandardSchema, type StandardSchema, validated } from './standard.ts'

/** A JSON Schema, or a schema of a library. */
export type AnySchema = StandardSchema | JsonSchema

/** The type of values that a schema describes, after validation. */
export type Infer<Schema> = Schema extends StandardSchema ? InferOutput<Schema> : InferJson<Schema>

/** The ways in which libraries convert their schemas to JSON Schema: the standard for it, or a method of their own. */
interface Convertible {
  '~standard': { vendor: string; jsonSchema?: { input(options: { target: string }): JsonSchema } }
  toJSONSchema?(): JsonSchema
  toJsonSchema?(): JsonSchema
}

/**
 * The schema as JSON Schema; for a schema that transforms values, that of its input. Throws `TypeError` for a schema of
 * a library that cannot convert it.
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

/**
 * The value as its schema transforms it; values of a JSON Schema were validated by the server. Throws
 * `InvalidValueError`.
 */
export const checked = <Schema extends AnySchema>(
  schema: Schema,
  value: unknown,
): Promise<Infer<Schema>> | Infer<Schema> =>
  isStandardSchema(schema) ? (validated(schema, value) as Promise<Infer<Schema>>) : (value as Infer<Schema>)
