/** The result of validating a value against a JSON Schema, and the reasons why it may fail. */

/** The problems of a value, if any. */
export interface CheckResult {
  /** In one line; null if the value is valid. */
  problem: string | null
  /** The same with places. */
  faults: Fault[]
}

export interface Fault {
  /** A JSON pointer. */
  path: string
  message: string
}

type SchemaFailureCode =
  /** Checking, or compiling the schema, would exceed the bounds of time or memory. */
  | 'schema_too_costly'
  /** The schema is stored but no longer supported. */
  | 'schema_not_supported'
  /** No worker is available at the moment. */
  | 'schema_check_unavailable'

/** A value could not be checked; the message is for its sender. */
export class SchemaFailure extends Error {
  override readonly name = 'SchemaFailure'

  constructor(
    readonly code: SchemaFailureCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}
