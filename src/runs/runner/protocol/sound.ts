/**
 * Text that models and tools may produce, and that the server and vendors reject or a store cannot keep: unpaired
 * surrogates, such as the half of an emoji at which an answer was cut off, and U+0000.
 */
const isSoundText = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** Without an object for each part: all reports of the built-in runner are looked through. */
function isSound(value: unknown): boolean {
  if (typeof value === 'string') return isSoundText(value)
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(isSound)
  for (const key in value) if (!isSoundText(key) || !isSound((value as Record<string, unknown>)[key])) return false
  return true
}

const soundText = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd')

function replaced(value: unknown): unknown {
  if (typeof value === 'string') return soundText(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(replaced)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [soundText(key), replaced(item)]))
}

/** The JSON value with U+FFFD in place of such characters; the value itself if it has none, as nearly always. */
export const sound = <Value>(value: Value): Value => (isSound(value) ? value : (replaced(value) as Value))
