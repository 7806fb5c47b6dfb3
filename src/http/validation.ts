/** Checks values against schemas and says what is wrong, without ever repeating a value. Source: contract 0, "Errors". */
import { Kind, OptionalKind, type TSchema, TypeGuard } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler, type ValueError, ValueErrorType } from '@sinclair/typebox/compiler'
import { HasTransform } from '@sinclair/typebox/value'
import { type Issue, invalid } from './errors.ts'
import { strict } from './strict.ts'

const issuesMax = 20
const pathLengthMax = 200

function messageOf({ type, schema, message }: ValueError): string {
  if (type === ValueErrorType.ObjectRequiredProperty) return 'Is required.'
  if (type === ValueErrorType.ObjectAdditionalProperties) return 'There is no such field.'
  if (Array.isArray(schema.enum)) return `Must be one of: ${schema.enum.join(', ')}.`
  const choices: unknown = schema.anyOf
  if (Array.isArray(choices) && choices.every((choice) => TypeGuard.IsLiteral(choice))) {
    return `Must be one of: ${choices.map((choice) => choice.const).join(', ')}.`
  }
  if (type === ValueErrorType.Kind) return String(schema.fault ?? `Is not a valid ${schema[Kind]}.`)
  return `${message}.`
}

function issuesOf(errors: Iterable<ValueError>, root: string): Issue[] {
  const issues: Issue[] = []
  for (const error of errors) {
    const path = (root + error.path).slice(0, pathLengthMax)
    // a missing field is also reported as not being a string: once is enough
    if (issues.at(-1)?.path !== path) issues.push({ path, message: messageOf(error) })
    if (issues.length === issuesMax) break
  }
  return issues
}

/** Whether the value may be absent. */
export const isOptional = (schema: TSchema): boolean => OptionalKind in schema

/** Returns the value as its schema reads it, or throws `validation_failed` with issues below `root` (`/body`). */
export type Validate = (value: unknown) => unknown

/** A validator for the schema, made strict; compiled when first used, so that a server with many routes starts fast. */
export function validator(schema: TSchema, root: string): Validate {
  let compiled: TypeCheck<TSchema> | undefined
  let decodes = false
  return (value) => {
    if (!compiled) {
      const strictSchema = strict(schema)
      compiled = TypeCompiler.Compile(strictSchema)
      decodes = HasTransform(strictSchema, [])
    }
    if (!compiled.Check(value)) throw invalid(issuesOf(compiled.Errors(value), root))
    return decodes ? compiled.Decode(value) : value
  }
}
