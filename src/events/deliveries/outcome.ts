/** Converts an answer, or its absence, to an event of the delivery. Pure. Source: contract 7, "Delivery"; trust 2.2. */
import type { AttemptErrorClass } from '../../../machines/delivery.ts'
import { DamagedRecord } from '../../../storage/errors.ts'
import { OutboundError } from '../../platform/outbound/error.ts'
import { redirects } from '../../platform/outbound/exchange.ts'

/** The outcome of one request. */
export type Outcome =
  | { type: 'acknowledged'; status: number; durationMs: number }
  | {
      type: 'refused'
      status: number | null
      errorClass: AttemptErrorClass
      durationMs: number
      retryAfterMs: number | null
      response?: string
    }

interface Answer {
  status: number
  /** The captured part of the body. */
  body?: Uint8Array
  headers: Record<string, string>
  durationMs: number
}

/** Whether the status acknowledges the delivery. */
export const isTaken = (status: number): boolean => status >= 200 && status <= 299

/** Only a 2xx acknowledges the delivery; a redirect is not followed. */
export function outcomeOfAnswer({ status, headers, durationMs, body }: Answer, now: number): Outcome {
  if (isTaken(status)) return { type: 'acknowledged', status, durationMs }
  const retryAfterMs = readRetryAfter(headers['retry-after'], now)
  const response = body && body.length > 0 ? { response: new TextDecoder().decode(body) } : {}
  const errorClass = redirects.has(status) ? 'redirect' : 'http_status'
  return { type: 'refused', status, errorClass, durationMs, retryAfterMs, ...response }
}

/** Rethrows errors that are not outcomes of an attempt. A damaged record is a signing secret: nothing was sent. */
export function outcomeOfError(error: unknown): Outcome {
  if (error instanceof DamagedRecord)
    return { type: 'refused', status: null, errorClass: 'secret_unreadable', durationMs: 0, retryAfterMs: null }
  if (!(error instanceof OutboundError)) throw error
  const { status, errorClass, durationMs } = error
  return { type: 'refused', status, errorClass, durationMs, retryAfterMs: null }
}

// RFC 9110, 5.6.7: `Sun, 06 Nov 1994 08:49:37 GMT`; the obsolete forms are not read
const httpDate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/

/** The delay of a `Retry-After` in milliseconds; null if it is missing, invalid or in the past. */
export function readRetryAfter(text: string | undefined, now: number): number | null {
  if (text === undefined) return null
  const value = text.trim()
  // the delivery bounds the delay
  if (/^\d+$/.test(value)) return Math.min(Number.MAX_SAFE_INTEGER, Number(value) * 1_000)
  if (!httpDate.test(value)) return null
  const waitMs = Date.parse(value) - now
  return waitMs > 0 ? waitMs : null
}
