/** Validates values against schemas; messages never repeat a value. Source: contract 0, "Errors". */
import { OptionalKind, type TSchema } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler, type ValueError } from '@sinclair/typebox/compiler'
import { HasTransform } from '@sinclair/typebox/value'
import { type Issue, invalid } from '../answers/errors.ts'
import { messageOf } from './messages.ts'
import { strict } from './strict.ts'
import { untilOversize, withinUnions } from './unions.ts'

const issuesMaxDefault = 20
const pathLengthMax = 200

function issuesOf(errors: Iterable<ValueError>, root: string, issuesMax: number): Issue[] {
  const issues: Issue[] = []
  for (const error of withinUnions(untilOversize(errors))) {
    const path = (root + error.path).slice(0, pathLengthMax)
    // a missing field is also reported as having the wrong type: once is enough
    if (!issues.some((issue) => issue.path === path)) issues.push({ path, message: messageOf(error) })
    if (issues.length === issuesMax) break
  }
  return issues
}

export const isOptional = (schema: TSchema): boolean => OptionalKind in schema

/** Returns the value as its schema reads it, or throws `validation_failed` with issues below `root` (`/body`). */
export type Validate = (value: unknown) => unknown

interface Compiled {
  check: TypeCheck<TSchema>
  decodes: boolean
}

/** Of schemas that several routes have in common: the paths of a Project, pages of a list. */
const known = new WeakMap<TSchema, Compiled>()

function compile(schema: TSchema): Compiled {
  const strictSchema = strict(schema)
  const compiled = { check: TypeCompiler.Compile(strictSchema), decodes: HasTransform(strictSchema, []) }
  known.set(schema, compiled)
  return compiled
}

/** The strict schema, compiled on first use, so that a server with many routes starts fast. */
function lazily(schema: TSchema): () => Compiled {
  let compiled: Compiled | undefined
  return () => {
    compiled ??= known.get(schema) ?? compile(schema)
    return compiled
  }
}

/** A validator for the strict schema. */
export function validator(schema: TSchema, root: string): Validate {
  const compiled = lazily(schema)
  return (value) => {
    const { check, decodes } = compiled()
    if (!check.Check(value)) throw invalid(issuesOf(check.Errors(value), root, issuesMaxDefault))
    return decodes ? check.Decode(value) : value
  }
}

/** Returns the issues of a value by the strict schema, for callers that add their own. */
export function inspector(schema: TSchema, root: string, issuesMax: number): (value: unknown) => Issue[] {
  const compiled = lazily(schema)
  return (value) => {
    const { check } = compiled()
    return check.Check(value) ? [] : issuesOf(check.Errors(value), root, issuesMax)
  }
}
