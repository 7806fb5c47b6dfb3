import { isObject } from '../../../platform/json.ts'

/** Parses the input of a tool call: a JSON object; empty text is an empty object. undefined for anything else. */
export function parseToolInput(json: string): Record<string, unknown> | undefined {
  if (json.trim() === '') return {}
  try {
    const input: unknown = JSON.parse(json)
    return isObject(input) ? input : undefined
  } catch {
    return undefined
  }
}
