/** What goes into an operation or comes out of it, and data of entities, checked by the schemas of their authors. */
import { checkValue } from '../../platform/json-schemas/checks.ts'
import type { JsonSchema } from '../../platform/json-schemas/structure.ts'
import { SchemaFailure } from '../../platform/json-schemas/verdict.ts'
import { OperationFailure, toolError } from './failure.ts'

interface Fitting {
  schema: JsonSchema
  value: unknown
  organizationId: string
  /** What is said before what is wrong. */
  message: string
  /** Where the value is in what was sent. */
  at?: string
}

/** Throws `OperationFailure` when the value does not fit the schema, or that cannot be said. */
export async function assertFits({ schema, value, organizationId, message, at = '' }: Fitting): Promise<void> {
  let problem: string | null
  try {
    problem = (await checkValue(schema, value, organizationId)).problem
  } catch (error) {
    if (!(error instanceof SchemaFailure)) throw error
    const code = error.code === 'schema_check_unavailable' ? 'tool_error' : error.code
    throw new OperationFailure(code, `${message}: ${error.message}`, { cause: error })
  }
  if (problem !== null) throw toolError(`${message}: ${at}${problem}`)
}
