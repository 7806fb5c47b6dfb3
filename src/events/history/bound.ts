/** Bodies of events have a bound, so that every receiver can take them. Source: contract 7, "Body at most 64 KiB". */

/** Of the body as it is stored, shown and delivered. */
export const eventBytesMax = 64 * 1024

/** Longer texts are no ids and no states. */
const charactersMax = 200

const isSmall = (value: unknown): boolean =>
  typeof value === 'string' ? value.length <= charactersMax : typeof value !== 'object' || value === null

const fits = (text: string, bytesMax: number): boolean =>
  // a character has three bytes at most
  text.length * 3 <= bytesMax || Buffer.byteLength(text) <= bytesMax

/**
 * The data as JSON within the bound. Of what is larger the ids, states and numbers are left, and `truncated` says so; a change
 * never fails because there is too much to tell of it.
 */
export function boundedData(data: Record<string, unknown>, bytesMax: number): string {
  const whole = JSON.stringify(data)
  if (fits(whole, bytesMax)) return whole
  const small = Object.entries(data).filter(([, value]) => isSmall(value))
  const reduced = JSON.stringify({ ...Object.fromEntries(small), truncated: true })
  return fits(reduced, bytesMax) ? reduced : '{"truncated":true}'
}
