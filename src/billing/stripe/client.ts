/** The one place where Stripe's library is set up. Source: design 1, "payments"; contract 8. */
import { Stripe } from 'stripe'
import type { Secret } from '../../platform/operating/secret.ts'

export interface StripeSettings {
  secretKey: Secret
  /** Where Stripe is asked, an origin; null is Stripe's own. */
  baseUrl: string | null
  /** For one call, from the name to the end of the answer. */
  timeoutMs: number
}

const hasError = (text: string): boolean => {
  try {
    return typeof JSON.parse(text)?.error === 'object'
  } catch {
    return false
  }
}

/**
 * The library takes any JSON without an `error` for a success, and forgets the status of what is no JSON at all: whatever
 * a proxy in between says becomes an error as Stripe would word it.
 */
async function fetchStrictly(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const answer = await fetch(input, { ...init, redirect: 'manual' })
  if (answer.ok) return answer
  const text = await answer.text()
  const body = hasError(text)
    ? text
    : JSON.stringify({ error: { type: 'api_error', message: `HTTP ${answer.status}` } })
  const headers = new Headers(answer.headers)
  headers.delete('content-encoding')
  headers.delete('content-length')
  // nobody is sent elsewhere
  return new Response(body, { status: answer.status < 400 ? 502 : answer.status, headers })
}

/** A client that tries once, within the time, and tells nobody how that went. */
export function stripeClient({ secretKey, baseUrl, timeoutMs }: StripeSettings): Stripe {
  const url = baseUrl === null ? undefined : new URL(baseUrl)
  return new Stripe(secretKey.reveal(), {
    httpClient: Stripe.createFetchHttpClient(fetchStrictly as typeof fetch),
    timeout: timeoutMs,
    // whoever is told 503 repeats with the same Idempotency-Key; effects repeat by themselves
    maxNetworkRetries: 0,
    telemetry: false,
    ...(url && {
      host: url.hostname,
      port: url.port || (url.protocol === 'https:' ? '443' : '80'),
      protocol: url.protocol === 'https:' ? ('https' as const) : ('http' as const),
    }),
  })
}
