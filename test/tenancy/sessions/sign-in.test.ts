import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openTroupe, ownerEmail, ownerPassword, type Troupe } from '../../support/troupe.ts'
import { attributesIn, browserOf, cookieIn, signIn, trySignIn } from './browser.ts'

let troupe: Troupe
beforeAll(async () => {
  troupe = await openTroupe({ environment: { TROUPE_RUNNER: 'none', TROUPE_RATE_LIMIT_PER_MINUTE: '0' } })
})
afterAll(() => troupe?.stop())

describe('signing in', () => {
  test('returns the user, their organizations, and the CSRF token', async () => {
    const { status, body } = await trySignIn(troupe, ownerEmail, ownerPassword)
    expect(status).toBe(200)
    const { user, organizations, csrfToken } = body.data
    expect(user).toEqual({ id: user.id, email: ownerEmail, name: 'Owner', createdAt: user.createdAt })
    expect(organizations).toEqual([{ id: organizations[0].id, slug: 'default', name: 'Default', role: 'owner' }])
    expect(csrfToken).toMatch(/^[A-Za-z0-9_-]{43}$/)
  })

  test('sets a cookie that is inaccessible to scripts and lives for 12 hours', async () => {
    const reply = await trySignIn(troupe, ownerEmail, ownerPassword)
    expect(cookieIn(reply)).toMatch(/^troupe_session=[A-Za-z0-9_-]{43}$/)
    expect(attributesIn(reply)).toEqual({ httponly: '', samesite: 'Lax', path: '/', 'max-age': String(12 * 3600) })
  })

  test('ignores the case of the address', async () => {
    expect((await trySignIn(troupe, ownerEmail.toUpperCase(), ownerPassword)).status).toBe(200)
  })

  test('creates a separate session for each sign-in', async () => {
    const [one, other] = await Promise.all([signIn(troupe), signIn(troupe)])
    expect(one.cookie).not.toBe(other.cookie)
    expect(one.csrfToken).not.toBe(other.csrfToken)
    for (const { get } of [one, other]) expect((await get('/api/auth/session')).status).toBe(200)
  })

  test("ends the browser's previous session", async () => {
    const before = await signIn(troupe)
    expect((await before.get('/api/v1/agent-runs')).status).toBe(200)
    const after = browserOf(
      troupe,
      await trySignIn(troupe, ownerEmail, ownerPassword, { headers: { cookie: before.cookie } }),
    )
    expect((await before.get('/api/auth/session')).body.error.code).toBe('session_expired')
    expect((await before.get('/api/v1/agent-runs')).body.error.code).toBe('session_expired')
    expect((await after.get('/api/auth/session')).status).toBe(200)
  })

  test('answers the same to an unknown address as to a wrong password', async () => {
    const refused = [
      await trySignIn(troupe, ownerEmail, 'wrong'),
      await trySignIn(troupe, 'nobody@example.com', 'wrong'),
      await trySignIn(troupe, 'nobody@example.com', ownerPassword),
      await trySignIn(troupe, ownerEmail, ''),
      await trySignIn(troupe, ownerEmail, 'x'.repeat(1025)),
      await trySignIn(troupe, 'not an address', ownerPassword),
    ]
    const [first] = refused
    for (const { status, body, headers } of refused) {
      expect(status).toBe(401)
      expect(headers.getSetCookie()).toEqual([])
      expect({ ...body.error, requestId: '' }).toEqual({ ...first!.body.error, requestId: '' })
    }
    expect(first!.body.error.code).toBe('invalid_credentials')
    // the counted failures are reset
    await signIn(troupe)
  })

  test.each([
    ['no body', undefined, 400],
    ['not JSON', '{', 400],
    ['no password', { email: ownerEmail }, 422],
    ['no address', { password: ownerPassword }, 422],
    ['an empty address', { email: '', password: ownerPassword }, 422],
    ['an address of 255 characters', { email: 'x'.repeat(255), password: ownerPassword }, 422],
    ['a password that is a number', { email: ownerEmail, password: 12345678 }, 422],
    ['a list', [ownerEmail, ownerPassword], 422],
    ['an additional field', { email: ownerEmail, password: ownerPassword, remember: true }, 422],
    ['a lone surrogate', `{"email":"${ownerEmail}","password":"\\ud800"}`, 422],
  ])('with %s is refused like other invalid input: %#', async (_, body, status) => {
    const { status: answered } = await troupe.as(null).post('/api/auth/sessions', body, {
      headers: { 'content-type': 'application/json' },
    })
    expect(answered).toBe(status)
  })

  test('accepts only JSON, so that a form of another site cannot send it', async () => {
    const form = `email=${ownerEmail}&password=${ownerPassword}`
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await troupe.as(null).post('/api/auth/sessions', form, { headers })).status).toBe(400)
    const text = JSON.stringify({ email: ownerEmail, password: ownerPassword })
    const plain = { 'content-type': 'text/plain' }
    expect((await troupe.as(null).post('/api/auth/sessions', text, { headers: plain })).status).toBe(400)
  })

  test('requires no credential and ignores one', async () => {
    const headers = { authorization: 'Bearer nonsense', cookie: 'troupe_session=nonsense' }
    expect((await trySignIn(troupe, ownerEmail, ownerPassword, { headers })).status).toBe(200)
  })
})

describe('ten failures for an account from an address', () => {
  test('lock the account there: of 15 concurrent wrong passwords at most ten are checked', async () => {
    const email = 'attacked@example.com'
    const replies = await Promise.all(Array.from({ length: 15 }, () => trySignIn(troupe, email, 'wrong')))
    const counts = Map.groupBy(replies, ({ status }) => status)
    expect(counts.get(401)).toHaveLength(10)
    expect(counts.get(429)).toHaveLength(5)
    for (const { headers, body } of counts.get(429)!) {
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(15 * 60)
      expect(body.error.code).toBe('rate_limited')
    }
  })

  test('refuse the correct password too, in any case of the address, and nobody else', async () => {
    const email = ownerEmail.toUpperCase()
    for (let failure = 1; failure <= 10; failure += 1)
      expect((await trySignIn(troupe, email, 'wrong')).status).toBe(401)
    expect((await trySignIn(troupe, ownerEmail, ownerPassword)).status).toBe(429)
    expect((await trySignIn(troupe, 'somebody-else@example.com', 'wrong')).status).toBe(401)
  })
})

describe('over https', () => {
  test('the cookie is for https and only this host', async () => {
    const secure = await openTroupe({
      environment: { TROUPE_PUBLIC_URL: 'https://troupe.example', TROUPE_RUNNER: 'none' },
    })
    try {
      const reply = await trySignIn(secure, ownerEmail, ownerPassword)
      expect(attributesIn(reply)).toHaveProperty('secure')
      expect(cookieIn(reply)).toStartWith('__Host-troupe_session=')
      const browser = browserOf(secure, reply)
      expect((await browser.get('/api/auth/session')).status).toBe(200)
      // one without the prefix may have been set by another host of the domain
      const planted = { cookie: browser.cookie.replace('__Host-', '') }
      expect((await secure.as(null).get('/api/auth/session', { headers: planted })).status).toBe(401)
      expect(attributesIn(await browser.delete('/api/auth/session'))).toHaveProperty('secure')
    } finally {
      await secure.stop()
    }
  })
})
