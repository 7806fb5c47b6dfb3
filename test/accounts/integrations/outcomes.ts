/** The responses a provider may give, and what registration and rotation return for each. Taken from contract 4, "Probe". */
import { type Answer, refusing } from './provider.ts'

interface Row {
  answer: Answer
  status: number
  code: string
  /** Seconds. */
  retryAfter?: string
  providerError?: string | null
}

const html =
  (status: number): Answer =>
  () =>
    new Response('<html>invalid_grant</html>', { status, headers: { 'content-type': 'text/html' } })
const unexpected = { status: 400, code: 'integration_unexpected_response' }
const unavailable = { status: 503, code: 'provider_unavailable' }
const limited = { status: 429, code: 'provider_rate_limited' }

export const failures: Record<string, Row> = {
  invalid_client: {
    answer: refusing('invalid_client', 401),
    status: 400,
    code: 'integration_invalid_client',
    providerError: 'invalid_client',
  },
  redirect_uri_mismatch: {
    answer: refusing('redirect_uri_mismatch'),
    status: 400,
    code: 'integration_redirect_uri_mismatch',
    providerError: 'redirect_uri_mismatch',
  },
  unauthorized_client: { answer: refusing('unauthorized_client'), ...unexpected, providerError: 'unauthorized_client' },
  'another error': { answer: refusing('teapot'), ...unexpected, providerError: 'other' },
  'an error that is not text': { answer: refusing({ code: 'invalid_grant' }), ...unexpected, providerError: null },
  'tokens for an impossible code': {
    answer: () => Response.json({ access_token: 'token', token_type: 'Bearer' }),
    ...unexpected,
    providerError: null,
  },
  'a redirect': {
    answer: () => new Response(null, { status: 302, headers: { location: 'https://elsewhere.example.com/' } }),
    ...unexpected,
    providerError: null,
  },
  HTML: { answer: html(400), ...unexpected, providerError: null },
  'broken JSON': {
    answer: () => new Response('{"error":"invalid_grant"', { status: 400 }),
    ...unexpected,
    providerError: null,
  },
  'more than 64 KiB': {
    answer: () => new Response('{"error":"invalid_grant"}'.padEnd(70_000, ' '), { status: 400 }),
    ...unexpected,
    providerError: null,
  },
}

export const outages: Record<string, Row> = {
  '429 without Retry-After': { answer: html(429), ...limited, retryAfter: '60' },
  '429 with Retry-After': {
    answer: () => new Response(null, { status: 429, headers: { 'retry-after': '7' } }),
    ...limited,
    retryAfter: '7',
  },
  '500': { answer: html(500), ...unavailable, retryAfter: '30' },
  '503 with JSON': { answer: refusing('invalid_grant', 503), ...unavailable, retryAfter: '30' },
}
