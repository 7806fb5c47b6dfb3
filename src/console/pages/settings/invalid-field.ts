/** Client-side validation, shown like API issues. */
import { ApiFailure } from '../../api/failure.ts'

/** Throw it in an action. `field` is the field's name in the form. */
export const invalidField = (field: string, message: string): ApiFailure =>
  new ApiFailure({
    status: 422,
    code: 'validation_failed',
    message,
    details: { issues: [{ path: `/body/${field}`, message }] },
  })

/** Parses a JSON object field; undefined if empty. Throws a validation issue otherwise. */
export function objectIn(field: string, text: string): Record<string, unknown> | undefined {
  if (text === '') return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw invalidField(field, 'This is not valid JSON.')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidField(field, 'Must be a JSON object: { … }.')
  }
  return value as Record<string, unknown>
}
