/** Contract 1, "Session": a flood of sign-ins does not slow others, and is refused before any hash is computed. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, mock, spyOn, test } from 'bun:test'
import { passwordHashing } from '../../../src/tenancy/sessions/password-hashing.ts'
import type { CallOptions } from '../../support/client.ts'
import { eventually } from '../../support/process.ts'
import { openTroupe, ownerEmail, ownerPassword, type Troupe } from '../../support/troupe.ts'
import { signIn, trySignIn } from './browser.ts'

/** Behind a proxy, which adds the client's address. */
const behindProxy = { TROUPE_RUNNER: 'none', TROUPE_TRUSTED_PROXIES: '1' }
const from = (address: string, headers: Record<string, string> = {}): CallOptions => ({
  headers: { 'x-forwarded-for': address, ...headers },
})

const { verify } = Bun.password
const original = verify.bind(Bun.password)
/** The number of computed hashes. */
let computed: ReturnType<typeof spyOn<typeof Bun.password, 'verify'>>
/** While it is set, hashes wait for it. */
let held: PromiseWithResolvers<void> | undefined
beforeEach(() => {
  computed = spyOn(Bun.password, 'verify').mockImplementation(async (password, hash) => {
    await held?.promise
    // other mistakes need not take time
    return password === ownerPassword && original(password, hash)
  })
})
afterEach(() => {
  held?.resolve()
  held = undefined
  mock.restore()
})

const countsOf = (replies: { status: number }[]) =>
  Object.fromEntries([...Map.groupBy(replies, ({ status }) => status)].map(([status, { length }]) => [status, length]))
const idle = { computing: 0, waiting: 0 }
const atOnce = (many: number, call: (index: number) => ReturnType<typeof trySignIn>) =>
  Promise.all(Array.from({ length: many }, (_, index) => call(index)))

describe('with limits', () => {
  let troupe: Troupe
  beforeEach(async () => {
    troupe = await openTroupe({ environment: behindProxy })
  })
  afterEach(() => troupe?.stop())

  test('64 clients at one address: 20 hashes, and 429 for the others', async () => {
    const replies = await atOnce(64, (index) =>
      trySignIn(troupe, `somebody-${index}@example.com`, 'wrong', from('192.0.2.1')),
    )
    expect(countsOf(replies)).toEqual({ 401: 20, 429: 44 })
    expect(computed).toHaveBeenCalledTimes(20)
    for (const { status, headers } of replies) {
      if (status === 429) expect(Number(headers.get('retry-after'))).toBeWithin(1, 61)
    }
    // these did not count for the account: from elsewhere it has all its attempts
    for (let time = 0; time < 10; time += 1) {
      const again = await trySignIn(troupe, 'somebody-63@example.com', 'wrong', from('192.0.2.2'))
      expect(again.status).toBe(401)
    }
  })

  test("a correct password does not reset the address's limit, and is refused there too", async () => {
    for (let time = 0; time < 22; time += 1) {
      expect((await trySignIn(troupe, ownerEmail, ownerPassword, from('192.0.2.1'))).status).toBe(200)
    }
    await atOnce(25, (index) => trySignIn(troupe, `somebody-${index}@example.com`, 'wrong', from('192.0.2.1')))
    computed.mockClear()
    expect((await trySignIn(troupe, ownerEmail, ownerPassword, from('192.0.2.1'))).status).toBe(429)
    expect(computed).not.toHaveBeenCalled()
    expect((await trySignIn(troupe, ownerEmail, ownerPassword, from('192.0.2.2'))).status).toBe(200)
  })

  test('addresses of one IPv6 /64 network are one', async () => {
    const replies = await atOnce(30, (index) =>
      trySignIn(troupe, `somebody-${index}@example.com`, 'wrong', from(`2001:db8::${index + 1}`)),
    )
    expect(countsOf(replies)).toEqual({ 401: 20, 429: 10 })
  })

  test('a locked account at an address costs no hash there', async () => {
    for (let time = 0; time < 10; time += 1) await trySignIn(troupe, ownerEmail, 'wrong', from('192.0.2.1'))
    computed.mockClear()
    expect((await trySignIn(troupe, ownerEmail, ownerPassword, from('192.0.2.1'))).status).toBe(429)
    expect(computed).not.toHaveBeenCalled()
    expect(passwordHashing.statistics).toEqual(idle)
  })

  test('while hashes wait, attempts do not count for their address, and a signed-in user goes before strangers', async () => {
    const browser = await signIn(troupe)
    held = Promise.withResolvers()
    let refused = 0
    const strangers = atOnce(64, async (index) => {
      const reply = await trySignIn(troupe, `somebody-${index}@example.com`, 'wrong', from(`198.51.100.${index}`))
      if (reply.status === 503) refused += 1
      return reply
    })
    const { computing } = await eventually('all places are taken', () => {
      const { statistics } = passwordHashing
      return refused === 64 - statistics.computing - 32 && statistics
    })
    for (let time = 0; time < 25; time += 1) {
      expect((await trySignIn(troupe, ownerEmail, ownerPassword, from('192.0.2.1'))).status).toBe(503)
    }
    const change = browser.post('/api/auth/password', { current: ownerPassword, new: ownerPassword })
    await eventually('a stranger has lost the place', () => refused === 64 - computing - 32 + 1)
    held.resolve()
    expect((await change).status).toBe(204)
    await strangers
  })

  test('an attempt counts for its account also if its client goes before its hash', async () => {
    held = Promise.withResolvers()
    for (let time = 0; time < 10; time += 1) {
      const client = new AbortController()
      const { computing } = passwordHashing.statistics
      const sent = { email: ownerEmail, password: 'wrong' }
      const call = troupe.as(null).raw('POST', '/api/auth/sessions', sent, { signal: client.signal })
      const gone = call.catch(() => 'gone')
      await eventually('it has a place', () => {
        const now = passwordHashing.statistics
        return now.computing + now.waiting === computing + 1
      })
      client.abort()
      expect(await gone).toBe('gone')
      await eventually('it waits no more', () => passwordHashing.statistics.waiting === 0)
    }
    held.resolve()
    await eventually('nothing is computed', () => passwordHashing.statistics.computing === 0)
    expect((await trySignIn(troupe, ownerEmail, ownerPassword)).status).toBe(429)
  })
})

