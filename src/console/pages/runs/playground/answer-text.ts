/** Text of a user's answer to a call. */
export function parseAnswer(text: string, isJson: boolean): { value: unknown } | { problem: string } {
  if (!isJson) return { value: text }
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { problem: `This is not JSON. ${error instanceof Error ? error.message : ''}`.trim() }
  }
}
