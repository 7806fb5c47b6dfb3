/** Validates values of requests against authors' JSON Schemas. */
import { checkValue } from '../../json-schemas/checks.ts'
import { sentence } from '../../json-schemas/sentence.ts'
import type { JsonSchema } from '../../json-schemas/structure.ts'
import { invalid, schemaRefusedAt } from '../answers/errors.ts'

interface Given {
  schema: JsonSchema
  value: unknown
  organizationId: string
  /** The place of the value in the request. */
  at: string
}

/** Throws 422 with the places of the faults, or if the value cannot be validated. */
export async function assertMatches({ schema, value, organizationId, at }: Given): Promise<void> {
  const { faults } = await checkValue(schema, value, organizationId).catch(schemaRefusedAt(at))
  if (faults.length > 0)
    throw invalid(faults.map(({ path, message }) => ({ path: at + path, message: sentence(message) })))
}
