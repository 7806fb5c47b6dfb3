/** Resetting a password by mail. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { hashPassword } from '../../../src/tenancy/sessions/passwords.ts'
import { newId } from '../../../storage/ids.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { api, type Client } from '../../support/client.ts'
import { MailServer } from '../../support/services/mail-server.ts'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { outcome } from '../../support/world/replies.ts'
import { Tenancy } from '../../support/world/tenancy.ts'
import { signIn, trySignIn } from '../../tenancy/sessions/browser.ts'

const path = '/api/auth/password-resets'
const hour = 3_600_000
const before = 'the password from before'
const clock = new HandClock()
let post: MailServer
let troupe: Troupe
let tenancy: Tenancy
let hash: string
beforeAll(async () => {
  post = await MailServer.open()
  hash = await hashPassword(before)
  troupe = await openTroupe({
    clock,
    environment: {
      TROUPE_RUNNER: 'none',
      TROUPE_RATE_LIMIT_PER_MINUTE: '0',
      TROUPE_SMTP_URL: post.url,
      TROUPE_TRUSTED_PROXIES: '1',
    },
  })
  tenancy = new Tenancy(troupe.file, () => clock.now())
})
afterEach(() => expect(post.unread).toBe(0))
afterAll(async () => {
  tenancy?.close()
  await troupe?.stop()
  await post?.stop()
})

let people = 0
function user({ verified = true, email = `forgetful-${++people}@example.com` } = {}) {
  const id = newId('usr')
  tenancy.insert('users', {
    id,
    email,
    name: 'Ada',
    password_hash: hash,
    created_at: clock.now(),
    email_verified_at: verified ? clock.now() : null,
  })
  tenancy.member(organizationId(), id, 'member')
  return { id, email }
}
const organizationId = () => tenancy.all<{ id: string }>("select id from organizations where slug = 'default'")[0]!.id

let clients = 0
/** Requests from an unknown client. */
async function ask(email: string, client = `192.0.2.${++clients % 250}`) {
  const reply = await api(troupe.url).post(path, { email }, { headers: { 'x-forwarded-for': client } })
  // the address is looked up after the answer
  clock.advance(100)
  return reply
}
const set = (token: string, password = 'a new password', by: Client = api(troupe.url)) =>
  by.put(`${path}/${token}`, { password })
const tokenFor = async (email: string) => {
  await ask(email)
  return (await post.next(email)).token
}

describe('requesting a new password', () => {
  test('has the same answer for every address; only a verified one gets a mail', async () => {
    const { email } = user()
    const replies = []
    for (const each of [user({ verified: false }).email, 'nobody@example.com', 'not an address', email.toUpperCase()]) {
      replies.push(await ask(each))
    }
    for (const { status, body, headers } of replies) {
      expect([status, body]).toEqual([202, { data: { mail: true } }])
      expect([...headers.keys()]).toEqual([...replies[0]!.headers.keys()])
      expect(headers.get('content-length')).toBe(replies[0]!.headers.get('content-length'))
    }
    const mail = await post.next(email)
    expect(mail.subject).toBe('Set a new password')
    expect(mail.link).toEndWith(`/password-reset?token=${mail.token}`)
    expect(post.attempts).toEqual([email])
  })

  test('sends at most three mails in an hour, and the answer stays the same', async () => {
    const { email } = user()
    const tokens = []
    for (let time = 1; time <= 3; time += 1) tokens.push(await tokenFor(email))
    for (let time = 1; time <= 3; time += 1) expect((await ask(email)).status).toBe(202)
    // all sent tokens are valid, so that requests of others do not prevent a reset
    expect(outcome(await set(tokens[0]!))).toBe(204)
    for (const token of tokens) expect(outcome(await set(token))).toBe('404 not_found')
  })

  test('is limited to ten requests per client in a quarter of an hour', async () => {
    for (let time = 1; time <= 10; time += 1) expect((await ask('nobody@example.com', '198.51.100.7')).status).toBe(202)
    const { status, headers, body } = await ask('nobody@example.com', '198.51.100.7')
    expect([status, body.error.code]).toEqual([429, 'rate_limited'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await ask('nobody@example.com')).status).toBe(202)
  })

  test('counts the addresses of an IPv6 network as one client', async () => {
    const from = (host: number) => `2001:db8:7:1::${host.toString(16)}`
    for (let time = 1; time <= 10; time += 1) expect((await ask('nobody@example.com', from(time))).status).toBe(202)
    expect(outcome(await ask('nobody@example.com', from(11)))).toBe('429 rate_limited')
    expect((await ask('nobody@example.com', '2001:db8:7:2::1')).status).toBe(202)
  })

  test('of an address with several accounts is for the one that verified it', async () => {
    const email = `shared-${++people}@example.com`
    const [claimed, verified] = [user({ verified: false, email }), user({ email })]
    expect(outcome(await set(await tokenFor(email)))).toBe(204)
    expect((await signIn(troupe, email, 'a new password')).userId).toBe(verified.id)
    expect((await signIn(troupe, email, before)).userId).toBe(claimed.id)
  })

  test.each([
    ['no address', {}],
    ['an empty address', { email: '' }],
    ['an address of 255 characters', { email: 'x'.repeat(255) }],
    ['a number', { email: 1 }],
    ['an additional field', { email: 'ada@example.com', name: 'Ada' }],
  ])('with %s is 422', async (_, body) => {
    const headers = { 'x-forwarded-for': '203.0.113.9' }
    expect((await api(troupe.url).post(path, body, { headers })).status).toBe(422)
  })
})

