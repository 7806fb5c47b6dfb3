/** Contract 0: unknown routes 404, known path with another method 405 with Allow; requirement 4.14: HEAD. */
import { expect, test } from 'bun:test'
import { api } from '../../support/client.ts'
import { allKey, testApp, thingId } from './fixture.ts'

const { app } = testApp()
const client = api(app, allKey)

const unknownPaths = [
  '/nope',
  '/api',
  '/api/v1',
  '/api/v1/things/a/b/c/d',
  '//',
  '/api/v2/things',
  '/%',
  '/docs/other',
  '/.env',
]
test.each(unknownPaths)('404 for %s, in the error shape', async (path) => {
  const { status, body } = await client.get(path)
  expect([status, body.error.code]).toEqual([404, 'not_found'])
  expect(body.error.message).toBe('There is no such path: see /docs for all operations.')
})

test.each([
  ['/api/v1/thing', '/api/v1/things'],
  ['/api/v1/Things', '/api/v1/things'],
  ['/api/v1/thigns', '/api/v1/things'],
  ['/api/v1/thinsg/a', '/api/v1/things/a'],
  ['/things', '/api/v1/things'],
  ['/api/things/', '/api/v1/things'],
  ['/v1/thing/a', '/api/v1/things/a'],
  ['/api/v1/runner/lease', '/api/v1/runner/leases'],
])('404 for %s names the path that is meant', async (path, meant) => {
  const { status, body } = await client.get(path)
  expect([status, body.error.code]).toEqual([404, 'not_found'])
  expect(body.error.message).toBe(`There is no such path. Did you mean ${meant}? See /docs for all operations.`)
})

test('an unknown id at a known path is a resource, not a path', async () => {
  const { body } = await client.get('/api/v1/things/nonsense')
  expect(body.error).toMatchObject({ code: 'not_found', message: 'There is no such resource.' })
})

const wrongMethods: [string, string, string][] = [
  ['PUT', '/api/v1/things', 'GET, HEAD, POST'],
  ['DELETE', '/api/v1/things', 'GET, HEAD, POST'],
  ['OPTIONS', '/api/v1/things', 'GET, HEAD, POST'],
  ['POST', `/api/v1/things/${thingId}`, 'DELETE, GET, HEAD, PATCH'],
  ['GET', '/api/v1/runner/leases', 'POST'],
  ['HEAD', '/api/v1/runner/leases', 'POST'],
  ['POST', '/healthz', 'GET, HEAD'],
  ['PURGE', '/docs', 'GET, HEAD'],
]
test.each(wrongMethods)('405 for %s %s, with Allow', async (method, path, allowed) => {
  const { status, body, headers } = await client.call(method, path)
  expect([status, headers.get('allow')]).toEqual([405, allowed])
  if (method !== 'HEAD') expect(body.error.code).toBe('method_not_allowed')
})

const readable = [
  '/healthz',
  '/readyz',
  '/metrics',
  '/docs',
  '/docs/json',
  '/',
  '/api/v1/things',
  `/api/v1/things/${thingId}`,
  '/api/v1/things/nonsense',
]
test.each(readable)('HEAD %s has the headers of GET and no body', async (path) => {
  const options = { headers: { 'x-request-id': 'same' } }
  const get = await client.raw('GET', path, undefined, options)
  const head = await client.raw('HEAD', path, undefined, options)
  const body = await get.arrayBuffer()
  expect(head.status).toBe(get.status)
  expect((await head.arrayBuffer()).byteLength).toBe(0)
  const { 'content-length': length, ...headHeaders } = Object.fromEntries(head.headers)
  const { 'content-length': _length, ...getHeaders } = Object.fromEntries(get.headers)
  expect(headHeaders).toEqual(getHeaders)
  if (path !== '/metrics') expect(Number(length)).toBe(body.byteLength)
})

test('HEAD of a stream does not wait for its end', async () => {
  const { status, headers } = await client.head('/api/v1/stream')
  expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream'])
})

test('HEAD is guarded like GET', async () => {
  expect((await client.head(`/api/v1/things/${thingId}`, { key: null })).status).toBe(401)
})

test('204 has no body and no content type', async () => {
  const { status, body, headers } = await client.delete(`/api/v1/things/${thingId}`)
  expect([status, body, headers.get('content-type')]).toEqual([204, undefined, null])
})
