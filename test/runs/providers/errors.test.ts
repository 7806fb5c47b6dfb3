import { describe, expect, test } from 'bun:test'
import { APICallError, JSONParseError, UnsupportedFunctionalityError } from '@ai-sdk/provider'
import { clean, failureOf, ProviderFailure } from '../../../src/runs/providers/errors.ts'
import { retryAfterMs } from '../../../src/runs/providers/retry-after.ts'

const apiKey = 'test-credential-0123456789'
const site = { vendorName: 'Vendor', apiKey }

const answered = (statusCode: number | undefined, body: unknown, rest: object = {}) =>
  new APICallError({
    message: `raw ${apiKey}`,
    url: `https://example.com/?key=${apiKey}`,
    requestBodyValues: { secret: 'in the request' },
    statusCode,
    responseBody: typeof body === 'string' ? body : JSON.stringify(body),
    ...rest,
  })

describe('retry delays', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  test.each<{ headers: Record<string, string> | undefined; wait: number | undefined }>([
    { headers: undefined, wait: undefined },
    { headers: {}, wait: undefined },
    { headers: { 'retry-after': '7' }, wait: 7_000 },
    { headers: { 'retry-after': ' 7 ' }, wait: 7_000 },
    { headers: { 'retry-after': '0' }, wait: 0 },
    { headers: { 'retry-after': '1.5' }, wait: 1_500 },
    { headers: { 'retry-after': 'Thu, 01 Jan 2026 00:00:09 GMT' }, wait: 9_000 },
    { headers: { 'retry-after': 'Wed, 31 Dec 2025 23:59:00 GMT' }, wait: 0 },
    { headers: { 'retry-after': 'Fri, 01 Jan 2027 00:00:00 GMT' }, wait: 3_600_000 },
    { headers: { 'retry-after': '86400' }, wait: 3_600_000 },
    { headers: { 'retry-after-ms': '250' }, wait: 250 },
    { headers: { 'retry-after-ms': '250', 'retry-after': '7' }, wait: 250 },
    { headers: { 'retry-after-ms': 'soon', 'retry-after': '7' }, wait: 7_000 },
    { headers: { 'retry-after': '-7' }, wait: undefined },
    { headers: { 'retry-after': 'NaN' }, wait: undefined },
    { headers: { 'retry-after': 'Infinity' }, wait: undefined },
    { headers: { 'retry-after': '1e9' }, wait: undefined },
    { headers: { 'retry-after': '' }, wait: undefined },
    { headers: { 'retry-after': '99999999999999999999' }, wait: undefined },
  ])('$headers: $wait', ({ headers, wait }) => {
    expect(retryAfterMs(headers, undefined, now)).toBe(wait)
  })

  test.each<{ body: unknown; wait: number | undefined }>([
    {
      body: { error: { details: [{ '@type': 'Help' }, { '@type': 'RetryInfo', retryDelay: '38.2s' }] } },
      wait: 38_200,
    },
    { body: [{ error: { details: [{ retryDelay: '5s' }] } }], wait: 5_000 },
    { body: { error: { details: [{ retryDelay: 5 }, { retryDelay: 's' }] } }, wait: undefined },
    { body: { error: { details: 'none' } }, wait: undefined },
    { body: null, wait: undefined },
  ])('$body: $wait', ({ body, wait }) => {
    expect(retryAfterMs(undefined, body, now)).toBe(wait)
  })
})

describe('a message', () => {
  test.each([
    { what: 'the key', text: `wrong key ${apiKey}!`, line: 'wrong key [redacted]!' },
    { what: 'the key, percent-encoded', text: 'key=a%2Fb%3Dc%2Bd', key: 'a/b=c+d', line: 'key=[redacted]' },
    {
      what: 'a masked key',
      text: 'Incorrect API key provided: sk-proj-****************4XyZ.',
      line: 'Incorrect API key provided: [redacted]',
    },
    { what: 'a bearer token', text: 'got Bearer abcdef123456', line: 'got [redacted]' },
    { what: 'lines', text: 'one\r\n\ttwo\u0000\u2028three', line: 'one two three' },
    { what: 'invisible characters', text: 'a\u202eb\u200bc', line: 'a b c' },
    { what: 'no key', text: 'api key missing', line: 'api key missing' },
  ])('is cleaned of $what', ({ text, key, line }) => {
    expect(clean(text, key ?? apiKey)).toBe(line)
  })

  test('has at most 300 characters, and no half character', () => {
    const line = clean('😀'.repeat(400))
    expect(line.length).toBeLessThanOrEqual(300)
    expect(line.isWellFormed()).toBe(true)
    expect(line.endsWith('…')).toBe(true)
  })

  test('never shows a truncated key', () => {
    expect(clean(`${'x'.repeat(290)} ${apiKey}`, apiKey)).not.toContain(apiKey.slice(0, 5))
  })
})

