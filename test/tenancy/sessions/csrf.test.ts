import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openTroupe, ownerPassword, type Troupe } from '../../support/troupe.ts'
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

const run = { agentId: 'agt_system_assistant', query: 'Hello' }
const passwords = { current: ownerPassword, new: ownerPassword }

const changes: [string, string, object | undefined][] = [
  ['POST', '/api/v1/agent-runs', run],
  ['POST', '/api/auth/password', passwords],
  ['DELETE', '/api/auth/session', undefined],
]
const tokens: [string, () => Record<string, string>][] = [
  ['missing', () => ({})],
  ['empty', () => ({ 'x-csrf-token': '' })],
  ['wrong', () => ({ 'x-csrf-token': 'x'.repeat(43) })],
  ['cut short', () => ({ 'x-csrf-token': browser.csrfToken.slice(1) })],
  ["another session's", () => ({ 'x-csrf-token': other.csrfToken })],
  ["the cookie's", () => ({ 'x-csrf-token': browser.cookie.split('=')[1]! })],
]
const matrix = changes.flatMap(([method, path, body]) =>
  tokens.map(([what, token]) => ({ what, method, path, body, token })),
)

describe("a session's change", () => {
  test.each(matrix)(
    '$method $path is 403 csrf_required when the token is $what',
    async ({ method, path, body, token }) => {
      const headers = { cookie: browser.cookie, ...token() }
      const reply = await troupe.as(null).call(method, path, body, { headers })
      expect({ status: reply.status, code: reply.body.error.code }).toEqual({ status: 403, code: 'csrf_required' })
    },
  )

  test('is refused for its token before its body is validated', async () => {
    const headers = { cookie: browser.cookie }
    expect((await troupe.as(null).post('/api/v1/agent-runs', { nonsense: true }, { headers })).status).toBe(403)
  })

  test('succeeds with the token', async () => {
    expect((await browser.post('/api/v1/agent-runs', run)).status).toBe(200)
  })

  test('does not affect the session when it is refused', async () => {
    expect((await browser.get('/api/auth/session')).status).toBe(200)
  })
})

test.each(['/api/v1/agent-runs', '/api/auth/session'])('GET and HEAD of %s require no token', async (path) => {
  const headers = { cookie: browser.cookie }
  expect((await troupe.as(null).get(path, { headers })).status).toBe(200)
  expect((await troupe.as(null).head(path, { headers })).status).toBe(200)
})

test('an API key requires no token, also beside a cookie', async () => {
  expect((await troupe.owner.post('/api/v1/agent-runs', run)).status).toBe(200)
  const headers = { cookie: browser.cookie }
  expect((await troupe.owner.post('/api/v1/agent-runs', run, { headers })).status).toBe(200)
})

test('the token stays the same while the session lives', async () => {
  expect((await browser.get('/api/auth/session')).body.data.csrfToken).toBe(browser.csrfToken)
})
