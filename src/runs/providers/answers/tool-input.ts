/**
 * The input of a tool call as the model wrote it: a JSON object; nothing at all means an empty one. Undefined when it is
 * anything else.
 */
export function parseToolInput(json: string): Record<string, unknown> | undefined {
  if (json.trim() === '') return {}
  try {
    const input: unknown = JSON.parse(json)
    return typeof input === 'object' && input !== null && !Array.isArray(input)
      ? (input as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
