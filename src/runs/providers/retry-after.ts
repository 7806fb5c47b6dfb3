/** Reads the delay that a vendor requests. Source: contract 5, "a vendor's `Retry-After` wins". */
import { hourMs } from '../../platform/time/durations.ts'
import { field } from './answers/vendor-answer.ts'

const waitMsMax = hourMs

/**
 * Milliseconds, at most an hour, from `retry-after-ms`, `Retry-After` (seconds or an HTTP date), or the `RetryInfo` in
 * Google's errors. undefined if absent or invalid.
 * @param now epoch milliseconds
 */
export function retryAfterMs(
  headers: Record<string, string> | undefined,
  body: unknown,
  now: number,
): number | undefined {
  const wait =
    milliseconds(headers?.['retry-after-ms']) ?? afterHeader(headers?.['retry-after'], now) ?? retryInfo(body)
  return wait === undefined ? undefined : Math.min(Math.max(0, Math.ceil(wait)), waitMsMax)
}

const decimal = /^\d{1,12}(?:\.\d{1,9})?$/

const milliseconds = (text: string | undefined, unitMs = 1): number | undefined =>
  text !== undefined && decimal.test(text.trim()) ? Number(text) * unitMs : undefined

function afterHeader(text: string | undefined, now: number): number | undefined {
  const seconds = milliseconds(text, 1_000)
  if (seconds !== undefined || text === undefined || !/[a-z]/i.test(text)) return seconds
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : at - now
}

function retryInfo(body: unknown): number | undefined {
  const error = field(Array.isArray(body) ? body[0] : body, 'error')
  const details = field(error, 'details')
  if (!Array.isArray(details)) return undefined
  for (const detail of details) {
    const delay = field(detail, 'retryDelay')
    if (typeof delay === 'string' && delay.endsWith('s')) return milliseconds(delay.slice(0, -1), 1_000)
  }
  return undefined
}
