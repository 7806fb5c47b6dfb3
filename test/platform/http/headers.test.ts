/** Contract 0, "Errors": X-Request-Id in every response; design 6: security headers. */
import { describe, expect, test } from 'bun:test'
import { api } from '../../support/client.ts'
import { allKey, testApp, thingId } from './fixture.ts'

const { app, lines } = testApp({ level: 'debug' })
const client = api(app, allKey)
const newId = /^req_[0-7][0-9a-hjkmnp-tv-z]{25}$/

const requests: [string, string, unknown?][] = [
  ['GET', `/api/v1/things/${thingId}`],
  ['GET', '/api/v1/things/nonsense'],
  ['GET', '/nope'],
  ['PUT', '/api/v1/things'],
  ['POST', '/api/v1/things', '{'],
  ['POST', '/api/v1/fail/bug'],
  ['DELETE', `/api/v1/things/${thingId}`],
  ['GET', '/healthz'],
  ['GET', '/docs'],
  ['GET', '/metrics'],
]

describe.each(requests)('%s %s', (method, path, body) => {
  // the reference page is for people, and not in the document
  const unchecked = path === '/docs'

  test('returns the given request id', async () => {
    const { requestId } = await client.call(method, path, body, {
      headers: { 'x-request-id': 'my id/42', 'content-type': 'application/json' },
      unchecked,
    })
    expect(requestId).toBe('my id/42')
  })

  test('returns a new request id otherwise', async () => {
    expect((await client.call(method, path, body, { unchecked })).requestId).toMatch(newId)
  })

  test('has the security headers and does not identify the server', async () => {
    const { headers } = await client.call(method, path, body, { unchecked })
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('strict-transport-security')).toStartWith('max-age=')
    expect(headers.get('server')).toBeNull()
    expect(headers.get('x-powered-by')).toBeNull()
  })
})

const ids: [string, boolean][] = [
  ['a', true],
  ['x'.repeat(128), true],
  ['x'.repeat(129), false],
  ['~!"{}\\', true],
  ['caf\u00e9', false],
  ['a\tb', false],
]
test.each(ids)('the request id %p is accepted: %p', async (given, taken) => {
  const { requestId } = await client.get('/healthz', { headers: { 'x-request-id': given } })
  expect(requestId === given).toBe(taken)
  if (!taken) expect(requestId).toMatch(newId)
})

test('new request ids are unique', async () => {
  const answers = await Promise.all(Array.from({ length: 200 }, () => client.get('/healthz')))
  expect(new Set(answers.map(({ requestId }) => requestId)).size).toBe(200)
})

test('the handler gets the request id', async () => {
  const { body, requestId } = await client.get(`/api/v1/things/${thingId}`)
  expect(body.data.requestId).toBe(requestId)
})

test('a request id cannot break out of its log line', async () => {
  const forged = '","level":"error","forged":"'
  await client.get('/healthz', { headers: { 'x-request-id': forged } })
  const line = lines.find(({ requestId }) => requestId === forged)
  expect(line).toMatchObject({ level: 'debug', route: '/healthz', status: 200 })
  expect(line).not.toHaveProperty('forged')
})

test('without https there is no HSTS header', async () => {
  const plain = api(testApp({ publicUrl: 'http://localhost:3000' }).app)
  expect((await plain.get('/healthz')).headers.get('strict-transport-security')).toBeNull()
})

test('an error drops the headers that the route had set', async () => {
  const { headers } = await client.get('/api/v1/stream', { key: null })
  expect(headers.get('content-type')).toStartWith('application/json')
})