describe('setting a new password', () => {
  test('works once, ends all sessions, and keeps the API keys', async () => {
    const { id, email } = user()
    const [one, other] = [await signIn(troupe, email, before), await signIn(troupe, email, before)]
    const key = troupe.as(tenancy.key(organizationId(), id, ['organizations:get']).secret)
    const token = await tokenFor(email)
    const reply = await set(token)
    expect([reply.status, reply.body]).toEqual([204, undefined])
    expect(reply.headers.getSetCookie()).toEqual([])
    for (const browser of [one, other]) {
      expect(outcome(await browser.get('/api/auth/session'))).toBe('401 session_expired')
      expect(outcome(await browser.get('/api/v1/organizations/default'))).toBe('401 session_expired')
    }
    expect(outcome(await key.get('/api/v1/organizations/default'))).toBe(200)
    expect(outcome(await trySignIn(troupe, email, before))).toBe('401 invalid_credentials')
    expect((await signIn(troupe, email, 'a new password')).userId).toBe(id)
    expect(outcome(await set(token, 'yet another password'))).toBe('404 not_found')
    await signIn(troupe, email, 'a new password')
  })

  test('is no longer possible with an earlier mail once the password was changed', async () => {
    const { email } = user()
    const token = await tokenFor(email)
    const browser = await signIn(troupe, email, before)
    expect(outcome(await browser.post('/api/auth/password', { current: before, new: 'a changed password' }))).toBe(204)
    expect(outcome(await set(token))).toBe('404 not_found')
    await signIn(troupe, email, 'a changed password')
  })

  test('eight times at once with one token: one password is set', async () => {
    const { email } = user()
    const token = await tokenFor(email)
    const passwords = Array.from({ length: 8 }, (_, index) => `password number ${index}`)
    const replies = await Promise.all(passwords.map((password) => set(token, password)))
    expect(replies.map(outcome).map(String).toSorted()).toEqual(['204', ...Array(7).fill('404 not_found')])
    const won = replies.findIndex(({ status }) => status === 204)
    await signIn(troupe, email, passwords[won]!)
  })

  test('is possible for an hour', async () => {
    const { email } = user()
    const token = await tokenFor(email)
    clock.advance(hour)
    expect(outcome(await set(token))).toBe('404 not_found')
    await signIn(troupe, email, before)
  })

  test.each([
    ['too short', { password: 'x'.repeat(7) }],
    ['too long', { password: 'x'.repeat(2000) }],
    ['missing', {}],
    ['a number', { password: 12345678 }],
    ['beside another field', { password: 'a new password', email: 'ada@example.com' }],
  ])('that is %s is 422 and keeps the token', async (_, body) => {
    const { email } = user()
    const token = await tokenFor(email)
    const { status, body: refused } = await api(troupe.url).put(`${path}/${token}`, body)
    expect(status).toBe(422)
    expect(refused.error.details.issues[0].path).toStartWith('/body/')
    expect(outcome(await set(token))).toBe(204)
  })

  test.each(['x', 'x'.repeat(43), 'x'.repeat(300), '%00', '%ff'])(
    'with the token %s is 404, whatever the body',
    async (token) => {
      expect(outcome(await set(token))).toBe('404 not_found')
      expect(outcome(await set(token, 'short'))).toBe('404 not_found')
    },
  )

  test('accepts no token of a verification or an invitation', async () => {
    const { id, email } = user({ verified: false })
    const browser = await signIn(troupe, email, before)
    await browser.post('/api/auth/verifications')
    const { token } = await post.next(email)
    expect(outcome(await set(token))).toBe('404 not_found')
    // nor when the address was verified in another way
    tenancy.run('update users set email_verified_at = ? where id = ?', clock.now(), id)
    expect(outcome(await set(token))).toBe('404 not_found')
    await troupe.owner.post('/api/v1/organizations/default/members', { email: 'new@example.com', role: 'member' })
    expect(outcome(await set((await post.next('new@example.com')).token))).toBe('404 not_found')
    expect(outcome(await browser.put(`/api/auth/verifications/${await tokenFor(email)}`))).toBe('404 not_found')
  })

  test("is in the audit log of the user's organizations", async () => {
    const { id, email } = user()
    const { requestId } = await set(await tokenFor(email))
    const { body } = await troupe.owner.get('/api/v1/organizations/default/audit-events')
    const lines = body.data.items.filter((item: { requestId: string }) => item.requestId === requestId)
    expect(lines).toMatchObject([
      { actor: { type: 'user', id }, operation: 'resetPassword', outcome: 'allowed', changed: ['password'] },
    ])
  })
})

test('refused tokens are in no log', async () => {
  const debugging = await openTroupe({
    environment: { TROUPE_RUNNER: 'none', TROUPE_SMTP_URL: post.url },
    logLevel: 'debug',
  })
  try {
    const token = 'a-token-that-nobody-has-made-0123456789abcd'
    expect(outcome(await set(token, 'a new password', api(debugging.url)))).toBe('404 not_found')
    expect(outcome(await (await signIn(debugging)).put(`/api/auth/verifications/${token}`))).toBe('404 not_found')
    expect(JSON.stringify(debugging.lines)).toContain('/api/auth/password-resets/')
    expect(JSON.stringify(debugging.lines)).not.toContain(token)
  } finally {
    await debugging.stop()
  }
})

test('without a mail server, the answer says so for every address', async () => {
  const without = await openTroupe({ environment: { TROUPE_RUNNER: 'none' } })
  try {
    for (const email of ['owner@localhost', 'nobody@example.com']) {
      const { status, body } = await api(without.url).post(path, { email })
      expect([status, body]).toEqual([202, { data: { mail: false } }])
    }
  } finally {
    await without.stop()
  }
})
