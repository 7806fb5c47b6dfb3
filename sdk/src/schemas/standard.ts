/**
 * Schemas of any library that implements Standard Schema (https://standardschema.dev): Zod, Valibot, ArkType and
 * others.
 */
import { TroupeError } from '../client/errors.ts'

interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

/** The interface of such a schema: validation, and often its JSON Schema. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
  }
}

/** The type of a value after validation by the schema. */
export type InferOutput<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['output']

/** A value that does not match its schema; `code` is `invalid_value`. */
export class InvalidValueError extends TroupeError {
  override readonly name = 'InvalidValueError'
  /** The problems of the value, each with its place as a JSON pointer. */
  readonly issues: readonly { path: string; message: string }[]

  constructor(issues: readonly StandardIssue[]) {
    const placed = issues.map(({ message, path = [] }) => ({
      path: path.map((part) => `/${String(typeof part === 'object' ? part.key : part)}`).join(''),
      message,
    }))
    super('invalid_value', placed.map(({ path, message }) => `${path || 'The value'}: ${message}`).join('; '))
    this.issues = placed
  }
}

/** Whether the value is such a schema, which may be a function too. */
export const isStandardSchema = (value: unknown): value is StandardSchema =>
  value !== null && (typeof value === 'object' || typeof value === 'function') && '~standard' in value

/** The value as its schema transforms it. Throws `InvalidValueError`. */
export async function validated<Schema extends StandardSchema>(
  schema: Schema,
  value: unknown,
): Promise<InferOutput<Schema>> {
  const result = await schema['~standard'].validate(value)
  if (result.issues) throw new InvalidValueError(result.issues)
  return result.value
}
