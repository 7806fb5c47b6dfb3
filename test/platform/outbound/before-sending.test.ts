/** What a caller does once the connection is open, and before anything is sent. Source: contract 5, "not repeated". */
import { expect, test } from 'bun:test'
import { createServer } from 'node:net'
import { client, failure, ok, receive, saying, until, wanted } from './receivers.ts'

test('it follows the connection and precedes the first byte', async () => {
  const receiver = await receive(saying(ok('done')))
  const seen: unknown[] = []
  const beforeSending = async () => {
    await until(() => receiver.connections === 1)
    await Bun.sleep(20)
    seen.push(receiver.text)
  }
  await client.request(wanted(receiver.url, { beforeSending }))
  expect(seen).toEqual([''])
  expect(receiver.text).toContain('ping')
})

test('nothing is sent if it rejects, or if the time is over', async () => {
  const receiver = await receive(saying(ok()))
  const refused = client.request(wanted(receiver.url, { beforeSending: () => Promise.reject(new Error('refused')) }))
  await expect(refused).rejects.toThrow('refused')
  const beforeSending = () => new Promise<void>((resolve) => setTimeout(resolve, 100))
  const late = await failure(client.request(wanted(receiver.url, { timeoutMs: 20, beforeSending })))
  expect(late.errorClass).toBe('timeout')
  await until(() => receiver.standing === 0)
  expect([receiver.connections, receiver.text]).toEqual([2, ''])
})

test('a host that closes the connection meanwhile fails the request', async () => {
  const hasty = createServer((socket) => socket.on('error', () => {}).destroy())
  await new Promise<void>((resolve) => hasty.listen(0, '127.0.0.1', resolve))
  const { port } = hasty.address() as { port: number }
  const beforeSending = () => Bun.sleep(50)
  const error = await failure(client.request(wanted(`http://127.0.0.1:${port}/`, { beforeSending })))
  expect(error.errorClass).toBe('connect_refused')
  hasty.close()
})