describe('exceptions', () => {
  test.each<{ what: string; thrown: unknown; code?: string; retryable: boolean; message: string }>([
    {
      what: 'an error with a message',
      thrown: answered(500, { error: { message: 'Oops' } }),
      retryable: true,
      message: 'Vendor answered 500: Oops',
    },
    {
      what: 'an error with a text',
      thrown: answered(400, { error: 'Oops' }),
      retryable: false,
      message: 'Vendor answered 400: Oops',
    },
    {
      what: 'an error with a top-level message',
      thrown: answered(400, { message: 'Oops' }),
      retryable: false,
      message: 'Vendor answered 400: Oops',
    },
    {
      what: 'an error with a detail',
      thrown: answered(422, { detail: 'Oops' }),
      retryable: false,
      message: 'Vendor answered 422: Oops',
    },
    {
      what: 'an error in a list',
      thrown: answered(400, [{ error: { message: 'Oops' } }]),
      retryable: false,
      message: 'Vendor answered 400: Oops',
    },
    {
      what: 'another error',
      thrown: answered(400, { error: { message: { a: 1 } } }),
      retryable: false,
      message: 'Vendor answered 400.',
    },
    { what: 'an HTML page', thrown: answered(502, '<html>'), retryable: true, message: 'Vendor answered 502.' },
    {
      what: 'a huge body',
      thrown: answered(500, { error: { message: 'x'.repeat(70_000) } }),
      retryable: true,
      message: 'Vendor answered 500.',
    },
    {
      what: 'no connection',
      thrown: answered(undefined, ''),
      retryable: true,
      message: 'The connection to Vendor failed.',
    },
    {
      what: 'a broken connection',
      thrown: answered(200, '', { cause: new Error('ECONNRESET') }),
      retryable: true,
      message: 'The connection to Vendor failed.',
    },
    {
      what: 'a rate limit behind 500',
      thrown: answered(500, { type: 'rate_limit_error', message: 'Slow' }),
      code: 'provider_rate_limited',
      retryable: true,
      message: 'Vendor answered 500: Slow',
    },
    {
      what: 'bad JSON',
      thrown: new JSONParseError({ text: apiKey, cause: new Error('x') }),
      retryable: true,
      message: 'Vendor sent something that is not in its format.',
    },
    {
      what: 'an unsupported request',
      thrown: new UnsupportedFunctionalityError({ functionality: 'PDF' }),
      retryable: false,
      message: "The request cannot be sent to Vendor: 'PDF' functionality not supported.",
    },
    {
      what: 'a reset',
      thrown: Object.assign(new Error(apiKey), { code: 'ECONNRESET' }),
      retryable: true,
      message: 'The connection to Vendor failed.',
    },
    {
      what: 'an impossible request',
      thrown: new TypeError(`Bearer ${apiKey}`),
      retryable: false,
      message: 'The credential or the address cannot be used for Vendor.',
    },
    {
      what: 'a string',
      thrown: `Overloaded ${apiKey}`,
      retryable: true,
      message: 'Vendor answered with an error: Overloaded [redacted]',
    },
    {
      what: 'a status',
      thrown: { statusCode: 429, message: 'Slow' },
      code: 'provider_rate_limited',
      retryable: true,
      message: 'Vendor answered with an error: Slow',
    },
    { what: 'nothing', thrown: undefined, retryable: true, message: 'Vendor answered with an error.' },
  ])('$what', ({ thrown, code = 'provider_error', retryable, message }) => {
    const failure = failureOf(thrown, site)
    expect({ ...failure, message: failure.message }).toMatchObject({ code, retryable, message } as never)
    // Not even an inspection of the whole error, as in a log, shows a key or the request.
    expect(Bun.inspect(failure)).not.toContain(apiKey)
    expect(Bun.inspect(failure)).not.toContain('in the request')
    expect(failure.cause).toBeUndefined()
  })

  test('a failure is returned unchanged', () => {
    const failure = new ProviderFailure('invalid_model_output', 'No.')
    expect(failureOf(failure, site)).toBe(failure)
  })

  test('a permanent failure has no retry delay', () => {
    expect(failureOf(answered(400, {}, { responseHeaders: { 'retry-after': '7' } }), site).retryAfterMs).toBeUndefined()
  })
})
