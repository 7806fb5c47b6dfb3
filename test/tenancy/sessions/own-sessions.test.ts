/** Contract 1, "Session": users see where they are signed in, and end sessions. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { openTroupe, ownerEmail, ownerPassword, type Troupe } from '../../support/troupe.ts'
import { Tenancy } from '../../support/world/tenancy.ts'
import { type Browser, browserOf, newMember, newOrganization, signIn, trySignIn } from './browser.ts'

const minute = 60_000
const clock = new HandClock()
let troupe: Troupe
let tenancy: Tenancy
let organization: string
beforeAll(async () => {
  troupe = await openTroupe({
    clock,
    environment: { TROUPE_RUNNER: 'none', TROUPE_RATE_LIMIT_PER_MINUTE: '0', TROUPE_TRUSTED_PROXIES: '1' },
  })
  tenancy = new Tenancy(troupe.file, () => clock.now())
  organization = (await signIn(troupe)).session.organizations[0].id
})
afterAll(async () => {
  tenancy?.close()
  await troupe?.stop()
})

const paths = ['/api/auth/session', '/api/v1/agent-runs'] as const
const statuses = async ({ get }: Browser) => Promise.all(paths.map(async (path) => (await get(path)).status))
const alive = [200, 200]
const over = [401, 401]

/** Signs in as a browser with this user agent, at this address. */
const enter = async (userAgent?: string, address = '192.0.2.1') => {
  const headers = { 'x-forwarded-for': address, ...(userAgent !== undefined && { 'user-agent': userAgent }) }
  return browserOf(troupe, await trySignIn(troupe, ownerEmail, ownerPassword, { headers }))
}
const listed = async ({ get }: Browser, query = {}) => (await get('/api/auth/sessions', { query })).body
const currentOf = async (browser: Browser) =>
  (await listed(browser)).data.items.find(({ current }: { current: boolean }) => current)
/** Ends all other sessions of the owner. */
const alone = async () => {
  const browser = await enter()
  await browser.delete('/api/auth/sessions')
  return browser
}
const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) => ({
  status,
  code: body?.error?.code,
})
const notFound = { status: 404, code: 'not_found' }

