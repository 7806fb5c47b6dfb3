/** Concurrent large bodies: limited for each credential and in total, while small ones continue. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { api } from '../../../support/client.ts'
import { allKey, testApp } from '../fixture.ts'

const large = 100_000
const path = '/api/v1/things'

const waitMs = 50
const apps = {
  ofOne: testApp({ uploadLimits: { ofOneMax: 250_000, ofAllMax: 10_000_000, waitMs } }).app,
  ofAll: testApp({ uploadLimits: { ofOneMax: 10_000_000, ofAllMax: 250_000, waitMs } }).app,
  patient: testApp({ uploadLimits: { ofOneMax: 250_000, waitMs: 60_000, waitingOfOneMax: 3 } }).app,
}
beforeAll(() => {
  for (const app of Object.values(apps)) app.listen({ port: 0, hostname: '127.0.0.1' })
})
afterAll(async () => {
  for (const app of Object.values(apps)) await app.stop(true)
})

/** A body that stays incomplete while the socket is open. */
async function begin(port: number, header: string): Promise<Socket> {
  const head = [`POST ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${allKey}`, 'Content-Type: application/json']
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  const piece = header.startsWith('Content-Length') ? ' '.repeat(90_000) : `15f90\r\n${' '.repeat(90_000)}\r\n`
  socket.write([...head, header, '', piece].join('\r\n'))
  return socket
}

const refusals = [
  { bound: 'ofOne', status: 429, code: 'rate_limited' },
  { bound: 'ofAll', status: 503, code: 'service_unavailable' },
] as const
const manners = [
  { manner: 'with a length', header: `Content-Length: ${large}` },
  { manner: 'in chunks', header: 'Transfer-Encoding: chunked' },
]

const cases = refusals.flatMap((refusal) => manners.map((manner) => ({ ...refusal, ...manner })))
test.each(cases)(
  '$manner, above the limit ($bound): $status, until one has ended',
  async ({ bound, status, code, header }) => {
    const port = apps[bound].server!.port!
    const client = api(`http://127.0.0.1:${port}`, allKey)
    const post = (name: string) => client.post(path, { name, padding: 'x' }, { unchecked: true })
    const padded = 'x'.repeat(large)
    const sockets = [await begin(port, header), await begin(port, header)]
    // refused for their shape while there is room
    let refused = await post(padded)
    while (refused.status === 422) refused = await post(padded)
    expect([refused.status, refused.body.error.code]).toEqual([status, code])
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(refused.headers.get('connection')).toBe('close')
    expect((await post('small')).status).toBe(422)

    for (const socket of sockets) socket.destroy()
    let after = await post(padded)
    while (after.status === status) after = await post(padded)
    expect(after.status).toBe(422)
  },
)

test('above the limit some wait for room, in order of arrival; more are refused', async () => {
  const { port } = apps.patient.server!
  const client = api(`http://127.0.0.1:${port}`, allKey)
  const post = (name: string) => client.post(path, { name, padding: 'x' }, { unchecked: true })
  const padded = 'x'.repeat(large)
  const sockets = [await begin(port!, `Content-Length: ${large}`), await begin(port!, `Content-Length: ${large}`)]
  const waiting = new Set<number>()
  const answered: [index: number, status: number][] = []
  const posted: Promise<unknown>[] = []
  // those that come before the limit is reached are refused for their shape
  for (let index = 0; !answered.some(([, status]) => status === 429); index += 1) {
    waiting.add(index)
    posted.push(
      post(padded).then(({ status }) => {
        waiting.delete(index)
        answered.push([index, status])
      }),
    )
    await Bun.sleep(5)
  }
  while (waiting.size > 3) await Bun.sleep(5)
  const last = [...waiting]
  expect((await post('small')).status).toBe(422)

  for (const socket of sockets) socket.destroy()
  await Promise.all(posted)
  expect(answered.slice(-3)).toEqual(last.map((index) => [index, 422]))
})
