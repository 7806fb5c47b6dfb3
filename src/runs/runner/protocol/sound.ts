/**
 * Text that models and tools may produce, and that the server and vendors reject or a store cannot keep: unpaired
 * surrogates, such as the half of an emoji at which an answer was cut off, and U+0000.
 */
const isSound = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

const soundText = (text: string): string => (isSound(text) ? text : text.toWellFormed().replaceAll('\0', '\ufffd'))

/** The JSON value with U+FFFD in place of such characters; the value itself if it has none, as nearly always. */
export function sound<Value>(value: Value): Value {
  if (typeof value === 'string') return soundText(value) as Value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value.map(sound)
    return items.some((item, at) => item !== value[at]) ? (items as Value) : value
  }
  let isWhole = true
  const entries = Object.entries(value).map(([key, item]) => {
    const entry = [soundText(key), sound(item)] as const
    isWhole &&= entry[0] === key && entry[1] === item
    return entry
  })
  return isWhole ? value : (Object.fromEntries(entries) as Value)
}
