import { expect, test } from 'bun:test'
import { OutboundClient } from '../../../src/platform/outbound/client.ts'
import { selfTest } from '../../../src/platform/outbound/self-test.ts'
import { client, closed, failure, ok, open, receive, saying, wanted } from './receivers.ts'

test.each([
  ['closed', closed],
  ['open for development', open],
  ['open in production', { allowPrivateAddresses: true, production: true }],
])('the guard passes its self-test under a policy that is %s', async (_which, policy) => {
  expect(await selfTest(new OutboundClient(policy))).toBeUndefined()
})

test('an unguarded client fails the self-test', async () => {
  const unguarded = Object.assign(new OutboundClient(closed), { request: client.request.bind(client) })
  await expect(selfTest(unguarded)).rejects.toThrow('The guard for outbound requests does not hold')
})

/** The reason for the guard: Bun's fetch ignores the pinned address of this client. */
test('fetch reaches a private host that the guard refuses', async () => {
  const receiver = await receive(saying(ok('reached')))
  expect(await (await fetch(receiver.url, { redirect: 'manual' })).text()).toBe('reached')
  const error = await failure(new OutboundClient(closed).request(wanted(receiver.url.replace('http:', 'https:'))))
  expect(error.errorClass).toBe('blocked_address')
  expect(receiver.connections).toBe(1)
})
