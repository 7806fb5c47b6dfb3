/** What comes of checking a value by a JSON Schema, and why nothing may come of it. */

/** What is wrong with a value; nothing when it fits. */
export interface Verdict {
  /** In one line; null: nothing is wrong. */
  problem: string | null
  /** The same with where. */
  faults: Fault[]
}

export interface Fault {
  /** A JSON pointer. */
  path: string
  message: string
}

export type SchemaFailureCode =
  /** The check, or compiling the schema, would take more time or memory than it may. */
  | 'schema_too_costly'
  /** The schema is stored, and is one that is not supported any more. */
  | 'schema_not_supported'
  /** Nothing can be checked at the moment. */
  | 'schema_check_unavailable'

/** A value could not be checked, in words for whoever sent it. */
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
