/** Validates inputs and outputs of operations, and data of entities, against their authors' schemas. */

import { SchemaFailure } from '../../platform/json-schemas/check-result.ts'
import { checkValue } from '../../platform/json-schemas/checks.ts'
import type { JsonSchema } from '../../platform/json-schemas/structure.ts'
import { OperationFailure, toolError } from './failure.ts'

interface Fitting {
  schema: JsonSchema
  value: unknown
  organizationId: string
  /** The beginning of the error message. */
  message: string
  /** The path of the value in the request. */
  at?: string
  /** It is the answer of a call that was executed. */
  isAnswered?: boolean
}

/** Throws `OperationFailure` if the value does not match the schema or cannot be validated. */
export async function assertFits({
  schema,
  value,
  organizationId,
  message,
  at = '',
  isAnswered = false,
}: Fitting): Promise<void> {
  let problem: string | null
  try {
    problem = (await checkValue(schema, value, organizationId)).problem
  } catch (error) {
    if (!(error instanceof SchemaFailure)) throw error
    const code = error.code === 'schema_check_unavailable' ? 'tool_error' : error.code
    throw new OperationFailure(code, `${message}: ${error.message}`, { isAnswered, cause: error })
  }
  if (problem === null) return
  const place = at === '' || problem.startsWith('/') ? at : `${at} `
  throw toolError(`${message}: ${place}${problem}`, { isAnswered })
}
