import { afterEach, expect, test } from 'bun:test'
import { Socket } from 'node:net'
import { OutboundClient } from '../../../src/platform/outbound/client.ts'
import { systemDial } from '../../../src/platform/outbound/connect.ts'
import { certificateFor } from './certificates.ts'
import { startNameServer } from './name-server.ts'
import {
  client,
  closed,
  failure,
  knowing,
  ok,
  open,
  receive,
  receiveSecurely,
  saying,
  until,
  wanted,
  withEnvironment,
} from './receivers.ts'

const receiver = await receive(saying(ok('hello')))
afterEach(() => until(() => receiver.standing === 0))

/** A client with the production policy; the addresses that it dials are recorded, and lead to the receiver. */
function strict(names: Record<string, string | string[]>, policy = closed) {
  const dialed: string[] = []
  const dial = (address: string) => {
    dialed.push(address)
    return systemDial('127.0.0.1', receiver.port)
  }
  return { dialed, client: knowing(names, policy, { dial }) }
}

test('a request to an allowed address is answered', async () => {
  const answer = await client.request(wanted(receiver.url))
  expect(answer).toMatchObject({ status: 200, truncated: false, headers: { 'content-length': '5' } })
  expect(new TextDecoder().decode(answer.body)).toBe('hello')
  expect(answer.durationMs).toBeGreaterThanOrEqual(0)
})

test.each([
  'http://127.0.0.1/',
  'https://127.0.0.1/',
  'https://[::ffff:127.0.0.1]/',
  'https://169.254.169.254/',
  'https://localhost/',
  'https://db/',
  'https://user:pw@example.com/',
  'https://example.com:6379/',
  'file:///etc/passwd',
])('%s is refused as blocked_address before a lookup or a connection', async (url) => {
  const asked: string[] = []
  const { dialed, client } = strict({})
  const asking = new OutboundClient(client.policy, {
    lookup: async (name) => {
      asked.push(name)
      return [{ address: '8.8.8.8' }]
    },
    dial: (address) => {
      dialed.push(address)
      return systemDial('127.0.0.1', receiver.port)
    },
  })
  const error = await failure(asking.request(wanted(url)))
  expect(error.errorClass).toBe('blocked_address')
  expect({ asked, dialed }).toEqual({ asked: [], dialed: [] })
})

test.each([
  ['one private address', '127.0.0.1'],
  ['a private address after a public one', ['8.8.8.8', '10.0.0.1']],
  ['a private address before a public one', ['10.0.0.1', '8.8.8.8']],
  ['a mapped private address', '::ffff:127.0.0.1'],
  ['a metadata service', '169.254.169.254'],
  ['an unreadable address', 'nonsense'],
  ['an address with a zone', 'fe80::1%lo'],
])('a name with %s is refused as blocked_address without a connection', async (_what, addresses) => {
  const { dialed, client } = strict({ 'trap.example.com': addresses })
  const error = await failure(client.request(wanted('https://trap.example.com/')))
  expect(error.errorClass).toBe('blocked_address')
  expect(error.message).toStartWith('The host resolves to an address that is not public.')
  expect(error.message).toEndWith('with TROUPE_ALLOW_PRIVATE_ADDRESSES=true.')
  expect(dialed).toEqual([])
})

test('a name that resolves differently after the check is refused at its next request, with real DNS answers', async () => {
  const names = await startNameServer(['8.8.8.8'], ['127.0.0.1'])
  const dialed: string[] = []
  const rebound = new OutboundClient(closed, {
    lookup: names.lookup,
    dial: (address) => {
      dialed.push(address)
      return systemDial('127.0.0.1', 1)
    },
  })
  const first = await failure(rebound.request(wanted('https://rebind.example.com/')))
  expect(first.errorClass).toBe('connect_refused')
  expect(dialed).toEqual(['8.8.8.8'])
  expect(names.asked).toEqual(['rebind.example.com']) // one lookup: there is no time for a second answer

  const second = await failure(rebound.request(wanted('https://rebind.example.com/')))
  expect(second.errorClass).toBe('blocked_address')
  expect(dialed).toEqual(['8.8.8.8'])
})

