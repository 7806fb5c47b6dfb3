import { expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { UnsendableRequest } from '../../../src/platform/outbound/error.ts'
import { client, dripping, failure, ok, type Reaction, receive, saying, until, wanted } from './receivers.ts'

test('the request is sent as given, with connection headers only from the client', async () => {
  const receiver = await receive(saying(ok()))
  const headers = { 'Content-Type': 'application/json', 'X-Delivery-Id': 'dlv_1', 'User-Agent': 'Troupe-Webhooks/1' }
  await client.request(wanted(`${receiver.url}a%20b?c=d`, { method: 'PUT', headers, body: '{"é":1}' }))
  const [head, body] = receiver.text.split('\r\n\r\n')
  const [line, ...fields] = head!.split('\r\n')
  expect(line).toBe('PUT /a%20b?c=d HTTP/1.1')
  expect(fields.toSorted()).toEqual([
    'accept-encoding: identity',
    'accept: */*',
    'connection: close',
    'content-length: 8',
    'content-type: application/json',
    `host: 127.0.0.1:${receiver.port}`,
    'user-agent: Troupe-Webhooks/1',
    'x-delivery-id: dlv_1',
  ])
  expect(Buffer.from(body!, 'latin1').toString('utf8')).toBe('{"é":1}')
})

test.each([
  ['GET', false],
  ['HEAD', false],
  ['POST', true],
  ['DELETE', true],
])('a %s without a body announces that only where a body is usual', async (method, lengthSent) => {
  const receiver = await receive(saying('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'))
  await client.request({ url: receiver.url, method, timeoutMs: 5000, bodyBytesMax: 10 })
  expect(receiver.text.includes('content-length: 0\r\n')).toBe(lengthSent)
})

test.each([
  [{ method: 'GE T' }],
  [{ method: 'GET / HTTP/1.1\r\nx: y' }],
  [{ method: 'get' }],
  [{ method: '' }],
  [{ method: 'CONNECT' }],
  [{ method: 'TRACE' }],
  [{ headers: { 'x-a': 'b\r\nset-cookie: c' } }],
  [{ headers: { 'x-a': 'b\nc' } }],
  [{ headers: { 'x-a': 'b\rc' } }],
  [{ headers: { 'x-a': 'b\0c' } }],
  [{ headers: { 'x-a': 'ł' } }],
  [{ headers: { 'x-a': '\u560d\u560a' } }],
  [{ headers: { 'x a': 'b' } }],
  [{ headers: { 'x-a\r\nx-b': 'c' } }],
  [{ headers: { '': 'b' } }],
  [{ headers: { Host: 'other.example' } }],
  [{ headers: { 'Content-Length': '0' } }],
  [{ headers: { 'transfer-encoding': 'chunked' } }],
  [{ headers: { Connection: 'keep-alive' } }],
  [{ headers: { 'Accept-Encoding': 'gzip' } }],
  [{ headers: { Expect: '100-continue' } }],
  [{ headers: { Upgrade: 'websocket' } }],
  [{ headers: { 'Proxy-Authorization': 'Basic x' } }],
  [{ headers: { 'x-a': 'b'.repeat(40_000) } }],
  [{ timeoutMs: 0 }],
  [{ timeoutMs: Number.NaN }],
  [{ timeoutMs: 2 ** 31 }],
  [{ bodyBytesMax: -1 }],
  [{ bodyBytesMax: 1.5 }],
])('%j cannot be sent', async (more) => {
  const receiver = await receive(saying(ok()))
  expect(await client.request(wanted(receiver.url, more)).catch((error) => error)).toBeInstanceOf(UnsendableRequest)
  expect(receiver.connections).toBe(0)
})

test.each([
  ['204', 'HTTP/1.1 204 No Content\r\n\r\n', 204, ''],
  ['304', 'HTTP/1.1 304 Not Modified\r\n\r\n', 304, ''],
  ['410', 'HTTP/1.1 410 Gone\r\ncontent-length: 4\r\n\r\ngone', 410, 'gone'],
  ['500', 'HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n', 500, ''],
  ['HTTP/1.0 until the end', 'HTTP/1.0 200 OK\r\n\r\nold', 200, 'old'],
  ['chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n', 200, 'abc'],
  ['100 first', `HTTP/1.1 100 Continue\r\n\r\n${ok('then')}`, 200, 'then'],
  ['103 first', `HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${ok('then')}`, 200, 'then'],
  ['another answer after it', `${ok('first')}HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n`, 200, 'first'],
])('an answer with %s is accepted', async (_what, text, status, body) => {
  const receiver = await receive(saying(text))
  const answer = await client.request(wanted(receiver.url))
  expect({ status: answer.status, body: Buffer.from(answer.body).toString() }).toEqual({ status, body })
  expect(answer.truncated).toBe(false)
  await until(() => receiver.standing === 0)
})

test('repeated headers are joined, and hostile names are only names', async () => {
  const receiver = await receive(
    saying('HTTP/1.1 200 OK\r\nSet-Cookie: a\r\nset-cookie: b\r\nX-Y: c\r\n__proto__: d\r\n\r\n'),
  )
  const { headers } = await client.request(wanted(receiver.url))
  expect(headers['set-cookie']).toBe('a, b')
  expect(headers['x-y']).toBe('c')
  expect(Object.getPrototypeOf(headers)).toBe(Object.prototype)
})

const head = 'HTTP/1.1 200 OK\r\n'
const chunked = `${head}transfer-encoding: chunked\r\n\r\n`

test.each([
  ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n\r\n'],
  ['an answer without a head', '<html>hello</html>'],
  ['a status of two digits', 'HTTP/1.1 42 What\r\n\r\n'],
  ['no status', 'HTTP/1.1 \r\n\r\n'],
  ['status 600', 'HTTP/1.1 600 What\r\ncontent-length: 0\r\n\r\n'],
  ['status 999', 'HTTP/1.1 999 What\r\ncontent-length: 0\r\n\r\n'],
  ['a protocol switch', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'],
  ['line feeds only', 'HTTP/1.1 200 OK\ncontent-length: 2\n\nhi'],
  ['a bare carriage return in a header', `${head}x: a\rset-cookie: b\r\n\r\n`],
  ['a folded header', `${head}x: a\r\n b\r\n\r\n`],
  ['a NUL in a header', `${head}x: a\0b\r\n\r\n`],
  ['a header name with a space', `${head}x y: a\r\n\r\n`],
  ['two lengths', `${head}content-length: 3\r\ncontent-length: 4\r\n\r\nhi12`],
  ['a length and chunks', `${head}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n`],
  ['a negative length', `${head}content-length: -3\r\n\r\nhi`],
  ['an invalid chunk', `${chunked}ZZ\r\nhi`],
  ['a header of 20 KB', `${head}x: ${'a'.repeat(20_000)}\r\n\r\n`],
  ['headers of 560 KB', `${head}${`x: ${'a'.repeat(1000)}\r\n`.repeat(560)}\r\n`],
  ['a reason of 100 KB', `HTTP/1.1 200 ${'a'.repeat(100_000)}\r\n\r\n`],
  ['a chunk extension of 200 KB', `${chunked}2;${'a'.repeat(200_000)}\r\nhi\r\n0\r\n\r\n`],
  ['trailers of 100 KB', `${chunked}0\r\n${`x: ${'a'.repeat(1000)}\r\n`.repeat(100)}\r\n`],
  ['a hundred interim answers', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)],
])('an answer with %s is invalid_response, whole or as a stream', async (_what, text) => {
  const receiver = await receive(saying(text))
  const streamed = async () => Array.fromAsync((await client.open(wanted(receiver.url))).body)
  for (const read of [() => client.request(wanted(receiver.url)), streamed]) {
    expect((await failure(read())).errorClass).toBe('invalid_response')
  }
  await until(() => receiver.standing === 0)
})

const endless = dripping(chunked, '2\r\nhi\r\n')
test.each<[string, Reaction, (body: ReadableStream<Uint8Array>) => Promise<unknown>]>([
  ['has ended', (socket) => socket.write(ok('hi')), (body) => Array.fromAsync(body)],
  ['is too long', endless, (body) => failure(Array.fromAsync(body))],
  ['is not read any more', endless, (body) => body.cancel()],
])('the connection of a streamed answer that %s is closed, if the host closes it or not', async (_, react, read) => {
  const receiver = await receive(react)
  await read((await client.open(wanted(receiver.url, { bodyBytesMax: 10, timeoutMs: 600_000 }))).body)
  await until(() => receiver.standing === 0)
})

test('a body in chunks of one byte arrives whole, or up to the bound', async () => {
  const { url } = await receive(saying(`${chunked}${'1\r\na\r\n'.repeat(50_000)}0\r\n\r\n`))
  const lengths = async (bodyBytesMax: number) => {
    const { body, truncated } = await client.request(wanted(url, { bodyBytesMax }))
    return [body.length, truncated]
  }
  expect(await lengths(50_000)).toEqual([50_000, false])
  expect(await lengths(49_999)).toEqual([49_999, true])
})

test.each<[string, Reaction, number | null]>([
  ['before the answer', saying(), null],
  ['by a reset before the answer', (socket) => socket.resetAndDestroy(), null],
  ['within the headers', saying('HTTP/1.1 200 OK\r\ncontent-le'), null],
  ['within a body of known length', saying('HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\nhi'), 200],
  ['within a chunk', saying(`${chunked}5\r\nhi`), 200],
  ['after status 199', saying('HTTP/1.1 199 What\r\n\r\n'), null],
  [
    'by a reset within the body',
    (socket) => {
      socket.write('HTTP/1.1 500 No\r\ncontent-length: 20\r\n\r\nhi')
      setTimeout(() => socket.resetAndDestroy(), 20)
    },
    500,
  ],
])('a connection that ends %s is reset, with the status if it is known', async (_when, react, status) => {
  const receiver = await receive(react)
  const error = await failure(client.request(wanted(receiver.url)))
  expect({ errorClass: error.errorClass, status: error.status }).toEqual({ errorClass: 'reset', status })
  await until(() => receiver.standing === 0)
})

test.each<[string, Reaction]>([
  ['never answers', () => {}],
  ['sends its status line byte by byte', dripping('HTTP/1.1 200 ', 'a')],
  ['sends empty lines', dripping('', '\r\n')],
  ['drips headers', dripping(head, 'x: y\r\n')],
  ['sends a body byte by byte', dripping(`${head}content-length: 1000000\r\n\r\n`, 'a')],
  ['sends an endless body', dripping(`${head}\r\n`, 'a')],
  ['drips chunks', dripping(chunked, '1\r\na\r\n')],
  ['drips trailers', dripping(`${chunked}0\r\n`, 'x: y\r\n')],
  ['stops within the body', (socket) => socket.write(`${head}content-length: 10\r\n\r\nhi`)],
])('a receiver that %s is a timeout after the total time', async (_what, react) => {
  const receiver = await receive(react)
  const error = await failure(client.request(wanted(receiver.url, { timeoutMs: 150 })))
  expect(error.errorClass).toBe('timeout')
  await until(() => receiver.standing === 0)
})

test('a receiver that does not read a long request is a timeout too', async () => {
  const receiver = await receive((socket) => socket.pause())
  const error = await failure(
    client.request(wanted(receiver.url, { timeoutMs: 150, body: new Uint8Array(20_000_000) })),
  )
  expect(error.errorClass).toBe('timeout')
})

test.each([
  [0, 'abcdef', '', true],
  [5, 'abcdef', 'abcde', true],
  [6, 'abcdef', 'abcdef', false],
  [7, 'abcdef', 'abcdef', false],
  [0, '', '', false],
])('with a limit of %d bytes the body %j is read as %j, truncated %p', async (bodyBytesMax, sent, read, truncated) => {
  const receiver = await receive(saying(ok(sent)))
  const answer = await client.request(wanted(receiver.url, { bodyBytesMax }))
  expect({ body: Buffer.from(answer.body).toString(), truncated: answer.truncated }).toEqual({ body: read, truncated })
})

/** Writes as fast as the connection accepts, and counts the bytes. */
function flooding(beginning: string, bytes: number) {
  const flood = { written: 0 }
  const chunk = Buffer.alloc(65_536, 'a')
  const react: Reaction = (socket) => {
    socket.write(beginning)
    const pump = () => {
      while (!socket.destroyed && flood.written < bytes) {
        flood.written += chunk.length
        if (!socket.write(chunk)) return
      }
    }
    socket.on('drain', pump)
    pump()
  }
  return { flood, react }
}

test.each([
  ['of 200 MB', `${head}content-length: 200000000\r\n\r\n`, 200_000_000],
  ['without end', `${head}\r\n`, Number.POSITIVE_INFINITY],
])(
  'of a body %s only the beginning is read, and the receiver cannot send the rest',
  async (_what, beginning, bytes) => {
    const { flood, react } = flooding(beginning, bytes)
    const receiver = await receive(react)
    const answer = await client.request(wanted(receiver.url))
    expect({ status: answer.status, length: answer.body.length, truncated: answer.truncated }).toEqual({
      status: 200,
      length: 16_384,
      truncated: true,
    })
    await until(() => receiver.standing === 0)
    expect(flood.written).toBeLessThan(20_000_000) // the size of the kernel's buffers
  },
)

test('an encoded body is not decoded: a gzip bomb is only its bytes', async () => {
  const bomb = gzipSync(Buffer.alloc(10_000_000))
  const headers = `${head}content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`
  const receiver = await receive(saying(headers, bomb))
  const answer = await client.request(wanted(receiver.url))
  expect(answer.headers['content-encoding']).toBe('gzip')
  expect(Buffer.from(answer.body).equals(bomb.subarray(0, 16_384))).toBe(true)
})

test.each([301, 302, 303, 307, 308])('a %d to a private address is not followed', async (status) => {
  const target = await receive(saying(ok('secret')))
  const receiver = await receive(
    saying(`HTTP/1.1 ${status} Go\r\nlocation: ${target.url}\r\ncontent-length: 0\r\n\r\n`),
  )
  const error = await failure(client.request(wanted(receiver.url)))
  expect({ errorClass: error.errorClass, status: error.status }).toEqual({ errorClass: 'redirect', status })
  const answer = await client.request(wanted(receiver.url, { redirects: 'answer' }))
  expect({ status: answer.status, location: answer.headers.location }).toEqual({ status, location: target.url })
  expect(target.connections).toBe(0)
})
