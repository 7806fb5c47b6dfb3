/** An event as the user writes it: JSON with a type. */
export type EventBody = { type: string }

/** Parses an event, or describes the problem. */
export function readEvent(text: string): { event: EventBody } | { problem: string } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { problem: 'This is not valid JSON.' }
  }
  if (typeof value !== 'object' || value === null || !('type' in value) || typeof value.type !== 'string') {
    return { problem: 'Enter an object with a "type".' }
  }
  return { event: value as EventBody }
}
