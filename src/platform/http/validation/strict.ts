/**
 * Strict schemas: objects refuse fields that they do not list (unless declared free-form), and JSON numbers must be
 * numbers. Source: contract 0, "Unknown body fields".
 */
import { Kind, type TSchema } from '@sinclair/typebox'

const isSchema = (value: unknown): value is TSchema => typeof value === 'object' && value !== null && Kind in value

/** Elysia's `t.Integer` and the like also accept text such as `"5"`; the second choice is the number. */
const isTextOrNumber = (schema: TSchema) =>
  schema[Kind] === 'Union' && ['integer', 'numeric'].includes(schema.anyOf[0]?.format) && schema.anyOf.length === 2

/** Removes Elysia's additions: text in place of numbers, and the first value of an enumeration as its default. */
export function plainSchema(schema: TSchema): TSchema {
  if (isTextOrNumber(schema)) return schema.anyOf[1]
  if (schema[Kind] !== 'UnionEnum' || schema.default !== schema.enum[0]) return schema
  const { default: _default, ...rest } = schema
  return { ...rest, [Kind]: schema[Kind] }
}

const eachOf = (schemas: Record<string, TSchema>): Record<string, TSchema> =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, strict(schema)]))

/** A strict copy of the schema. */
export function strict(schema: TSchema): TSchema {
  // the name is for the API document only: the compiler would make a function of it
  const { $id: _name, ...copy }: TSchema = plainSchema(schema)
  if (isSchema(copy.items)) copy.items = strict(copy.items)
  if (Array.isArray(copy.items)) copy.items = copy.items.map(strict)
  if (Array.isArray(copy.anyOf)) copy.anyOf = copy.anyOf.map(strict)
  if (isSchema(copy.additionalProperties)) copy.additionalProperties = strict(copy.additionalProperties)
  if (copy.patternProperties) copy.patternProperties = eachOf(copy.patternProperties)
  if (copy.properties) {
    copy.properties = eachOf(copy.properties)
    copy.additionalProperties ??= false
  }
  return copy
}