test('a connection to another address than requested is refused before a byte is sent', async () => {
  const { dialed, client } = strict({ 'astray.example.com': '8.8.8.8' })
  const before = receiver.text
  const error = await failure(client.request(wanted('https://astray.example.com/')))
  expect(error.errorClass).toBe('blocked_address')
  expect(dialed).toEqual(['8.8.8.8'])
  const allowed = strict({ 'astray.test': '127.0.0.2' }, open)
  const astray = await failure(allowed.client.request(wanted('http://astray.test/')))
  expect(astray.errorClass).toBe('blocked_address')
  await until(() => receiver.standing === 0)
  expect(receiver.text).toBe(before)
})

test('in production a name with a public address requires https, even if private addresses are allowed', async () => {
  const { dialed, client } = strict(
    { 'plain.example.com': '8.8.8.8' },
    { allowPrivateAddresses: true, production: true },
  )
  const error = await failure(client.request(wanted('http://plain.example.com/')))
  expect(error.errorClass).toBe('blocked_address')
  expect(dialed).toEqual([])
})

test('an error for the tenant does not contain the address; its cause for the log does', async () => {
  const { client } = strict({ 'trap.example.com': '10.1.2.3' })
  const error = await failure(client.request(wanted('https://trap.example.com/')))
  expect(error.message).not.toContain('10.1.2.3')
  expect(String(error.cause)).toContain('10.1.2.3')
})

test('a name without an address is dns_error, whether DNS denies it or has no records', async () => {
  const names = await startNameServer([])
  const denied = await failure(new OutboundClient(open, { lookup: names.lookup }).request(wanted('http://no.example/')))
  expect(denied.errorClass).toBe('dns_error')
  const empty = await failure(knowing({}).request(wanted('http://no.example/')))
  expect(empty.errorClass).toBe('dns_error')
})

test('a name server that never answers is dns_error after the timeout', async () => {
  const names = await startNameServer(null)
  const silent = new OutboundClient(open, { lookup: names.lookup })
  const error = await failure(silent.request(wanted('http://silent.example/', { timeoutMs: 100 })))
  expect(error.errorClass).toBe('dns_error')
})

test('the system resolves names in its hosts file', async () => {
  const answer = await client.request(wanted(`http://localhost:${receiver.port}/`))
  expect(answer.status).toBe(200)
})

test('a closed port is connect_refused', async () => {
  const error = await failure(client.request(wanted('http://127.0.0.1:1/')))
  expect(error.errorClass).toBe('connect_refused')
})

test('of several addresses the first reachable one is used', async () => {
  const many = knowing({ 'many.test': ['::1', '127.0.0.2', '127.0.0.1'] })
  const answer = await many.request(wanted(`http://many.test:${receiver.port}/`))
  expect(answer.status).toBe(200)
})

test("an unreachable host is connect_timeout, by its own limit or the request's", async () => {
  const silent = (connectMs: number) =>
    knowing({ 'hole.test': ['127.0.0.1', '127.0.0.2'] }, open, { dial: () => new Socket(), connectMs })
  for (const [connectMs, timeoutMs] of [
    [100, 60_000],
    [60_000, 100],
  ] as const) {
    const error = await failure(silent(connectMs).request(wanted('http://hole.test/', { timeoutMs })))
    expect(error.errorClass).toBe('connect_timeout')
  }
})

test('the caller can abort a request at any point, with its own reason', async () => {
  const reason = new Error('shutting down')
  const names = await startNameServer(null)
  const deaf = await receive(() => {})
  const silent = new OutboundClient(open, { lookup: names.lookup })
  for (const request of [
    (signal: AbortSignal) => silent.request(wanted('http://silent.example/', { signal })),
    (signal: AbortSignal) => client.request(wanted(deaf.url, { signal })),
  ]) {
    expect(await request(AbortSignal.abort(reason)).catch((error) => error)).toBe(reason)
    const controller = new AbortController()
    const outcome = request(controller.signal).catch((error) => error)
    setImmediate(() => controller.abort(reason))
    expect(await outcome).toBe(reason)
  }
  await until(() => deaf.standing === 0)
})

