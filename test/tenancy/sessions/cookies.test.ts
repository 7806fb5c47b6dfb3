import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { type Browser, signIn } from './browser.ts'

let troupe: Troupe
let browser: Browser
let other: Browser
beforeAll(async () => {
  troupe = await openTroupe({ environment: { TROUPE_RUNNER: 'none', TROUPE_RATE_LIMIT_PER_MINUTE: '0' } })
  browser = await signIn(troupe)
  other = await signIn(troupe)
})
afterAll(() => troupe?.stop())

const paths = ['/api/auth/session', '/api/v1/agent-runs'] as const
const token = () => browser.cookie.split('=')[1]!

describe('a cookie', () => {
  test.each(paths)('signs in to %s, also among other cookies', async (path) => {
    for (const cookie of [browser.cookie, `theme=dark; ${browser.cookie}; lang=de`, `${browser.cookie};`]) {
      expect((await troupe.as(null).get(path, { headers: { cookie } })).status).toBe(200)
    }
  })

  const hostile: [string, () => string][] = [
    ['empty', () => 'troupe_session='],
    ['without a value', () => 'troupe_session'],
    ['with another name', () => `troupe_sessions=${token()}`],
    ['huge', () => `troupe_session=${'x'.repeat(8_000)}`],
    ['with additional characters', () => `troupe_session=${token()}x`],
    ['cut short', () => `troupe_session=${token().slice(1)}`],
    ['in quotes', () => `troupe_session="${token()}"`],
    ['badly encoded', () => 'troupe_session=%E0%A4%A'],
    ['all separators', () => ';;;==;=troupe_session;;'],
    ['with an SQL quote', () => `troupe_session=' or 1=1 --`],
    ['of an unknown session', () => `troupe_session=${'x'.repeat(43)}`],
    ['with the form of its id', () => `troupe_session=${new Bun.CryptoHasher('sha256').update(token()).digest('hex')}`],
  ]
  for (const path of paths) {
    test.each(hostile)(`that is %s is 401 at ${path}`, async (_, cookie) => {
      const { status, headers } = await troupe.as(null).get(path, { headers: { cookie: cookie() } })
      expect(status).toBe(401)
      expect(headers.getSetCookie()).toEqual([])
    })
  }

  test.each(paths)('given twice is one of the two at %s, and never a server error', async (path) => {
    const twice = [`${browser.cookie}; ${other.cookie}`, `${browser.cookie}; ${browser.cookie}`]
    for (const cookie of twice) expect((await troupe.as(null).get(path, { headers: { cookie } })).status).toBe(200)
    const mixed = await troupe.as(null).get(path, { headers: { cookie: `${browser.cookie}; troupe_session=x` } })
    expect([200, 401]).toContain(mixed.status)
  })

  test('of an ended session is 401 session_expired, none is 401 unauthenticated', async () => {
    const headers = { cookie: `troupe_session=${'x'.repeat(43)}` }
    expect((await troupe.as(null).get('/api/auth/session', { headers })).body.error.code).toBe('session_expired')
    expect((await troupe.as(null).get('/api/auth/session')).body.error.code).toBe('unauthenticated')
  })
})

describe('an API key', () => {
  const body = { current: 'x', new: 'x' }
  test.each([
    ['get', () => troupe.owner.get('/api/auth/session')],
    ['delete', () => troupe.owner.delete('/api/auth/session')],
    ['change the password', () => troupe.owner.post('/api/auth/password', body)],
  ])('has no session to %s: 401, before the body is validated', async (_, call) => {
    const { status, body } = await call()
    expect({ status, code: body.error.code }).toEqual({ status: 401, code: 'unauthenticated' })
  })

  test('beside a cookie takes precedence', async () => {
    const headers = { cookie: browser.cookie }
    expect((await troupe.owner.get('/api/auth/session', { headers })).body.error.code).toBe('unauthenticated')
    const refused = await troupe.as('trp_nonsense').get('/api/auth/session', { headers })
    expect({ status: refused.status, code: refused.body.error.code }).toEqual({ status: 401, code: 'invalid_api_key' })
  })
})