describe('from many addresses', () => {
  let troupe: Troupe
  /** A browser that the owner has used before. */
  let known: string
  beforeAll(async () => {
    troupe = await openTroupe({ environment: behindProxy })
    const reply = await trySignIn(troupe, ownerEmail, ownerPassword, from('198.51.100.1'))
    known = reply.headers.getSetCookie()[1]!.split(';')[0]!
  })
  afterAll(() => troupe?.stop())

  const addressOf = (index: number) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`
  const owner = (password: string, cookie: string) =>
    trySignIn(troupe, ownerEmail, password, from('203.0.113.9', { cookie }))

  test('one account has a hundred attempts, of a thousand', async () => {
    const replies = []
    for (let index = 0; index < 1_000; index += 20) {
      replies.push(
        ...(await atOnce(20, (offset) => trySignIn(troupe, ownerEmail, 'wrong', from(addressOf(index + offset))))),
      )
    }
    // the owner's own sign-in was the first of the hundred
    expect(countsOf(replies)).toEqual({ 401: 99, 429: 901 })
    expect(computed).toHaveBeenCalledTimes(99)
  })

  test('a correct guess is no longer answered', async () => {
    const reply = await trySignIn(troupe, ownerEmail, ownerPassword, from('203.0.113.1'))
    expect(reply.status).toBe(429)
    expect(Number(reply.headers.get('retry-after'))).toBeWithin(1, 901)
    expect(reply.headers.getSetCookie()).toEqual([])
    expect(computed).not.toHaveBeenCalled()
  })

  test('others are not slowed', async () => {
    expect((await trySignIn(troupe, 'somebody@example.com', 'wrong', from('203.0.113.2'))).status).toBe(401)
  })

  test('the owner signs in from a known browser, at any address', async () => {
    const reply = await owner(ownerPassword, known)
    expect(reply.status).toBe(200)
    // it is known already
    expect(reply.headers.getSetCookie()).toHaveLength(1)
  })

  test.each([
    [
      'a forged cookie',
      () => `troupe_device=${known.split('=')[1]!.replace(/.$/, (end) => (end === 'A' ? 'B' : 'A'))}`,
    ],
    ['no cookie', () => ''],
  ])('%s has no effect', async (_, cookie) => {
    expect((await owner(ownerPassword, cookie())).status).toBe(429)
  })

  test('a known browser has ten attempts', async () => {
    const replies = []
    for (let time = 0; time < 15; time += 1) replies.push(await owner('wrong', known))
    // one attempt was the owner's own
    expect(countsOf(replies)).toEqual({ 401: 9, 429: 6 })
    expect((await owner(ownerPassword, known)).status).toBe(429)
  })

  test('a signed-in user can still change the password', async () => {
    const elsewhere = await openTroupe({ environment: behindProxy })
    try {
      const browser = await signIn(elsewhere)
      for (let index = 0; index < 120; index += 20) {
        await atOnce(20, (offset) => trySignIn(elsewhere, ownerEmail, 'wrong', from(addressOf(index + offset))))
      }
      const passwords = { current: ownerPassword, new: ownerPassword }
      expect((await browser.post('/api/auth/password', passwords, from('203.0.113.3'))).status).toBe(204)
    } finally {
      await elsewhere.stop()
    }
  })
})

describe('an excess of hashes', () => {
  let troupe: Troupe
  beforeAll(async () => {
    troupe = await openTroupe({ environment: { TROUPE_RUNNER: 'none', TROUPE_RATE_LIMIT_PER_MINUTE: '0' } })
  })
  afterAll(() => troupe?.stop())
  const attempt = (index: number) => trySignIn(troupe, `somebody-${index}@example.com`, 'wrong')

  test('is 503 with Retry-After, while everything else is served', async () => {
    held = Promise.withResolvers()
    const replies = atOnce(64, attempt)
    await eventually('all places are taken', () => passwordHashing.statistics.waiting === 32)
    expect(passwordHashing.statistics.computing).toBeLessThanOrEqual(2)
    const refused = await trySignIn(troupe, ownerEmail, ownerPassword)
    expect({ status: refused.status, code: refused.body.error.code }).toEqual({
      status: 503,
      code: 'service_unavailable',
    })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await troupe.as(null).get('/healthz')).status).toBe(200)
    const { computing } = passwordHashing.statistics
    expect(computed).toHaveBeenCalledTimes(computing)
    held.resolve()
    const counts = countsOf(await replies)
    expect(counts).toEqual({ 401: 32 + computing, 503: 32 - computing })
    expect(passwordHashing.statistics).toEqual(idle)
    // refused attempts do not count: the owner has all attempts left
    for (let time = 0; time < 10; time += 1) await trySignIn(troupe, ownerEmail, 'wrong')
    expect((await trySignIn(troupe, ownerEmail, ownerPassword)).status).toBe(429)
  })

  test('drops disconnected clients: their hashes are never computed', async () => {
    held = Promise.withResolvers()
    const clients = Array.from({ length: 20 }, () => new AbortController())
    const body = (index: number) => ({ email: `gone-${index}@example.com`, password: 'wrong' })
    const calls = clients.map(({ signal }, index) =>
      troupe
        .as(null)
        .raw('POST', '/api/auth/sessions', body(index), { signal })
        .catch(() => 'gone'),
    )
    await eventually('they wait', () => {
      const { computing, waiting } = passwordHashing.statistics
      return computing + waiting === 20
    })
    for (const client of clients) client.abort()
    expect(await Promise.all(calls)).toEqual(Array(20).fill('gone'))
    await eventually('nobody waits', () => passwordHashing.statistics.waiting === 0)
    const begun = computed.mock.calls.length
    held.resolve()
    await eventually('nothing is computed', () => passwordHashing.statistics.computing === 0)
    expect(begun).toBeLessThanOrEqual(2)
    expect(computed).toHaveBeenCalledTimes(begun)
  })

  test('does not block a known browser, which goes before others', async () => {
    const fresh = await openTroupe({ environment: { TROUPE_RUNNER: 'none', TROUPE_RATE_LIMIT_PER_MINUTE: '0' } })
    try {
      const first = await trySignIn(fresh, ownerEmail, ownerPassword)
      const cookie = first.headers.getSetCookie()[1]!.split(';')[0]!
      held = Promise.withResolvers()
      let refused = 0
      const strangers = atOnce(64, async (index) => {
        const reply = await trySignIn(fresh, `somebody-${index}@example.com`, 'wrong')
        if (reply.status === 503) refused += 1
        return reply
      })
      await eventually('all places are taken', () => passwordHashing.statistics.waiting === 32)
      const owner = trySignIn(fresh, ownerEmail, ownerPassword, { headers: { cookie } })
      const places = passwordHashing.statistics.waiting + passwordHashing.statistics.computing
      await eventually('a stranger has lost the place to the owner', () => refused === 64 - places + 1)
      computed.mockClear()
      held.resolve()
      expect((await owner).status).toBe(200)
      await strangers
      expect(computed.mock.calls[0]![0]).toBe(ownerPassword)
    } finally {
      await fresh.stop()
    }
  })
})
