/** Slow bodies: they have a total time and a minimum rate. Source: docs/api.md. */
import { afterAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { api } from '../../../support/client.ts'
import { allKey, testApp } from '../fixture.ts'

const { app } = testApp({ pace: { graceMs: 300, bytesPerSecond: 1000 } })
app.listen({ port: 0, hostname: '127.0.0.1' })
const port = app.server!.port!
const client = api(`http://127.0.0.1:${port}`, allKey)
afterAll(() => app.stop(true))

const head = (path: string, ...headers: string[]) =>
  [`POST ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${allKey}`, ...headers, '', ''].join('\r\n')
const json = 'Content-Type: application/json'

/** Sends the head, then the piece repeatedly; resolves with the answer once the server has closed. */
function trickle(first: string, piece: string, everyMs: number): Promise<string> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(first))
    const timer = setInterval(() => socket.writable && socket.write(piece), everyMs)
    socket.on('data', (data) => {
      answer += data
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      clearInterval(timer)
      resolve(answer)
    })
  })
}

const trickling: [string, string, string][] = [
  ['with a length', head('/api/v1/things', json, 'Content-Length: 5000'), ' '],
  ['with a large length', head('/api/v1/things', json, 'Content-Length: 1000000'), ' '],
  ['in chunks', head('/api/v1/things', json, 'Transfer-Encoding: chunked'), '1\r\n \r\n'],
  [
    'as a form',
    head('/api/v1/form', 'Content-Type: multipart/form-data; boundary=x', 'Transfer-Encoding: chunked'),
    '1\r\n-\r\n',
  ],
  ['that never begins', head('/api/v1/things', json, 'Content-Length: 5000'), ''],
]
test.each(trickling)('a body %s is refused, and its connection closed', async (_, first, piece) => {
  const answer = await trickle(first, piece, 40)
  expect(answer).toStartWith('HTTP/1.1 400')
  expect(answer).toContain('malformed_request')
  expect(answer).toContain('The body did not arrive within 0.3 s')
  expect(answer.toLowerCase()).toContain('connection: close')
  expect((await client.get('/healthz')).status).toBe(200)
})

test('a slow body above the minimum rate arrives, however long it takes', async () => {
  const text = JSON.stringify({ name: 'x', metadata: { a: 'b'.repeat(3000) } })
  let at = 0
  const slow = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await Bun.sleep(60)
      controller.enqueue(Buffer.from(text.slice(at, at + 300)))
      at += 300
      if (at >= text.length) controller.close()
    },
  })
  const { status } = await client.call('POST', '/api/v1/things', slow, {
    headers: { 'content-type': 'application/json' },
  })
  expect(status).toBe(201)
})

test('a client that disconnects in the middle leaves nothing waiting', async () => {
  const socket = connect(port, '127.0.0.1', () =>
    socket.write(`${head('/api/v1/things', json, 'Content-Length: 5000')}{`),
  )
  await Bun.sleep(50)
  socket.destroy()
  expect((await client.post('/api/v1/things', { name: 'x' })).status).toBe(201)
})
