import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { openWorld, type World } from '../world.ts'

const path = '/api/v1/agent-runs'
let world: World
let port: number
beforeAll(async () => {
  world = await openWorld()
  world.app.listen({ port: 0, hostname: '127.0.0.1' })
  port = world.app.server?.port as number
})
afterAll(async () => {
  await world?.app.stop(true)
  await world?.close()
})

/** A reader that controls when it reads. */
function follow(runId: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`GET ${path}/${runId}/stream HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer owner\r\n\r\n`)
      resolve(socket)
    })
    socket.once('error', reject)
  })
}
const readUntil = (socket: Socket, text: string) =>
  new Promise<string>((resolve, reject) => {
    let received = ''
    const onData = (chunk: Buffer) => {
      received += chunk.toString('latin1')
      if (!received.includes(text)) return
      socket.off('data', onData)
      resolve(received)
    }
    socket.on('data', onData)
    socket.once('close', () => reject(new Error(`The connection ended before ${text}`)))
    socket.resume()
  })
const until = async (holds: () => boolean) => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1))
}

test('a reader that disconnects leaves nothing behind', async () => {
  const runId = await world.startIn('running')
  const sockets = await Promise.all(Array.from({ length: 20 }, () => follow(runId)))
  await Promise.all(sockets.map((socket) => readUntil(socket, 'run.snapshot')))
  expect(world.runs.streams.statistics).toEqual({ readers: 20, runs: 1 })
  for (const socket of sockets) socket.destroy()
  await until(() => world.runs.streams.statistics.readers === 0)
  expect(world.runs.streams.statistics.runs).toBe(0)
})

test('a reader that stops reading gets no more data, and is told of the gap when it continues', async () => {
  const runId = await world.start()
  const root = await world.runner.begin(runId)
  const model = await world.runner.startStep(runId, { parent_agent_step_id: root })
  const socket = await follow(runId)
  const beginning = await readUntil(socket, 'run.snapshot')
  socket.pause()
  const text = 'x'.repeat(10_000)
  const rounds = 120
  for (let round = 0; round < rounds; round += 1) {
    await world.runner.deltas(runId, model, ...Array.from({ length: 10 }, () => text))
  }
  const rest = await readUntil(socket, '"gap":true')
  expect(beginning).toContain('"gap":false')
  // it has received what fitted into the buffers of the connection
  expect(rest.length).toBeLessThan((rounds * 10 * text.length) / 2)
  await world.runner.complete(runId)
  expect(await readUntil(socket, 'event: end')).toContain('"state":"completed"')
  socket.destroy()
  await until(() => world.runs.streams.statistics.readers === 0)
})

test('the server closes the connection after the end', async () => {
  const runId = await world.startIn('running')
  const answer = await fetch(`http://127.0.0.1:${port}${path}/${runId}/stream`, {
    headers: { authorization: 'Bearer owner' },
  })
  const whole = answer.text()
  await world.runner.complete(runId)
  expect(await whole).toContain('event: end')
})

test('HEAD answers without a stream', async () => {
  const runId = await world.startIn('running')
  const init = { method: 'HEAD', headers: { authorization: 'Bearer owner' } }
  const answer = await fetch(`http://127.0.0.1:${port}${path}/${runId}/stream`, init)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  await until(() => world.runs.streams.statistics.readers === 0)
})
