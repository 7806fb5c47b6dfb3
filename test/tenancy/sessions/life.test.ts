import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { pruneSessions } from '../../../src/tenancy/sessions/service.ts'
import { newId } from '../../../storage/ids.ts'
import { migrate } from '../../../storage/migrations.ts'
import { openSqlite } from '../../../storage/sqlite/store.ts'
import { findSession, insertSession, touchSession } from '../../../storage/tenancy/sessions.ts'
import { insertUser } from '../../../storage/tenancy/users.ts'
import { tenants, users } from '../../runs/tenants.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { readingBefore } from '../../support/meanwhile.ts'
import { eventually } from '../../support/process.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'
import { openTroupe, ownerEmail, ownerPassword, type Troupe } from '../../support/troupe.ts'
import { attributesIn, type Browser, cookieIn, signIn, trySignIn } from './browser.ts'

const minute = 60_000
const hour = 60 * minute
const paths = ['/api/auth/session', '/api/v1/agent-runs'] as const

const clock = new HandClock()
let troupe: Troupe
beforeAll(async () => {
  troupe = await openTroupe({ clock, environment: { TROUPE_RUNNER: 'none', TROUPE_RATE_LIMIT_PER_MINUTE: '0' } })
})
afterAll(() => troupe?.stop())

const statuses = async ({ get }: Browser) => Promise.all(paths.map(async (path) => (await get(path)).status))
/** The use of a session is stored in the background; a later commit comes after it. */
const used = async (browser: Browser) => {
  const answered = await statuses(browser)
  await signIn(troupe)
  return answered
}
const alive = [200, 200]
const over = [401, 401]

describe('a session', () => {
  test('lives for 12 hours after its last use', async () => {
    const browser = await signIn(troupe)
    for (let use = 1; use <= 3; use += 1) {
      clock.advance(12 * hour - 1)
      expect(await used(browser)).toEqual(alive)
    }
    clock.advance(12 * hour)
    expect(await statuses(browser)).toEqual(over)
    expect((await browser.get('/api/auth/session')).body.error.code).toBe('session_expired')
  })

  test('lives for a week at most', async () => {
    const browser = await signIn(troupe)
    for (let hours = 11; hours < 7 * 24; hours += 11) {
      clock.advance(11 * hour)
      expect(await used(browser)).toEqual(alive)
    }
    clock.advance(3 * hour - 1)
    expect(await statuses(browser)).toEqual(alive)
    clock.advance(1)
    expect(await statuses(browser)).toEqual(over)
  })

  test.each(paths)('gets its cookie again on use of %s, at most once a minute', async (path) => {
    const browser = await signIn(troupe)
    clock.advance(minute - 1)
    expect(cookieIn(await browser.get(path))).toBeUndefined()
    clock.advance(1)
    const renewed = await browser.get(path)
    expect(cookieIn(renewed)).toBe(browser.cookie)
    expect(attributesIn(renewed)).toMatchObject({ httponly: '', 'max-age': String(12 * 3600) })
    expect(cookieIn(await browser.get(path))).toBeUndefined()
  })

  test('never renews its cookie for longer than it has left', async () => {
    const browser = await signIn(troupe)
    for (let hours = 11; hours <= 165; hours += 11) {
      clock.advance(11 * hour)
      await used(browser)
    }
    clock.advance(hour)
    expect(attributesIn(await browser.get('/api/auth/session'))['max-age']).toBe(String(2 * 3600))
  })
})

describe('signing out', () => {
  test('removes the cookie and ends the session from the next request', async () => {
    const browser = await signIn(troupe)
    expect(await statuses(browser)).toEqual(alive)
    const reply = await browser.delete('/api/auth/session')
    expect({ status: reply.status, body: reply.body }).toEqual({ status: 204, body: undefined })
    expect(cookieIn(reply)).toBe('troupe_session=')
    expect(attributesIn(reply)).toMatchObject({ 'max-age': '0', path: '/', httponly: '' })
    expect(await statuses(browser)).toEqual(over)
    expect((await browser.delete('/api/auth/session')).status).toBe(401)
  })

  test("does not affect the user's other sessions", async () => {
    const [one, other] = [await signIn(troupe), await signIn(troupe)]
    await one.delete('/api/auth/session')
    expect(await statuses(other)).toEqual(alive)
  })

  test('eight times at once is never a server error', async () => {
    const browser = await signIn(troupe)
    const replies = await Promise.all(Array.from({ length: 8 }, () => browser.delete('/api/auth/session')))
    for (const { status } of replies) expect([204, 401]).toContain(status)
    expect(await statuses(browser)).toEqual(over)
  })
})

