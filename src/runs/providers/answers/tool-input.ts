import { isObject } from '../../../platform/json.ts'

/** What deeper inputs pass through is recursive. No schema is checked deeper. */
const depthMax = 200

const isShallow = (value: unknown, levels = depthMax): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((part) => isShallow(part, levels - 1)))

/**
 * Parses the input of a tool call: a JSON object of at most 200 levels; empty text is an empty object. undefined for
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