test('proxies in the environment are not used', async () => {
  const proxy = await receive(saying(ok('proxied')))
  const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy']
  const proxies = Object.fromEntries(names.map((name) => [name, proxy.url]))
  await withEnvironment({ ...proxies, NODE_USE_ENV_PROXY: '1', NO_PROXY: '' }, async () => {
    expect((await client.request(wanted(receiver.url))).status).toBe(200)
  })
  expect(proxy.connections).toBe(0)
})

test('a hundred concurrent requests use a hundred connections, and none stays open', async () => {
  const before = receiver.connections
  const answers = await Promise.all(Array.from({ length: 100 }, () => client.request(wanted(receiver.url))))
  expect(answers.every(({ status }) => status === 200)).toBe(true)
  expect(receiver.connections - before).toBe(100)
})

test('https verifies the name of the certificate, and sends that name to the host', async () => {
  const identity = certificateFor(['hooks.example'])
  const secured = await receiveSecurely(identity, saying(ok('secret')))
  const trusting = knowing({ 'hooks.example': '127.0.0.1' }, open, { ca: identity.cert })
  const answer = await trusting.request(wanted(`https://hooks.example:${secured.port}/x`))
  expect(answer.status).toBe(200)
  expect(secured.text).toStartWith('POST /x HTTP/1.1\r\n')
  expect(secured.text).toContain(`host: hooks.example:${secured.port}\r\n`)
  await until(() => secured.standing === 0)
})

test.each([
  ['an untrusted authority', 'hooks.example', 2, false, "The host's certificate is not trusted."],
  ['another name', 'other.example', 2, true, "The host's certificate is for another name."],
  ['the address instead of the name', '127.0.0.1', 2, true, "The host's certificate is for another name."],
  ['yesterday', 'hooks.example', -1, true, "The host's certificate has expired."],
])('a certificate of %s is tls_error, and nothing is sent', async (_what, name, days, trusted, message) => {
  const identity = certificateFor([name], days)
  const secured = await receiveSecurely(identity, saying(ok()))
  const caller = knowing({ 'hooks.example': '127.0.0.1' }, open, trusted ? { ca: identity.cert } : {})
  const refused = async () => {
    const error = await failure(caller.request(wanted(`https://hooks.example:${secured.port}/`)))
    expect({ errorClass: error.errorClass, message: error.message }).toEqual({ errorClass: 'tls_error', message })
  }
  await refused()
  await withEnvironment({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }, refused)
  expect(secured.text).toBe('')
  await until(() => secured.standing === 0)
})

test('a certificate for an address is valid for that address, and one for a name is not', async () => {
  for (const [name, outcome] of [
    ['127.0.0.1', 200],
    ['hooks.example', 'tls_error'],
  ] as const) {
    const identity = certificateFor([name])
    const secured = await receiveSecurely(identity, saying(ok()))
    const request = new OutboundClient(open, { ca: identity.cert }).request(wanted(secured.url))
    if (outcome === 200) expect((await request).status).toBe(200)
    else expect((await failure(request)).errorClass).toBe(outcome)
  }
})

test.each([
  ['plain HTTP', saying('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ['garbage', saying('nonsense\n')],
  ['an end', saying()],
])('a receiver that answers the TLS handshake with %s is tls_error', async (_what, react) => {
  const plain = await receive(react)
  const error = await failure(client.request(wanted(plain.url.replace('http:', 'https:'))))
  expect(error.errorClass).toBe('tls_error')
  await until(() => plain.standing === 0)
})

test('a TLS handshake that never ends is a timeout', async () => {
  const deaf = await receive(() => {})
  const error = await failure(client.request(wanted(deaf.url.replace('http:', 'https:'), { timeoutMs: 150 })))
  expect(error.errorClass).toBe('timeout')
  await until(() => deaf.standing === 0)
})
