/** What a form finds wrong before it sends anything; shown at the field, as the API's own issues. */
import { ApiFailure } from '../../api/failure.ts'

/** To be thrown by an action. `field` is its name in the form. */
export const invalidField = (field: string, message: string): ApiFailure =>
  new ApiFailure({
    status: 422,
    code: 'validation_failed',
    message,
    details: { issues: [{ path: `/body/${field}`, message }] },
  })

/** The JSON object in a field; undefined where it is empty. Throws for anything else. */
export function objectIn(field: string, text: string): Record<string, unknown> | undefined {
  if (text === '') return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw invalidField(field, 'This is no JSON.')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidField(field, 'Must be a JSON object: { … }.')
  }
  return value as Record<string, unknown>
}
