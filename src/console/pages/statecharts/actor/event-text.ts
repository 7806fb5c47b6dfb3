/** An event as the user writes it: JSON with a type. */
export type EventBody = { type: string }

/** The event in a text, or what is wrong with the text. */
export function readEvent(text: string): { event: EventBody } | { problem: string } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { problem: 'This is no JSON.' }
  }
  if (typeof value !== 'object' || value === null || !('type' in value) || typeof value.type !== 'string') {
    return { problem: 'An event is an object with a "type".' }
  }
  return { event: value as EventBody }
}
