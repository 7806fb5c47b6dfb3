/**
 * The address to which the browser returns after a flow: within the console, never elsewhere. Source: contract 4, "OAuth",
 * `returnTo`; trust 2.4.
 */
import { ApiError } from '../../platform/http/answers/errors.ts'

/** Why a flow gave no Connection, for the page that it returns to. Source: contract 4. */
export const outcomeCodes = [
  'access_denied',
  'provider_error',
  'state_reused',
  'integration_unavailable',
  'permission_denied',
  'exchange_failed',
  'provider_unavailable',
] as const
export type OutcomeCode = (typeof outcomeCodes)[number]
type Outcome = { connectionId: string } | { code: OutcomeCode }

/** In UTF-8: it travels in a cookie. */
const bytesMax = 2048
/** Characters that browsers drop silently or treat as a slash. */
const unexpected = /[\p{Cc}\\]/u

/** The address for this text: a path of the console, or one with its origin; undefined for anything else. */
function returnAddress(text: string, consoleOrigin: string): URL | undefined {
  if (Buffer.byteLength(text) > bytesMax || unexpected.test(text) || text !== text.trim()) return undefined
  const isPath = text.startsWith('/') && !text.startsWith('//')
  const url = isPath ? URL.parse(text, consoleOrigin) : URL.parse(text)
  if (url?.username !== '' || url.password !== '') return undefined
  return url.origin === new URL(consoleOrigin).origin && url.protocol !== 'blob:' ? url : undefined
}

/** Throws `invalid_return_to` (422). */
export function assertReturnTo(text: string | undefined, consoleOrigin: string): void {
  if (text !== undefined && !returnAddress(text, consoleOrigin)) throw invalidReturnTo()
}

export const invalidReturnTo = () =>
  new ApiError(
    422,
    'invalid_return_to',
    'Must be a path of the console, or a URL with its origin, of at most 2,048 bytes.',
    { at: '/query/returnTo' },
  )

export const consoleRoot = (consoleOrigin: string): string => new URL('/', consoleOrigin).href

/** The address with the outcome among its parameters. */
export function outcomeAddress(returnTo: string | null, consoleOrigin: string, outcome: Outcome): string {
  const url = (returnTo === null ? undefined : returnAddress(returnTo, consoleOrigin)) ?? new URL('/', consoleOrigin)
  const { searchParams } = url
  for (const name of ['oauth', 'connectionId', 'code']) searchParams.delete(name)
  if ('code' in outcome) {
    searchParams.set('oauth', 'error')
    searchParams.set('code', outcome.code)
  } else {
    searchParams.set('oauth', 'success')
    searchParams.set('connectionId', outcome.connectionId)
  }
  return url.href
}
