/** The members of a union by the type of JSON value that they take, and in words. Source: contract 0, "Errors". */
import type { TSchema } from '@sinclair/typebox'

const typeOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value === 'number' ? 'number' : typeof value

const typesOf = ({ type, const: word }: TSchema): string[] =>
  type === undefined ? (word === undefined ? [] : [typeOf(word)]) : [type].flat()

/** Whether the schema takes values of the type that this value has; schemas without a type take all. */
export function takesTypeOf(value: unknown, schema: TSchema): boolean {
  const types = typesOf(schema).map((type) => (type === 'integer' ? 'number' : type))
  return types.length === 0 || types.includes(typeOf(value))
}

const names: Record<string, string> = {
  string: 'a text',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
}

/** Whether the schema takes only certain values. */
export const isWord = (schema: TSchema) => Array.isArray(schema.enum) || schema.const !== undefined

function described(schema: TSchema): string[] {
  if (Array.isArray(schema.enum)) return schema.enum.map(String)
  if (schema.const !== undefined) return [String(schema.const)]
  return typesOf(schema).map((type) => names[type] ?? type)
}

/** An object by its required fields, if no other member is one. */
function objectOf(members: readonly TSchema[]): string {
  const [only, another] = members.filter((member) => typesOf(member).includes('object'))
  const fields: string[] = another ? [] : (only?.required ?? [])
  return fields.length === 0 ? 'an object' : `an object with ${fields.join(' and ')}`
}

/** What a value may be: `Must be one of: low, high, or an object with tokens.` */
export function alternatives(members: readonly TSchema[]): string {
  const words = members.filter(isWord).flatMap(described)
  const others = members.filter((member) => !isWord(member)).flatMap(described)
  const kinds = new Set(others.map((name) => (name === 'an object' ? objectOf(members) : name)))
  return `Must be ${[...(words.length > 0 ? [`one of: ${words.join(', ')}`] : []), ...kinds].join(', or ')}.`
}
