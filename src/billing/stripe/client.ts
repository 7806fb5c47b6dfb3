/** The configuration of Stripe's library. Source: design 1, "payments"; contract 8. */
import { Stripe } from 'stripe'
import type { Secret } from '../../platform/operating/secret.ts'

export interface StripeSettings {
  secretKey: Secret
  /** The origin of the API; null is Stripe's own. */
  baseUrl: string | null
  /** Timeout of a whole call. */
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
 * The library treats any JSON without an `error` as a success, and loses the status of a body that is not JSON. This
 * turns answers of proxies into errors in Stripe's format.
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
  // redirects are not followed
  return new Response(body, { status: answer.status < 400 ? 502 : answer.status, headers })
}

/** A client without retries and without telemetry. */
export function stripeClient({ secretKey, baseUrl, timeoutMs }: StripeSettings): Stripe {
  const url = baseUrl === null ? undefined : new URL(baseUrl)
  return new Stripe(secretKey.reveal(), {
    httpClient: Stripe.createFetchHttpClient(fetchStrictly as typeof fetch),
    timeout: timeoutMs,
    // after a 503 clients repeat with the same Idempotency-Key; effects are retried by the runtime
    maxNetworkRetries: 0,
    telemetry: false,
    ...(url && {
      host: url.hostname,
      port: url.port || (url.protocol === 'https:' ? '443' : '80'),
      protocol: url.protocol === 'https:' ? ('https' as const) : ('http' as const),
    }),
  })
}
