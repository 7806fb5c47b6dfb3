/** Contract 0, "Order of checks": 401; then 404/403 of the scope; then 400/422 of the request. */
import { describe, expect, test } from 'bun:test'
import { ApiError, notFound } from '../../src/http/errors.ts'
import type { RateLimiter } from '../../src/http/guarded.ts'
import { api } from '../support/client.ts'
import { allKey, authenticator, mebibyte, noneKey, otherThingId, testApp, thingId } from './fixture.ts'

const json = { 'content-type': 'application/json' }
const badRequests: [string, string, string, unknown, Record<string, string>][] = [
  ['a good body', 'POST', '/api/v1/things', { name: 'x' }, {}],
  ['malformed JSON', 'POST', '/api/v1/things', '{', json],
  ['an invalid body', 'POST', '/api/v1/things', { wrong: 1 }, {}],
  ['no body', 'POST', '/api/v1/things', undefined, {}],
  ['a foreign content type', 'POST', '/api/v1/things', '<a/>', { 'content-type': 'text/xml' }],
  ['too large a body', 'POST', '/api/v1/small', { name: 'x'.repeat(300) }, {}],
  ['a malformed id', 'GET', '/api/v1/things/nonsense', undefined, {}],
  ['a badly encoded id', 'GET', '/api/v1/things/%E0%A4%A', undefined, {}],
  ['a malformed id and malformed JSON', 'PATCH', '/api/v1/things/nonsense', '{', json],
  ['an invalid query', 'GET', '/api/v1/things?limit=abc', undefined, {}],
  ['a foreign cursor', 'GET', '/api/v1/things?cursor=abc', undefined, {}],
]

describe.each([['at once'], ['with a promise']])('an authenticator that answers %s', (manner) => {
  const { app } = testApp({ authenticator: authenticator(manner === 'with a promise') })
  const client = api(app)

  test.each(badRequests)('a stranger with %s hears 401', async (_, method, path, body, headers) => {
    const { status, body: answer } = await client.call(method, path, body, { headers })
    expect(status).toBe(401)
    expect(answer.error.code).toBe('unauthenticated')
  })

  test.each(badRequests)('a wrong key with %s hears 401', async (_, method, path, body, headers) => {
    const { status, body: answer } = await client.call(method, path, body, { headers, key: 'wrong' })
    expect(status).toBe(401)
    expect(answer.error.code).toBe('invalid_api_key')
  })

  test.each(badRequests)('a key without the permission with %s hears 403', async (_, method, path, body, headers) => {
    const { status, body: answer } = await client.call(method, path, body, { headers, key: noneKey })
    expect(status).toBe(403)
    expect(answer.error.code).toBe('permission_denied')
    expect(answer.error.details.permission).toStartWith('agent-runs:')
  })
})

const { app } = testApp()
const client = api(app, allKey)

test('where the operation lists no 403, a missing permission is 404 like a missing thing', async () => {
  const refused = await client.get(`/api/v1/things/${thingId}/secret`, {
    key: noneKey,
    headers: { 'x-request-id': 'same' },
  })
  const missing = await client.get(`/api/v1/things/${otherThingId}`, { headers: { 'x-request-id': 'same' } })
  expect(refused.status).toBe(404)
  expect(refused.body).toEqual(missing.body)
  expect((await client.get(`/api/v1/things/${thingId}/secret`)).status).toBe(200)
})

const ranked: [string, string, string, unknown, number][] = [
  ['a malformed id before malformed JSON', 'PATCH', '/api/v1/things/nonsense', '{', 404],
  ['a malformed id before an invalid body', 'PATCH', '/api/v1/things/nonsense', '{"wrong":1}', 404],
  ['malformed JSON before an invalid query', 'PATCH', `/api/v1/things/${thingId}?limit=0`, '{', 400],
  ['an invalid query before an invalid body', 'PATCH', `/api/v1/things/${thingId}?limit=0`, '{"wrong":1}', 422],
]
test.each(ranked)('%s', async (_, method, path, body, expected) => {
  const { status, body: answer } = await client.call(method, path, body, { headers: json })
  expect(status).toBe(expected)
  if (expected === 422) expect(answer.error.details.issues[0].path).toBe('/query/limit')
})

test('the scope that a path names is judged after the permission and before the body', async () => {
  const asked: string[] = []
  const scopes = {
    thingId: async (_caller: unknown, value: string) => {
      asked.push(value)
      if (value === otherThingId) throw notFound()
    },
  }
  const scoped = api(testApp({ scopes }).app, allKey)
  expect((await scoped.call('PATCH', `/api/v1/things/${otherThingId}`, '{', { headers: json })).status).toBe(404)
  expect((await scoped.call('PATCH', `/api/v1/things/${thingId}`, '{', { headers: json })).status).toBe(400)
  expect((await scoped.get(`/api/v1/things/${otherThingId}`, { key: noneKey })).status).toBe(403)
  expect(asked).toEqual([otherThingId, thingId])
})

test('a rate limiter counts callers, adds its headers and refuses with Retry-After', async () => {
  const counted: string[] = []
  const rateLimiter: RateLimiter = {
    admit(caller, headers) {
      counted.push(caller.principal.id)
      headers.ratelimit = '"default";r=0;t=7'
      if (counted.length > 1) throw new ApiError(429, 'rate_limited', 'Too many requests.', undefined, 6.2)
    },
  }
  const limited = api(testApp({ rateLimiter }).app, allKey)
  const first = await limited.get(`/api/v1/things/${thingId}`)
  expect([first.status, first.headers.get('ratelimit')]).toEqual([200, '"default";r=0;t=7'])
  const second = await limited.get(`/api/v1/things/${thingId}`)
  expect([second.status, second.headers.get('retry-after')]).toEqual([429, '7'])
  await limited.get(`/api/v1/things/${thingId}`, { key: null })
  expect(counted).toHaveLength(2)
})

describe('the runner protocol', () => {
  const tokens: [string, string | null, number][] = [
    ['/api/v1/runner/leases', 'runner', 200],
    ['/api/v1/runner/leases', 'attempt', 401],
    ['/api/v1/runner/leases', allKey, 401],
    ['/api/v1/runner/leases', null, 401],
    ['/api/v1/runner/heartbeat', 'attempt', 200],
    ['/api/v1/runner/heartbeat', 'runner', 401],
    ['/api/v1/runner/heartbeat', null, 401],
  ]
  test.each(tokens)('%s with %p: %d', async (path, key, expected) => {
    expect((await client.post(path, undefined, { key })).status).toBe(expected)
  })

  test('the handler gets the claims of the attempt', async () => {
    const { body } = await client.post('/api/v1/runner/heartbeat', undefined, { key: 'attempt' })
    expect(body.data).toEqual({ agentRunId: thingId, attemptId: 'att_1', agentRevisionId: 'agr_1', fencingToken: 7 })
  })

  test('without credentials to check against, nobody comes in', async () => {
    const closed = api(testApp({ runnerCredentials: undefined }).app)
    expect((await closed.post('/api/v1/runner/leases', undefined, { key: 'runner' })).status).toBe(401)
  })
})

test('a body beyond the limit is refused only after the identity', async () => {
  const large = `{"name":"${'x'.repeat(mebibyte)}"}`
  expect((await client.post('/api/v1/things', large, { headers: json, key: null })).status).toBe(401)
  expect((await client.post('/api/v1/things', large, { headers: json })).status).toBe(413)
})
