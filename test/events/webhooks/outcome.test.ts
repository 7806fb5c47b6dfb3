import { expect, test } from 'bun:test'
import { outcomeOfAnswer, outcomeOfError, readRetryAfter } from '../../../src/events/deliveries/outcome.ts'
import { OutboundError } from '../../../src/platform/outbound/error.ts'

const now = Date.parse('2026-01-31T12:00:00.000Z')

test.each([
  ['0', 0],
  ['120', 120_000],
  [' 7 ', 7_000],
  ['99999999', 99_999_999_000],
  ['1000000000000000', Number.MAX_SAFE_INTEGER],
  ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
  ['Sat, 31 Jan 2026 12:01:30 GMT', 90_000],
])('a Retry-After of %p is %i ms', (text, expected) => {
  expect(readRetryAfter(text, now)).toBe(expected)
})

test.each([
  ['none', undefined],
  ['below zero', '-1'],
  ['a word', 'soon'],
  ['a fraction', '1.5'],
  ['nothing', ''],
  ['repeated', '1, 2'],
  ['in the past', 'Sat, 31 Jan 2026 11:59:59 GMT'],
  ['the current time', 'Sat, 31 Jan 2026 12:00:00 GMT'],
  ['another date format', '2026-01-31T12:01:30Z'],
  ['an invalid date', 'Sat, 99 Jan 2026 12:01:30 GMT'],
])('a Retry-After that is %s is ignored', (_, text) => {
  expect(readRetryAfter(text, now)).toBeNull()
})

const answer = (status: number, headers: Record<string, string> = {}) =>
  outcomeOfAnswer({ status, headers, durationMs: 3 }, now)

test.each([200, 201, 204, 299])('%i means delivered', (status) => {
  expect(answer(status)).toEqual({ type: 'acknowledged', status, durationMs: 3 })
})

test.each([304, 400, 404, 410, 429, 500, 503])('%i means not delivered', (status) => {
  expect(answer(status)).toEqual({
    type: 'refused',
    status,
    errorClass: 'http_status',
    durationMs: 3,
    retryAfterMs: null,
  })
})

test('a refusal may name the time of the next attempt', () => {
  expect(answer(503, { 'retry-after': '30' })).toMatchObject({ retryAfterMs: 30_000 })
})

test.each([301, 302, 303, 307, 308])('%i is a redirect, which may name it as well', (status) => {
  expect(answer(status, { 'retry-after': '30' })).toEqual({
    type: 'refused',
    status,
    errorClass: 'redirect',
    durationMs: 3,
    retryAfterMs: 30_000,
  })
})

test('a request without a usable answer keeps its error class, and its status if there was one', () => {
  const error = new OutboundError('invalid_response', 'not HTTP', 302)
  error.durationMs = 9
  expect(outcomeOfError(error)).toEqual({
    type: 'refused',
    status: 302,
    errorClass: 'invalid_response',
    durationMs: 9,
    retryAfterMs: null,
  })
})

test('other exceptions are no outcome', () => {
  expect(() => outcomeOfError(new TypeError('a bug'))).toThrow('a bug')
})
