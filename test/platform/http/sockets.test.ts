/** The app on a real socket: ambiguous framing neither crashes the server nor circumvents the limits. */
import { afterAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { originalOf } from '../../../src/platform/http/answers/head.ts'
import { api } from '../../support/client.ts'
import { allKey, authenticator, testApp, thingId } from './fixture.ts'

const seen: (string | undefined)[] = []
const keys = authenticator()
const { app } = testApp({
  authenticator: {
    ...keys,
    authenticate(authorization, request) {
      seen.push(app.server?.requestIP(originalOf(request))?.address)
      return keys.authenticate(authorization, request)
    },
  },
})
app.listen({ port: 0, hostname: '127.0.0.1' })
const port = app.server!.port!
const url = `http://127.0.0.1:${port}`
const client = api(url, allKey)
afterAll(() => app.stop(true))

/** Sends bytes; returns the answer once the server closes or is silent. */
function exchange(...chunks: string[]): Promise<string> {
  return new Promise((resolve) => {
    let answer = ''
    let silence: Timer | undefined
    const socket = connect(port, '127.0.0.1', () => {
      for (const chunk of chunks) socket.write(chunk)
    })
    const end = () => {
      clearTimeout(silence)
      socket.destroy()
      resolve(answer)
    }
    silence = setTimeout(end, 1000)
    socket.on('data', (data) => {
      answer += data
      clearTimeout(silence)
      silence = setTimeout(end, 50)
    })
    socket.on('close', end)
    socket.on('error', end)
  })
}

const head = (path: string, ...headers: string[]) =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${allKey}`,
    'Content-Type: application/json',
    ...headers,
    '',
    '',
  ].join('\r\n')
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0)
const body = '{"name":"x"}'

const framings: [string, string[], number[]][] = [
  ['a Content-Length', [head('/api/v1/things', `Content-Length: ${body.length}`), body], [201]],
  [
    'chunks',
    [head('/api/v1/things', 'Transfer-Encoding: chunked'), chunk(body.slice(0, 5)), chunk(body.slice(5)), '0\r\n\r\n'],
    [201],
  ],
  [
    'chunks over the limit',
    [head('/api/v1/small', 'Transfer-Encoding: chunked'), chunk(' '.repeat(80)), chunk(' '.repeat(80)), '0\r\n\r\n'],
    [413],
  ],
  ['a Content-Length over the limit, before its body', [head('/api/v1/small', 'Content-Length: 100000000')], [413]],
  [
    'a huge Content-Length of an unauthenticated client',
    [head('/api/v1/small', 'Content-Length: 100000000').replace(`Bearer ${allKey}`, 'Bearer wrong')],
    [401],
  ],
  ['no length', [head('/api/v1/things')], [400]],
  [
    'Content-Length and Transfer-Encoding',
    [head('/api/v1/things', 'Content-Length: 3', 'Transfer-Encoding: chunked'), chunk(body), '0\r\n\r\n'],
    [400, 0],
  ],
  ['two Content-Lengths', [head('/api/v1/things', 'Content-Length: 12', 'Content-Length: 3'), body], [400, 0]],
  ['a negative Content-Length', [head('/api/v1/things', 'Content-Length: -1'), body], [400, 0]],
  ['a Content-Length that is not a number', [head('/api/v1/things', 'Content-Length: 1e1'), body], [400, 0]],
  [
    'a chunk size that is not a number',
    [head('/api/v1/things', 'Transfer-Encoding: chunked'), 'zz\r\nx\r\n0\r\n\r\n'],
    [400, 0],
  ],
  ['an unknown transfer encoding', [head('/api/v1/things', 'Transfer-Encoding: gzip, cow'), body], [400, 0]],
  ['not HTTP', ['\x16\x03\x01\x02\x00\x01\x00'], [400, 0]],
  ['a header without a name', ['GET /healthz HTTP/1.1\r\n: x\r\n\r\n'], [400, 0]],
  ['no host', ['GET /healthz HTTP/1.1\r\n\r\n'], [200, 400, 0]],
  ['a short host', ['GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'], [200]],
  ['a nonsensical host', ['GET /healthz HTTP/1.1\r\nHost: ]][[ /api?\r\n\r\n'], [200, 400, 404, 0]],
  ['an absolute address', [`GET ${url}/healthz HTTP/1.1\r\nHost: x\r\n\r\n`], [200, 400, 404, 0]],
  ['an asterisk', ['OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n'], [404, 405, 400, 0]],
  ['a path with parent segments', ['GET /docs/../healthz HTTP/1.1\r\nHost: x\r\n\r\n'], [200, 404]],
  [
    'a header of 100 KiB',
    [`GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n`],
    [400, 413, 431, 0],
  ],
]
test.each(framings)('%s', async (_, chunks, expected) => {
  expect(expected).toContain(statusOf(await exchange(...chunks)))
  expect((await client.get('/healthz')).status).toBe(200)
})

test.each([
  { name: 'a query of 20 KiB is read like any other', bytes: 20_000, status: 422 },
  { name: 'a line above 64 KiB is refused before it is a request', bytes: 70_000, status: 431 },
])('$name', async ({ bytes, status }) => {
  const answer = await exchange(
    `GET /api/v1/things?unheard=${'x'.repeat(bytes)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${allKey}\r\n\r\n`,
  )
  expect(statusOf(answer)).toBe(status)
  expect(answer.includes('"unknown_parameter"')).toBe(status === 422)
})

const reading = (method: string, path: string, ...headers: string[]) =>
  head(path, ...headers).replace('POST ', `${method} `)
const strays: [string, string[], number][] = [
  ['no length', [reading('GET', '/api/v1/things')], 200],
  ['a length of zero', [reading('GET', '/api/v1/things', 'Content-Length: 0')], 200],
  ['a body', [reading('GET', '/api/v1/things', 'Content-Length: 7'), '{"x":1}'], 400],
  ['chunks', [reading('GET', '/api/v1/things', 'Transfer-Encoding: chunked'), chunk('{"x":1}'), '0\r\n\r\n'], 400],
  ['a body at a probe', [reading('GET', '/healthz', 'Content-Length: 7'), '{"x":1}'], 400],
  ['a body for a HEAD', [reading('HEAD', '/api/v1/things', 'Content-Length: 7'), '{"x":1}'], 400],
]
test.each(strays)('read operations accept no body: %s', async (_, chunks, expected) => {
  const answer = await exchange(...chunks)
  expect(statusOf(answer)).toBe(expected)
  if (expected === 400 && !chunks[0]?.startsWith('HEAD')) expect(answer).toContain('"malformed_request"')
})

test('a request hidden in the body of a GET is not answered', async () => {
  const hidden = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'
  const answer = await exchange(reading('GET', '/api/v1/things', `Content-Length: ${hidden.length}`), hidden)
  expect(answer).not.toContain('"alive"')
})

test('a refusal before the body comes from the app, not the runtime', async () => {
  const answer = await exchange(head('/api/v1/small', 'Content-Length: 100000000'))
  expect(answer).toContain('"payload_too_large"')
  expect(answer.toLowerCase()).toContain('x-request-id: req_')
})

test('a second request hidden in a body is not answered', async () => {
  const hidden = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'
  const answer = await exchange(
    head('/api/v1/things', 'Content-Length: 3', 'Transfer-Encoding: chunked'),
    `0\r\n\r\n${hidden}`,
  )
  expect(answer).not.toContain('"alive"')
})

test('a connection continues after an error', async () => {
  const request = `GET /api/v1/things/${thingId} HTTP/1.1\r\nHost: x\r\n\r\n`
  const answer = await exchange(request, request.replace('\r\n\r\n', `\r\nAuthorization: Bearer ${allKey}\r\n\r\n`))
  expect([...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['401', '200'])
})

test('an answer names neither server nor runtime', async () => {
  expect(await exchange('GET /nope HTTP/1.1\r\nHost: x\r\n\r\n')).not.toMatch(/server:|powered|bun|elysia/i)
})

const onTheWire: [string, string, number][] = [
  ['GET', `/api/v1/things/${thingId}`, 200],
  ['GET', '/api/v1/things', 200],
  ['HEAD', `/api/v1/things/${thingId}`, 200],
  ['HEAD', '/api/v1/stream', 200],
  ['DELETE', `/api/v1/things/${thingId}`, 204],
  ['GET', '/nope', 404],
  ['PUT', '/api/v1/things', 405],
  ['HEAD', '/api/v1/form', 405],
  ['GET', '/docs/json', 200],
  ['GET', '/metrics', 200],
]
test.each(onTheWire)('%s %s answers %d over the socket as in the process', async (method, path, status) => {
  expect((await client.call(method, path)).status).toBe(status)
})

test.each(['GET', 'HEAD'])('%s is authenticated with the address of its peer', async (method) => {
  await client.call(method, '/api/v1/things')
  expect(seen.at(-1)).toBe('127.0.0.1')
})

test("HEAD has the length of GET's answer", async () => {
  const get = await client.raw('GET', '/api/v1/things')
  const answer = await client.head('/api/v1/things')
  expect(Number(answer.headers.get('content-length'))).toBe((await get.arrayBuffer()).byteLength)
})

test('a refused large upload does not stay in memory', async () => {
  const before = process.memoryUsage().rss
  for (let round = 0; round < 5; round++) {
    const large = new Uint8Array(20 * 1024 * 1024)
    const status = await client.post('/api/v1/small', large, { headers: { 'content-type': 'application/json' } }).then(
      (answer) => answer.status,
      () => 413,
    )
    expect(status).toBe(413)
  }
  Bun.gc(true)
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024)
})

test.each(['', 'two hosts', '<b>', 'x:port'])('400 for the host "%s", in the error shape', async (host) => {
  const answer = await exchange(`GET /api/v1/things HTTP/1.1\r\nHost: ${host}\r\nX-Request-Id: mine\r\n\r\n`)
  expect(statusOf(answer)).toBe(400)
  expect(answer.toLowerCase()).toContain("content-security-policy: default-src 'none'")
  expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))).error).toMatchObject({
    code: 'malformed_request',
    requestId: 'mine',
  })
})
