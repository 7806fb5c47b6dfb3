import { isObject, valueDepthMax } from '../../../platform/json.ts'

/** What inputs pass through is recursive. */
const isShallow = (value: unknown, levels = valueDepthMax): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((part) => isShallow(part, levels - 1)))

/**
 * Parses the input of a tool call: a JSON object of at most `valueDepthMax` levels; empty text is an empty object. undefined for
 * anything else.
 */
export function parseToolInput(json: string): Record<string, unknown> | undefined {
  if (json.trim() === '') return {}
  try {
    const input: unknown = JSON.parse(json)
    return isObject(input) && isShallow(input) ? input : undefined
  } catch {
    return undefined
  }
}