describe('changing the password', () => {
  let known = ownerPassword
  const next = () => `another password ${crypto.randomUUID()}`
  const change = async (browser: Browser, newPassword: string) => {
    const reply = await browser.post('/api/auth/password', { current: known, new: newPassword })
    if (reply.status === 204) known = newPassword
    return reply
  }
  const enter = () => signIn(troupe, ownerEmail, known)

  test('applies at once: the new one signs in, the old one does not', async () => {
    const before = known
    const { status, body } = await change(await enter(), next())
    expect({ status, body }).toEqual({ status: 204, body: undefined })
    expect((await trySignIn(troupe, ownerEmail, before)).status).toBe(401)
    await enter()
  })

  test('ends all other sessions from their next request, and keeps this one and the API keys', async () => {
    const [one, two, three] = [await enter(), await enter(), await enter()]
    for (const browser of [one, two, three]) expect(await statuses(browser)).toEqual(alive)
    await change(one, next())
    expect(await statuses(one)).toEqual(alive)
    expect(await statuses(two)).toEqual(over)
    expect(await statuses(three)).toEqual(over)
    expect((await troupe.owner.get('/api/v1/agent-runs')).status).toBe(200)
  })

  test('with a wrong current one is 401, changes nothing and counts as a failed sign-in', async () => {
    const browser = await enter()
    const wrong = { current: 'wrong', new: next() }
    for (let failure = 1; failure <= 10; failure += 1) {
      const { status, body } = await browser.post('/api/auth/password', wrong)
      const { code, message } = body.error
      expect({ status, code, message }).toEqual({
        status: 401,
        code: 'invalid_credentials',
        message: 'The current password is wrong.',
      })
    }
    expect((await browser.post('/api/auth/password', wrong)).status).toBe(429)
    expect((await trySignIn(troupe, ownerEmail, known)).status).toBe(429)
    expect(await statuses(browser)).toEqual(alive)
  })
})

describe('a new password', () => {
  let fresh: Troupe
  beforeAll(async () => {
    fresh = await openTroupe({ environment: { TROUPE_RUNNER: 'none', TROUPE_RATE_LIMIT_PER_MINUTE: '0' } })
  })
  afterAll(() => fresh?.stop())

  test.each([
    ['seven characters', { new: 'x'.repeat(7) }],
    ['129 characters', { new: 'x'.repeat(129) }],
    ['129 characters of two units each', { new: '🐎'.repeat(129) }],
    ['four characters of two units each', { new: '🐎'.repeat(4) }],
    ['a number', { new: 12345678 }],
    ['nothing', {}],
    ['an additional field', { new: 'x'.repeat(8), confirm: 'x'.repeat(8) }],
  ])('of %s is 422', async (_, given) => {
    const browser = await signIn(fresh)
    const { status } = await browser.post('/api/auth/password', { current: ownerPassword, ...given })
    expect(status).toBe(422)
  })

  test('may have 8 and 128 characters', async () => {
    const browser = await signIn(fresh)
    let currentPassword = ownerPassword
    for (const newPassword of ['tR0ub4d0', 'ü'.repeat(128), '🐎'.repeat(128), ownerPassword]) {
      expect((await browser.post('/api/auth/password', { current: currentPassword, new: newPassword })).status).toBe(
        204,
      )
      await signIn(fresh, ownerEmail, newPassword)
      currentPassword = newPassword
    }
  })

  test('set eight times at once from eight sessions: one succeeds, and only its session remains', async () => {
    const browsers = await Promise.all(Array.from({ length: 8 }, () => signIn(fresh)))
    const replies = await Promise.all(
      browsers.map(({ post }, index) =>
        post('/api/auth/password', { current: ownerPassword, new: `password number ${index}` }),
      ),
    )
    const winners = replies.flatMap(({ status }, index) => (status === 204 ? [index] : []))
    expect(winners).toHaveLength(1)
    const [winner] = winners
    for (const { status } of replies) expect([204, 401, 429]).toContain(status)
    expect(await Promise.all(browsers.map(async ({ get }) => (await get('/api/auth/session')).status))).toEqual(
      browsers.map((_, index) => (index === winner ? 200 : 401)),
    )
    await signIn(fresh, ownerEmail, `password number ${winner}`)
  })
})

