/**
 * Errors for values that fit no member of a union, reported against the intended member: the only one of the value's
 * type, the one with the same discriminators (`kind`, `type`), else the closest one. Source: contract 0, "Errors".
 */
import { type TSchema, TypeGuard } from '@sinclair/typebox'
import { type ValueError, ValueErrorType } from '@sinclair/typebox/compiler'

/** The errors, with those of the intended member in place of "none of these shapes". */
export function* withinUnions(errors: Iterable<ValueError>): Generator<ValueError> {
  for (const error of errors) {
    const meant = error.type === ValueErrorType.Union ? meantBy(error) : undefined
    if (meant) yield* withinUnions(meant)
    else yield error
  }
}

/** Items examined in a list or an object that is too long. */
const lookedAtMax = 1_000
/** Errors examined per member, enough to find the intended one. */
const errorsMax = 100

/** The errors up to the first that reports an excessive length, whose items are then not examined. */
export function* untilOversize(errors: Iterable<ValueError>): Generator<ValueError> {
  for (const error of errors) {
    yield error
    if (isOversize(error)) return
  }
}

function isOversize({ type, value }: ValueError): boolean {
  if (type === ValueErrorType.ArrayMaxItems) return (value as unknown[]).length > lookedAtMax
  if (type !== ValueErrorType.ObjectMaxProperties) return false
  let count = 0
  for (const _ in value as object) if (++count > lookedAtMax) return true
  return false
}

function firstOf(errors: Iterable<ValueError>): ValueError[] {
  const first: ValueError[] = []
  for (const error of untilOversize(errors)) if (first.push(error) === errorsMax) break
  return first
}

interface Shape {
  schema: TSchema
  errors: ValueError[]
}

/** The discriminators of a member by field: `{kind: 'builtin'}`. */
const wordsOf = ({ schema }: Shape): [string, unknown][] =>
  Object.entries((schema.properties ?? {}) as Record<string, TSchema>).flatMap(([field, of]): [string, unknown][] =>
    TypeGuard.IsLiteral(of) ? [[field, of.const]] : [],
  )

/** The errors of the intended member; undefined if the union's own error is best. */
function meantBy({ schema, value, path, errors }: ValueError): ValueError[] | undefined {
  const members = schema.anyOf as TSchema[]
  if (typeof schema.fault === 'string' || members.every((member) => TypeGuard.IsLiteral(member))) return undefined
  const others = members
    .map((of, index): Shape => ({ schema: of, errors: firstOf(errors[index] ?? []) }))
    .filter((shape) => !TypeGuard.IsNull(shape.schema))
  const shapes = others.length === 1 ? others : others.filter((shape) => isOfType(shape.schema.type, value))
  const [only] = shapes
  if (!only) return [choiceOf(schema, `Must be ${nounsOf(members)}.`, path, value)]
  if (shapes.length === 1) return only.errors
  if (!shapes.every((shape) => TypeGuard.IsObject(shape.schema))) return undefined

  const given = value as Record<string, unknown>
  const named = shapes.filter((shape) => {
    const words = wordsOf(shape)
    return words.length > 0 && words.every(([field, word]) => given[field] === word)
  })
  if (named.length > 0) return closestOf(named)
  const field = wordsOf(only)[0]?.[0]
  const words = shapes.flatMap((shape) => wordsOf(shape).filter(([name]) => name === field))
  if (field === undefined || words.length < shapes.length) return closestOf(shapes)
  const fault = `Must be one of: ${words.map(([, word]) => word).join(', ')}.`
  return [choiceOf(schema, fault, `${path}/${field}`, given[field])]
}

const choiceOf = (schema: TSchema, fault: string, path: string, value: unknown): ValueError => ({
  type: ValueErrorType.Literal,
  schema: { ...schema, fault },
  path,
  value,
  message: '',
  errors: [],
})

const nouns: Record<string, string> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'an integer',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a text',
}
const nounsOf = (members: TSchema[]) => [...new Set(members.map(({ type }) => nouns[type as string]))].join(', or ')

/** Also true for a member without a type of its own, such as a union. */
function isOfType(type: unknown, value: unknown): boolean {
  if (typeof type !== 'string' || !Object.hasOwn(nouns, type)) return true
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return typeof value === (type === 'integer' ? 'number' : type)
}

const closestOf = (shapes: Shape[]): ValueError[] =>
  shapes.reduce((closest, shape) => (shape.errors.length < closest.errors.length ? shape : closest)).errors
