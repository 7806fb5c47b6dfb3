/**
 * Interprets a provider's answer to a deliberately invalid authorization code. Pure. Source: requirement 4.8,
 * rules 1 to 4; contract 4, "Probe"; trust 2.5.
 */

import { readRetryAfter } from '../../events/deliveries/outcome.ts'
import { OutboundError } from '../../platform/outbound/error.ts'

/** The API's error codes for definite refusals of the client. */
const refusalCodes = [
  'integration_invalid_client',
  'integration_redirect_uri_mismatch',
  'integration_unexpected_response',
] as const
export type RefusalCode = (typeof refusalCodes)[number]

/** The part of the answer that may be shown: no free text of the provider. */
interface Diagnosis {
  /** One of the codes that OAuth knows, or `other`; null when the answer has none. */
  providerError: string | null
  httpStatus: number
}

export type ProbeOutcome =
  | { type: 'verified' }
  | { type: 'refused'; code: RefusalCode; diagnosis: Diagnosis }
  /** The provider limits requests. */
  | { type: 'limited'; retryAfterSeconds: number }
  /** The provider could not be asked. */
  | { type: 'unreachable'; retryAfterSeconds: number }

interface Answer {
  status: number
  headers: Record<string, string>
  body: Uint8Array
  truncated: boolean
}

/** RFC 6749, 5.2, and what providers add to it. */
const knownErrors = new Set([
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'redirect_uri_mismatch',
  'access_denied',
  'server_error',
  'temporarily_unavailable',
])

const retrySecondsMax = 3_600
const limitedSeconds = 60
const unreachableSeconds = 30

/** The provider's `Retry-After`, if it is reasonable. */
function retryAfterSeconds({ headers }: Answer, now: number, otherwise: number): number {
  const waitMs = readRetryAfter(headers['retry-after'], now)
  const seconds = waitMs === null ? 0 : Math.ceil(waitMs / 1_000)
  return seconds >= 1 && seconds <= retrySecondsMax ? seconds : otherwise
}

/** The `error` of a JSON object; undefined for anything else. */
function errorOf({ body, truncated }: Answer): string | undefined {
  if (truncated) return undefined
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    const error = typeof value === 'object' && value !== null && 'error' in value ? value.error : undefined
    return typeof error === 'string' ? error : undefined
  } catch {
    return undefined
  }
}

/** @param now epoch milliseconds */
export function outcomeOfAnswer(answer: Answer, now: number): ProbeOutcome {
  const { status } = answer
  if (status === 429) return { type: 'limited', retryAfterSeconds: retryAfterSeconds(answer, now, limitedSeconds) }
  if (status >= 500) {
    return { type: 'unreachable', retryAfterSeconds: retryAfterSeconds(answer, now, unreachableSeconds) }
  }
  const error = errorOf(answer)
  const providerError = error === undefined ? null : knownErrors.has(error) ? error : 'other'
  const refused = (code: RefusalCode): ProbeOutcome => ({
    type: 'refused',
    code,
    diagnosis: { providerError, httpStatus: status },
  })
  // an error in a success or a redirect does not count
  if (status < 400) return refused('integration_unexpected_response')
  if (error === 'invalid_grant') return { type: 'verified' }
  if (error === 'invalid_client') return refused('integration_invalid_client')
  if (error === 'redirect_uri_mismatch') return refused('integration_redirect_uri_mismatch')
  return refused('integration_unexpected_response')
}

/** No HTTP answer came: nothing is known about the client. Throws whatever is no ending of a request. */
export function outcomeOfError(error: unknown): ProbeOutcome {
  if (!(error instanceof OutboundError)) throw error
  return { type: 'unreachable', retryAfterSeconds: unreachableSeconds }
}
