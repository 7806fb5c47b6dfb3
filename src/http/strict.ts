/**
 * A schema as the API means it: objects take no fields beyond those they list (unless they are declared free-form), and
 * JSON numbers are numbers. Source: contract 0, "Unknown body fields".
 */
import { Kind, type TSchema } from '@sinclair/typebox'

const isSchema = (value: unknown): value is TSchema => typeof value === 'object' && value !== null && Kind in value

/** Elysia's `t.Integer` and its kin also take text such as `"5"`; the second choice is the number itself. */
const isTextOrNumber = (schema: TSchema) =>
  schema[Kind] === 'Union' && ['integer', 'numeric'].includes(schema.anyOf[0]?.format) && schema.anyOf.length === 2

/** The strict form of the schema; what is given stays as it is. */
export function strict(schema: TSchema): TSchema {
  if (isTextOrNumber(schema)) return schema.anyOf[1]
  const copy: TSchema = { ...schema }
  // Elysia makes the first value of an enumeration its default, which nobody asked for
  if (copy[Kind] === 'UnionEnum' && copy.default === copy.enum[0]) delete copy.default
  if (isSchema(copy.items)) copy.items = strict(copy.items)
  if (Array.isArray(copy.items)) copy.items = copy.items.map(strict)
  if (Array.isArray(copy.anyOf)) copy.anyOf = copy.anyOf.map(strict)
  if (copy.properties) {
    copy.properties = Object.fromEntries(
      Object.entries(copy.properties as Record<string, TSchema>).map(([name, property]) => [name, strict(property)]),
    )
    copy.additionalProperties ??= false
  }
  if (isSchema(copy.additionalProperties)) copy.additionalProperties = strict(copy.additionalProperties)
  if (copy.patternProperties) {
    copy.patternProperties = Object.fromEntries(
      Object.entries(copy.patternProperties as Record<string, TSchema>).map(([name, value]) => [name, strict(value)]),
    )
  }
  return copy
}