describe('the list of sessions', () => {
  test('shows when, where and by which browser each began, newest first, and the current one', async () => {
    const one = await alone()
    clock.advance(1)
    const began = clock.now()
    const other = await enter('Mozilla/5.0 (X11; Linux)', '2001:db8::7')
    const { data, pagination } = await listed(other)
    expect(pagination).toEqual({ limit: 20, hasMore: false })
    expect(data.items).toHaveLength(2)
    expect(data.items.map(({ current }: { current: boolean }) => current)).toEqual([true, false])
    expect(data.items[0]).toEqual({
      id: expect.stringMatching(/^ses_[0-9a-z]{26}$/),
      createdAt: new Date(began).toISOString(),
      lastUsedAt: new Date(began).toISOString(),
      expiresAt: new Date(began + 12 * 60 * minute).toISOString(),
      address: '2001:db8::7',
      userAgent: 'Mozilla/5.0 (X11; Linux)',
      current: true,
    })
    expect((await listed(one)).data.items.map(({ current }: { current: boolean }) => current)).toEqual([false, true])
  })

  test('shows nobody the sessions of another user', async () => {
    const owner = await alone()
    const stranger = await newMember(troupe, organization, 'unseen@example.com')
    for (const browser of [owner, stranger]) {
      const { items } = (await listed(browser)).data
      expect(items.map(({ current }: { current: boolean }) => current)).toEqual([true])
    }
  })

  test('shows no secret: its ids are in no cookie, and open nothing', async () => {
    const browser = await alone()
    const { id } = await currentOf(browser)
    const token = browser.cookie.split('=')[1]!
    const hash = new Bun.CryptoHasher('sha256').update(token).digest('hex')
    const text = JSON.stringify(await listed(browser))
    for (const secret of [token, hash, browser.csrfToken]) expect(text).not.toContain(secret)
    const headers = { cookie: `troupe_session=${id}` }
    expect((await troupe.as(null).get('/api/auth/sessions', { headers })).status).toBe(401)
  })

  test('shows the address of the last use, recorded at most once a minute', async () => {
    const browser = await alone()
    const use = async (address: string) => {
      await browser.get('/api/auth/session', { headers: { 'x-forwarded-for': address } })
      // background writes are stored once a later commit is
      await trySignIn(troupe, 'nobody@example.com', 'wrong')
      await signIn(troupe)
      return currentOf(browser)
    }
    const first = await use('198.51.100.1')
    expect(first).toMatchObject({ address: '192.0.2.1', lastUsedAt: first.createdAt })
    clock.advance(minute)
    const at = new Date(clock.now()).toISOString()
    expect(await use('198.51.100.2')).toMatchObject({ address: '198.51.100.2', lastUsedAt: at })
    clock.advance(minute - 1)
    expect(await use('198.51.100.3')).toMatchObject({ address: '198.51.100.2', lastUsedAt: at })
  })

  test.each([
    ['of 10,000 characters', 'x'.repeat(10_000), 'x'.repeat(256)],
    ['with markup', '<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
    ['with a tab', 'one\ttwo', 'one two'],
    ['that is empty', '', null],
  ])('truncates a user agent %s', async (_, sent, shown) => {
    expect((await currentOf(await enter(sent))).userAgent).toBe(shown)
  })

  test('omits ended sessions', async () => {
    const early = await alone()
    clock.advance(12 * 60 * minute)
    const late = await enter()
    expect((await listed(late)).data.items).toHaveLength(1)
    expect(await statuses(early)).toEqual(over)
  })

  test('omits one that has expired and is not removed yet, and it cannot be ended either', async () => {
    const browser = await alone()
    const { id } = await currentOf(await enter())
    tenancy.run('update sessions set expires_at = ? where public_id = ?', clock.now(), id)
    expect((await listed(browser)).data.items).toHaveLength(1)
    expect(codeOf(await browser.delete(`/api/auth/sessions/${id}`))).toEqual(notFound)
  })

  test('has pages, and its cursor is valid only for its user', async () => {
    const browser = await alone()
    for (let session = 0; session < 4; session += 1) await enter()
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const { data, pagination } = await listed(browser, { limit: 2, cursor })
      seen.push(...data.items.map(({ id }: { id: string }) => id))
      cursor = pagination.nextCursor
    } while (cursor)
    expect(seen).toHaveLength(5)
    expect(new Set(seen).size).toBe(5)
    expect(seen).toEqual([...seen].sort().reverse())
    const { pagination } = await listed(browser, { limit: 2 })
    const stranger = await newMember(troupe, organization, 'cursor@example.com')
    const refused = await stranger.get('/api/auth/sessions', { query: { cursor: pagination.nextCursor } })
    expect(codeOf(refused)).toEqual({ status: 422, code: 'invalid_cursor' })
    expect((await browser.get('/api/auth/sessions', { query: { limit: 0 } })).status).toBe(422)
  })
})

