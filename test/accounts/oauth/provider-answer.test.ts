/** Providers that do not respond, with a short timeout. Source: contract 4, "Token endpoint"; trust 2.4. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { askProvider, ProviderFailure, timeoutMs } from '../../../src/accounts/oauth/provider-answer.ts'
import { OutboundClient } from '../../../src/platform/outbound/client.ts'

const outbound = new OutboundClient({ allowPrivateAddresses: true, production: false })
let server: ReturnType<typeof Bun.serve>
beforeAll(() => {
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: (request) =>
      new URL(request.url).pathname === '/never'
        ? new Promise<Response>(() => {})
        : new Response(new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode('{')) })),
  })
})
afterAll(() => server?.stop(true))

const failureOf = (url: string, client = outbound) =>
  askProvider({ outbound: client, timeoutMs: 100 }, { url, method: 'POST' }).then(
    () => 'an answer',
    (error: unknown) => (error instanceof ProviderFailure ? [error.kind, error.reason] : error),
  )

test('the provider timeout is ten seconds', () => {
  expect(timeoutMs).toBe(10_000)
})

test('a provider that hangs, or never finishes its response, is unavailable', async () => {
  expect(await failureOf(`http://127.0.0.1:${server.port}/never`)).toEqual(['unavailable', 'timeout'])
  expect(await failureOf(`http://127.0.0.1:${server.port}/begun`)).toEqual(['unavailable', 'timeout'])
})

test('a provider that cannot be reached is unavailable', async () => {
  expect(await failureOf('http://127.0.0.1:1/')).toEqual(['unavailable', 'connect_refused'])
})

test('a provider at an address that is not allowed counts as refused', async () => {
  const guarded = new OutboundClient({ allowPrivateAddresses: false, production: false })
  expect(await failureOf('https://127.0.0.1/', guarded)).toEqual(['refused', 'blocked_address'])
})
