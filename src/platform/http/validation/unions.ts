/**
 * Errors for values that fit no member of a union, reported against the intended member: the one with the same
 * discriminators (`kind`, `type`), else the closest one; or by what the value may be, if no member takes its type.
 * Source: contract 0, "Errors".
 */
import { type TSchema, TypeGuard } from '@sinclair/typebox'
import { type ValueError, ValueErrorType } from '@sinclair/typebox/compiler'
import { alternatives, isWord, takesTypeOf } from './alternatives.ts'

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
  if (typeof schema.fault === 'string') return undefined
  const members = schema.anyOf as TSchema[]
  const every = members
    .map((of, index): Shape => ({ schema: of, errors: firstOf(errors[index] ?? []) }))
    .filter((shape) => !TypeGuard.IsNull(shape.schema))
  if (every.length === 1) return (every[0] as Shape).errors
  const shapes = every.filter((shape) => takesTypeOf(value, shape.schema))
  const [only] = shapes
  if (!only || shapes.some((shape) => isWord(shape.schema))) {
    return [withFault(alternatives(members), { schema, value, path })]
  }
  if (shapes.length === 1) return only.errors
  if (!shapes.every((shape) => TypeGuard.IsObject(shape.schema))) return closestOf(shapes)

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
  return [withFault(fault, { schema, value: given[field], path: `${path}/${field}` })]
}

const withFault = (fault: string, error: Pick<ValueError, 'schema' | 'value' | 'path'>): ValueError => ({
  ...error,
  type: ValueErrorType.Literal,
  schema: { ...error.schema, fault },
  message: '',
  errors: [],
})

const closestOf = (shapes: Shape[]): ValueError[] =>
  shapes.reduce((closest, shape) => (shape.errors.length < closest.errors.length ? shape : closest)).errors