describe('ending', () => {
  test('one of them applies to its next request, and keeps the others', async () => {
    const [one, two, three] = [await alone(), await enter(), await enter()]
    for (const browser of [one, two, three]) expect(await statuses(browser)).toEqual(alive)
    const { id } = await currentOf(two)
    const { status, body } = await one.delete(`/api/auth/sessions/${id}`)
    expect({ status, body }).toEqual({ status: 204, body: undefined })
    expect(await statuses(two)).toEqual(over)
    expect(await statuses(one)).toEqual(alive)
    expect(await statuses(three)).toEqual(alive)
    expect(codeOf(await one.delete(`/api/auth/sessions/${id}`))).toEqual(notFound)
  })

  test('the current one signs out', async () => {
    const browser = await alone()
    const { id } = await currentOf(browser)
    const reply = await browser.delete(`/api/auth/sessions/${id}`)
    expect(reply.status).toBe(204)
    expect(reply.headers.getSetCookie()[0]).toStartWith('troupe_session=;')
    expect(await statuses(browser)).toEqual(over)
  })

  test('all others keeps the current one, other users, and API keys', async () => {
    const stranger = await newMember(troupe, organization, 'all-others@example.com')
    const [one, two, three] = [await alone(), await enter(), await enter()]
    for (const browser of [one, two, three]) expect(await statuses(browser)).toEqual(alive)
    expect((await one.delete('/api/auth/sessions')).status).toBe(204)
    expect(await statuses(one)).toEqual(alive)
    expect(await statuses(two)).toEqual(over)
    expect(await statuses(three)).toEqual(over)
    expect((await stranger.get('/api/auth/session')).status).toBe(200)
    expect((await troupe.owner.get('/api/v1/agent-runs')).status).toBe(200)
    // and again, with nothing left to end
    expect((await one.delete('/api/auth/sessions')).status).toBe(204)
  })

  test("another user's is 404, like an unknown one, and does not affect it", async () => {
    const owner = await alone()
    const stranger = await newMember(troupe, organization, 'stranger@example.com')
    const { id } = await currentOf(owner)
    const [foreign, missing] = [
      await stranger.delete(`/api/auth/sessions/${id}`),
      await stranger.delete('/api/auth/sessions/ses_01h455vb4pex5vsknk084sn02q'),
    ]
    expect(codeOf(foreign)).toEqual(notFound)
    expect({ ...foreign.body.error, requestId: '' }).toEqual({ ...missing.body.error, requestId: '' })
    expect(codeOf(await stranger.delete('/api/auth/sessions/nonsense'))).toEqual(notFound)
    expect(await statuses(owner)).toEqual(alive)
  })

  test.each([
    ['DELETE', '/api/auth/sessions'],
    ['DELETE', '/api/auth/sessions/ses_01h455vb4pex5vsknk084sn02q'],
  ])('%s %s requires a session and its token', async (method, path) => {
    const browser = await alone()
    const headers = { cookie: browser.cookie }
    expect(codeOf(await troupe.as(null).call(method, path, undefined, { headers }))).toEqual({
      status: 403,
      code: 'csrf_required',
    })
    for (const caller of [troupe.owner, troupe.as(null)]) {
      const reply = await caller.call(method, path)
      expect(codeOf(reply)).toEqual({ status: 401, code: 'unauthenticated' })
      // a key does not suffice
      expect(reply.body.error.message).toBe('This operation requires a session: sign in.')
    }
  })

  test('is recorded in the audit log of each organization of the user', async () => {
    const [one, two] = [await alone(), await enter()]
    const second = await newOrganization(one)
    const { id } = await currentOf(two)
    const ended = await one.delete(`/api/auth/sessions/${id}`)
    const others = await one.delete('/api/auth/sessions')
    for (const place of [organization, second]) {
      const { body } = await one.get(`/api/v1/organizations/${place}/audit-events`, { query: { limit: 100 } })
      const of = (requestId: string) =>
        body.data.items
          .filter((item: { requestId: string }) => item.requestId === requestId)
          .map(({ operation, resource, outcome, actor }: Record<string, unknown>) => ({
            operation,
            resource,
            outcome,
            actor,
          }))
      const line = { outcome: 'allowed', actor: { type: 'user', id: one.userId } }
      expect(of(ended.requestId)).toEqual([{ ...line, operation: 'endSession', resource: { type: 'session', id } }])
      expect(of(others.requestId)).toEqual([
        { ...line, operation: 'endOtherSessions', resource: { type: 'session', id: null } },
      ])
    }
  })
})

describe('concurrent', () => {
  test('renewal of an ended session does not restore it', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [one, two] = [await alone(), await enter()]
      const { id } = await currentOf(two)
      clock.advance(minute)
      const uses = Array.from({ length: 6 }, (_, index) => two.get(paths[index % 2]!))
      const ending = one.delete(`/api/auth/sessions/${id}`)
      uses.push(...Array.from({ length: 6 }, (_, index) => two.get(paths[index % 2]!)))
      expect((await ending).status).toBe(204)
      for (const { status } of await Promise.all(uses)) expect([200, 401]).toContain(status)
      expect(await statuses(two)).toEqual(over)
      // a pending write
      await enter()
      expect((await listed(one)).data.items.map((item: { id: string }) => item.id)).not.toContain(id)
      expect(await statuses(two)).toEqual(over)
    }
  })

  test('ends, eight times, also by ended sessions: never a server error', async () => {
    const browsers = await Promise.all(Array.from({ length: 4 }, () => enter()))
    const ids = await Promise.all(browsers.map(async (browser) => (await currentOf(browser)).id))
    const replies = await Promise.all(
      browsers.flatMap((browser, index) => [
        browser.delete(`/api/auth/sessions/${ids[(index + 1) % 4]}`),
        browser.delete('/api/auth/sessions'),
      ]),
    )
    for (const { status } of replies) expect([204, 401, 404]).toContain(status)
  })
})
