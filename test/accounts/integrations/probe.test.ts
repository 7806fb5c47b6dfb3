/** The request that a probe sends, and the outcome when a provider responds improperly. Source: contract 4, "Probe". */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { ClientProbe } from '../../../src/accounts/integrations/probe.ts'
import { Secret } from '../../../src/platform/operating/secret.ts'
import { OutboundClient } from '../../../src/platform/outbound/client.ts'
import { systemClock } from '../../../src/platform/time/clock.ts'
import { openProvider, openSocket, type Provider } from './provider.ts'

const redirectUri = 'http://localhost:3000/api/oauth/callback/acme'
const client = { clientId: 'client:1', clientSecret: new Secret('s e+c/r=t%') }
const outbound = (allowPrivateAddresses = true) => new OutboundClient({ allowPrivateAddresses, production: false })
const probe = (timeoutMs?: number) =>
  new ClientProbe({ outbound: outbound(), clock: systemClock, ...(timeoutMs !== undefined && { timeoutMs }) })
const ask = (tokenEndpoint: string, timeoutMs?: number) => probe(timeoutMs).ask({ tokenEndpoint, redirectUri }, client)

let provider: Provider
beforeAll(() => {
  provider = openProvider()
})
afterAll(() => provider?.stop())

test('it sends an impossible code, the redirect URI, a verifier, and the client by HTTP Basic, once', async () => {
  expect(await ask(`${provider.url}/token`)).toEqual({ type: 'verified' })
  expect(provider.asked).toHaveLength(1)
  const { path, headers, form } = provider.asked[0] as (typeof provider.asked)[0]
  expect(path).toBe('/token')
  expect(headers['content-type']).toBe('application/x-www-form-urlencoded')
  expect(headers.authorization).toBe(`Basic ${btoa('client%3A1:s+e%2Bc%2Fr%3Dt%25')}`)
  expect(form).toEqual({
    grant_type: 'authorization_code',
    code: expect.stringMatching(/^probe_[\w-]{43}$/),
    redirect_uri: redirectUri,
    code_verifier: expect.stringMatching(/^[\w-]{43}$/),
  })
})

test('no two probes send the same code', async () => {
  await ask(`${provider.url}/token`)
  await ask(`${provider.url}/token`)
  const codes = provider.asked.map(({ form }) => form.code)
  expect(new Set(codes).size).toBe(codes.length)
})

test('a redirect counts as a response and is not followed', async () => {
  provider.answers(({ path }) =>
    path === '/token'
      ? new Response(null, { status: 307, headers: { location: `${provider.url}/elsewhere` } })
      : Response.json({ error: 'invalid_grant' }, { status: 400 }),
  )
  expect(await ask(`${provider.url}/token`)).toMatchObject({ type: 'refused', code: 'integration_unexpected_response' })
  expect(provider.asked.map(({ path }) => path)).not.toContain('/elsewhere')
})

test.each([
  [64 * 1024, 'verified'],
  [64 * 1024 + 1, 'refused'],
])('a response of %i bytes: %s', async (bytes, type) => {
  const body = '{"error":"invalid_grant"}'.padEnd(bytes, ' ')
  provider.answers(() => new Response(body, { status: 400 }))
  expect((await ask(`${provider.url}/token`)).type).toBe(type as 'verified')
})

const unreachable = { type: 'unreachable', retryAfterSeconds: 30 } as const

test('a provider that does not respond in time is unreachable', async () => {
  const { promise, resolve } = Promise.withResolvers<Response>()
  provider.answers(() => promise)
  expect(await ask(`${provider.url}/token`, 50)).toEqual(unreachable)
  resolve(new Response())
})

const head = 'HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\n'
test.each([
  ['closes the connection immediately', ''],
  ['speaks another protocol', 'SSH-2.0-OpenSSH_9.6\r\n'],
  ['disconnects within the body', `${head}content-length: 100\r\n\r\n{"error":"invalid_grant"`],
  ['sends oversized headers', `${head}x-filler: ${'x'.repeat(100_000)}\r\n\r\n`],
] as const)('a provider that %s is unreachable', async (_, text) => {
  const socket = await openSocket((connection) => connection.once('data', () => connection.end(text)))
  expect(await ask(`http://127.0.0.1:${socket.port}/token`)).toEqual(unreachable)
  socket.stop()
})

test('a provider that never finishes its headers is unreachable', async () => {
  const socket = await openSocket((connection) => {
    connection.write(head)
    const drip = setInterval(() => connection.write('x-more: 1\r\n'), 5)
    connection.on('close', () => clearInterval(drip))
  })
  expect(await ask(`http://127.0.0.1:${socket.port}/token`, 100)).toEqual(unreachable)
  socket.stop()
})

test('a provider that refuses connections or has no TLS is unreachable', async () => {
  const socket = await openSocket((connection) => connection.end())
  socket.stop()
  expect(await ask(`http://127.0.0.1:${socket.port}/token`)).toEqual(unreachable)
  expect(await ask(provider.url.replace('http:', 'https:'))).toEqual(unreachable)
})

test('the outbound request guard applies to providers too', async () => {
  const guarded = new ClientProbe({ outbound: outbound(false), clock: systemClock })
  const before = provider.asked.length
  expect(await guarded.ask({ tokenEndpoint: `${provider.url}/token`, redirectUri }, client)).toEqual(unreachable)
  expect(provider.asked).toHaveLength(before)
})