test('a password that changes during a sign-in leaves no session of the old one', async () => {
  const raced = await openTroupe({ environment: { TROUPE_RUNNER: 'none', TROUPE_RATE_LIMIT_PER_MINUTE: '0' } })
  try {
    const browser = await signIn(raced)
    const [changed, ...replies] = await Promise.all([
      browser.post('/api/auth/password', { current: ownerPassword, new: 'the new password' }),
      ...Array.from({ length: 6 }, () => trySignIn(raced, ownerEmail, ownerPassword)),
    ])
    expect(changed.status).toBe(204)
    for (const reply of replies) {
      expect([200, 401]).toContain(reply.status)
      const cookie = cookieIn(reply)
      if (cookie) expect((await raced.as(null).get('/api/auth/session', { headers: { cookie } })).status).toBe(401)
    }
  } finally {
    await raced.stop()
  }
})

describe('ended sessions', () => {
  test('are removed in batches, and no others', async () => {
    const store = openSqlite({ path: ':memory:' })
    await migrate(store)
    await store.commit([
      insertUser(store, {
        id: 'usr_1',
        email: 'a@example.com',
        name: 'A',
        password_hash: '-',
        created_at: 0,
        email_verified_at: 0,
      }),
      ...[1, 2, 3, 4].map((expires_at) =>
        insertSession(store, {
          id: `s${expires_at}`,
          public_id: `ses_${expires_at}`,
          user_id: 'usr_1',
          address: null,
          user_agent: null,
          created_at: 0,
          last_seen_at: 0,
          expires_at,
        }),
      ),
    ])
    expect(await pruneSessions(store.background, 3, 2)).toBe(2)
    expect(await pruneSessions(store.background, 3, 2)).toBe(1)
    expect(await pruneSessions(store.background, 3, 2)).toBe(0)
    expect(await store.db.selectFrom('sessions').select('id').execute()).toEqual([{ id: 's4' }])
    await store.close()
  })

  test('are removed by the server periodically', async () => {
    const file = new Database(troupe.file, { readonly: true })
    const count = () => file.query<{ count: number }, []>('select count(*) as count from sessions').get()!.count
    expect(count()).toBeGreaterThan(0)
    clock.advance(12 * hour)
    // a sweep that was running meanwhile runs again after its interval
    await eventually('no sessions are left', () => {
      clock.advance(hour / 6)
      return count() === 0
    })
    file.close()
  })
})

test('a session that is renewed while the sweep removes expired ones stays', async () => {
  const store = await openMigrated()
  const at = clock.now()
  const row = { id: 'hash', public_id: newId('ses', at), user_id: users.owner, address: null, user_agent: null }
  const times = { created_at: at, last_seen_at: at, expires_at: at + hour }
  await store.commit([...tenants(store), insertSession(store, { ...row, ...times })])
  const now = at + hour
  const renewal = touchSession(store, { id: row.id, at: now - 1, expiresAt: now + hour, address: null })
  await pruneSessions(
    readingBefore(store.background, 'sessions', () => store.commit([renewal])),
    now,
    10,
  )
  expect(await store.first(findSession(store, { id: row.id }))).toMatchObject({ expires_at: now + hour })
  await pruneSessions(store.background, now + hour, 10)
  expect(await store.first(findSession(store, { id: row.id }))).toBeUndefined()
  await store.close()
})
