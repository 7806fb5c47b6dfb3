/** Bounds the body of events, so that every receiver can accept them. Source: contract 7, "Body at most 64 KiB". */

/** The limit of the body as stored, returned and delivered. */
export const eventBytesMax = 64 * 1024

/** Longer strings are neither ids nor states. */
const charactersMax = 200

const isSmall = (value: unknown): boolean =>
  typeof value === 'string' ? value.length <= charactersMax : typeof value !== 'object' || value === null

const fits = (text: string, bytesMax: number): boolean =>
  // a UTF-16 unit has at most three bytes
  text.length * 3 <= bytesMax || Buffer.byteLength(text) <= bytesMax

/**
 * The data as JSON within the bound. Larger data is reduced to ids, states and numbers, with `truncated`, so that a
 * change never fails because of its event.
 */
export function boundedData(data: Record<string, unknown>, bytesMax: number): string {
  const whole = JSON.stringify(data)
  if (fits(whole, bytesMax)) return whole
  const small = Object.entries(data).filter(([, value]) => isSmall(value))
  const reduced = JSON.stringify({ ...Object.fromEntries(small), truncated: true })
  return fits(reduced, bytesMax) ? reduced : '{"truncated":true}'
}
