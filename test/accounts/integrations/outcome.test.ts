/** How each provider response is classified. Written from contract 4, "Probe", and trust 2.5; never derived from the code. */
import { expect, test } from 'bun:test'
import { outcomeOfAnswer, outcomeOfError, type ProbeOutcome } from '../../../src/accounts/integrations/outcome.ts'
import { OutboundError, outboundErrorClasses } from '../../../src/platform/outbound/error.ts'

const now = Date.parse('2026-01-31T12:00:00.000Z')
const unexpected = 'integration_unexpected_response'
const json = (value: unknown) => JSON.stringify(value)

const answered = (status: number, body: string | Uint8Array, headers: Record<string, string> = {}, truncated = false) =>
  outcomeOfAnswer(
    { status, headers, body: typeof body === 'string' ? new TextEncoder().encode(body) : body, truncated },
    now,
  )
const brief = (outcome: ProbeOutcome): string => (outcome.type === 'refused' ? outcome.code : outcome.type)

const rows: [number, string, string][] = [
  [400, json({ error: 'invalid_grant' }), 'verified'],
  [400, json({ error: 'invalid_grant', error_description: 'Malformed auth code.' }), 'verified'],
  [401, json({ error: 'invalid_grant' }), 'verified'],
  [400, json({ error: 'invalid_client' }), 'integration_invalid_client'],
  [401, json({ error: 'invalid_client' }), 'integration_invalid_client'],
  [400, json({ error: 'redirect_uri_mismatch' }), 'integration_redirect_uri_mismatch'],
  [400, json({ error: 'unauthorized_client' }), unexpected],
  [400, json({ error: 'unsupported_grant_type' }), unexpected],
  [400, json({ error: 'invalid_request' }), unexpected],
  [400, json({ error: 'something_else' }), unexpected],
  [400, json({ error: 'INVALID_GRANT' }), unexpected],
  [400, json({ error: { code: 'invalid_grant' } }), unexpected],
  [400, json({ error: ['invalid_grant'] }), unexpected],
  [400, json({ error: null }), unexpected],
  [400, json({}), unexpected],
  [400, json([]), unexpected],
  [400, json('invalid_grant'), unexpected],
  [400, 'null', unexpected],
  [400, '', unexpected],
  [400, '{"error":"invalid_grant"', unexpected],
  [400, 'error=invalid_grant', unexpected],
  [400, '<html>invalid_grant</html>', unexpected],
  [404, '<html></html>', unexpected],
  [403, '', unexpected],
  [200, json({ access_token: 'x', token_type: 'Bearer' }), unexpected],
  [200, json({ error: 'invalid_grant' }), unexpected],
  [204, '', unexpected],
  [302, json({ error: 'invalid_grant' }), unexpected],
  [304, '', unexpected],
  [429, json({ error: 'invalid_grant' }), 'limited'],
  [429, '<html></html>', 'limited'],
  [500, json({ error: 'invalid_grant' }), 'unreachable'],
  [502, '<html></html>', 'unreachable'],
  [503, '', 'unreachable'],
  [599, json({ error: 'invalid_client' }), 'unreachable'],
]

test.each(rows)('%i %s: %s', (status, body, expected) => {
  expect(brief(answered(status, body))).toBe(expected)
})

test('a response of more than 64 KiB is unexpected, however it begins', () => {
  expect(brief(answered(400, json({ error: 'invalid_grant' }), {}, true))).toBe(unexpected)
})

test('a response that is not UTF-8 is not JSON', () => {
  const bytes = new Uint8Array([...new TextEncoder().encode('{"error":"invalid_grant","x":"'), 0xff, 0x22, 0x7d])
  expect(brief(answered(400, bytes))).toBe(unexpected)
})

test.each([
  [401, json({ error: 'invalid_client' }), { providerError: 'invalid_client', httpStatus: 401 }],
  [400, json({ error: 'unauthorized_client' }), { providerError: 'unauthorized_client', httpStatus: 400 }],
  [400, json({ error: '<script>alert(1)</script>' }), { providerError: 'other', httpStatus: 400 }],
  [200, json({ access_token: 'x' }), { providerError: null, httpStatus: 200 }],
] as const)('%i %s: the diagnosis contains no free text of the provider', (status, body, diagnosis) => {
  expect(answered(status, body)).toMatchObject({ type: 'refused', diagnosis })
})

test.each([
  [429, undefined, 60],
  [429, '1', 1],
  [429, '17', 17],
  [429, '3600', 3_600],
  [429, '3601', 60],
  [429, '0', 60],
  [429, '-5', 60],
  [429, 'soon', 60],
  [429, 'Sat, 31 Jan 2026 12:00:30 GMT', 30],
  [429, 'Sat, 31 Jan 2026 11:00:00 GMT', 60],
  [503, undefined, 30],
  [503, '120', 120],
  [500, '999999999', 30],
] as const)('%i with Retry-After %p: %i seconds', (status, header, seconds) => {
  const headers: Record<string, string> = header === undefined ? {} : { 'retry-after': header }
  expect(answered(status, '', headers)).toMatchObject({ retryAfterSeconds: seconds })
})

test.each(outboundErrorClasses)('without a response (%s) the outcome is unknown', (errorClass) => {
  expect(outcomeOfError(new OutboundError(errorClass, 'x'))).toEqual({ type: 'unreachable', retryAfterSeconds: 30 })
})

test('an error that is not a failed request is rethrown', () => {
  expect(() => outcomeOfError(new TypeError('a bug'))).toThrow('a bug')
})
