/** Verification of the address of a signed-in user. */

import { Database } from 'bun:sqlite'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { api } from '../../support/client.ts'
import { eventually } from '../../support/process.ts'
import { MailServer } from '../../support/services/mail-server.ts'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { outcome } from '../../support/world/replies.ts'
import { Tenancy } from '../../support/world/tenancy.ts'
import { type Browser, browserOfUser, signIn } from '../../tenancy/sessions/browser.ts'

const path = '/api/auth/verifications'
const day = 24 * 3_600_000
const clock = new HandClock()
let post: MailServer
let troupe: Troupe
let tenancy: Tenancy
beforeAll(async () => {
  post = await MailServer.open()
  troupe = await openTroupe({
    clock,
    environment: {
      TROUPE_RUNNER: 'none',
      TROUPE_RATE_LIMIT_PER_MINUTE: '0',
      TROUPE_SMTP_URL: post.url,
      TROUPE_MAIL_FROM: 'Troupe of Example <troupe@example.com>',
      TROUPE_CONSOLE_URL: 'https://console.example.com',
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
/** A signed-in user with this address. */
async function claimant(email = `claimant-${++people}@example.com`): Promise<Browser & { email: string }> {
  const id = newId('usr')
  tenancy.insert('users', {
    id,
    email,
    name: 'Ada',
    password_hash: '-',
    created_at: clock.now(),
    email_verified_at: null,
  })
  tenancy.member(organizationId(), id, 'member')
  return { ...(await browserOfUser(troupe, tenancy, id)), email }
}
const organizationId = () => tenancy.all<{ id: string }>("select id from organizations where slug = 'default'")[0]!.id
const verify = (browser: Pick<Browser, 'put'>, token: string) => browser.put(`${path}/${token}`)
const stateOf = async (browser: Browser) => (await browser.get(path)).body.data

describe('verifying an address', () => {
  test('requires the mail and the session that requested it, once', async () => {
    const browser = await claimant()
    const { email } = browser
    expect(await stateOf(browser)).toEqual({ email, verifiedAt: null, mail: true })
    const asked = await browser.post(path)
    expect([asked.status, asked.body]).toEqual([202, { data: { email, verifiedAt: null, mail: true } }])
    const mail = await post.next(email)
    expect(mail.link).toBe(`https://console.example.com/verification?token=${mail.token}`)
    expect(mail.sender).toBe('troupe@example.com')
    expect(mail.head).toContain('From: Troupe of Example <troupe@example.com>')

    const reply = await verify(browser, mail.token)
    const verifiedAt = new Date(clock.now()).toISOString()
    expect([reply.status, reply.body]).toEqual([200, { data: { email, verifiedAt, mail: true } }])
    expect(await stateOf(browser)).toEqual({ email, verifiedAt, mail: true })
    expect(outcome(await verify(browser, mail.token))).toBe('404 not_found')
    expect(outcome(await browser.post(path))).toBe('409 address_verified')
  })

  test("is not possible with the mail alone: another account's token is 404, and without a session it is 401", async () => {
    const [browser, other] = [await claimant(), await claimant()]
    await browser.post(path)
    const { token } = await post.next(browser.email)
    expect(outcome(await verify(other, token))).toBe('404 not_found')
    expect(outcome(await verify(await signIn(troupe), token))).toBe('404 not_found')
    const anonymous = api(troupe.url)
    expect(outcome(await anonymous.put(`${path}/${token}`))).toBe('401 unauthenticated')
    expect(outcome(await troupe.owner.put(`${path}/${token}`))).toBe('401 unauthenticated')
    const { cookie } = browser
    expect(outcome(await anonymous.put(`${path}/${token}`, undefined, { headers: { cookie } }))).toBe(
      '403 csrf_required',
    )
    expect((await stateOf(browser)).verifiedAt).toBeNull()
    expect(outcome(await verify(browser, token))).toBe(200)
  })

  test.each(['x', 'x'.repeat(43), 'x'.repeat(300), "'%20or%201=1", '%00', '%ff'])(
    'with the token %s is 404',
    async (token) => {
      expect(outcome(await verify(await claimant(), token))).toBe('404 not_found')
    },
  )

  test('is possible for a day', async () => {
    const browser = await claimant()
    await browser.post(path)
    const { token } = await post.next(browser.email)
    clock.advance(day)
    const later = await browserOfUser(troupe, tenancy, browser.userId)
    expect(outcome(await verify(later, token))).toBe('404 not_found')
    await later.post(path)
    expect(outcome(await verify(later, (await post.next(browser.email)).token))).toBe(200)
  })

  test('of an address that another account has verified is 409, which the request did not reveal', async () => {
    const email = `taken-${++people}@example.com`
    const [first, second] = [await claimant(email), await claimant(email)]
    await first.post(path)
    expect(outcome(await verify(first, (await post.next(email)).token))).toBe(200)
    const asked = await second.post(path)
    expect([asked.status, asked.body.data]).toEqual([202, { email, verifiedAt: null, mail: true }])
    const { token } = await post.next(email)
    for (let time = 0; time < 2; time += 1) expect(outcome(await verify(second, token))).toBe('409 address_taken')
    expect((await stateOf(second)).verifiedAt).toBeNull()
  })

  test('of one address by four accounts at once: one succeeds', async () => {
    const email = `raced-${++people}@example.com`
    const browsers = []
    for (let index = 0; index < 4; index += 1) {
      const browser = await claimant(email)
      await browser.post(path)
      browsers.push({ browser, token: (await post.next(email)).token })
    }
    const replies = await Promise.all(browsers.map(({ browser, token }) => verify(browser, token)))
    expect(replies.map(outcome).map(String).toSorted()).toEqual(['200', ...Array(3).fill('409 address_taken')])
    const verified = tenancy.all('select id from users where email = ? and email_verified_at is not null', email)
    expect(verified).toHaveLength(1)
  })

  test('with one token eight times at once happens once', async () => {
    const browser = await claimant()
    await browser.post(path)
    const { token } = await post.next(browser.email)
    const replies = await Promise.all(Array.from({ length: 8 }, () => verify(browser, token)))
    expect(replies.map(outcome).map(String).toSorted()).toEqual(['200', ...Array(7).fill('404 not_found')])
  })

  test('can be requested five times in an hour; all mails are valid until one is used', async () => {
    const browser = await claimant()
    const tokens = []
    for (let mail = 1; mail <= 5; mail += 1) {
      expect(outcome(await browser.post(path))).toBe(202)
      tokens.push((await post.next(browser.email)).token)
    }
    const { status, headers } = await browser.post(path)
    expect(status).toBe(429)
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(outcome(await verify(browser, tokens[0]!))).toBe(200)
    expect(outcome(await verify(browser, tokens[4]!))).toBe('404 not_found')
  })

  test("is in the audit log of the user's organizations", async () => {
    const browser = await claimant()
    await browser.post(path)
    const { requestId } = await verify(browser, (await post.next(browser.email)).token)
    const { body } = await troupe.owner.get('/api/v1/organizations/default/audit-events')
    const lines = body.data.items.filter((item: { requestId: string }) => item.requestId === requestId)
    expect(lines).toMatchObject([{ operation: 'verifyAddress', outcome: 'allowed', changed: [] }])
  })
})

test('expired tokens are removed', async () => {
  const browser = await claimant()
  await browser.post(path)
  await post.next(browser.email)
  const database = new Database(troupe.file, { readonly: true })
  const count = () => database.query<{ count: number }, []>('select count(*) as count from account_tokens').get()!.count
  expect(count()).toBeGreaterThan(0)
  clock.advance(day)
  await eventually('the removal of the tokens', () => count() === 0)
  database.close()
})

describe('without a mail server', () => {
  test('the request says so, and the address stays unverified', async () => {
    const without = await openTroupe({ environment: { TROUPE_RUNNER: 'none' } })
    const beside = new Tenancy(without.file)
    try {
      const id = newId('usr')
      const email = 'ada@example.com'
      const at = Date.now()
      beside.insert('users', { id, email, name: 'Ada', password_hash: '-', created_at: at, email_verified_at: null })
      const browser = await browserOfUser(without, beside, id)
      expect((await browser.get(path)).body.data).toEqual({ email, verifiedAt: null, mail: false })
      const { status, headers, body } = await browser.post(path)
      expect([status, body.error.code, body.error.message]).toEqual([
        503,
        'mail_unconfigured',
        'This server cannot send mail: set TROUPE_SMTP_URL.',
      ])
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    } finally {
      beside.close()
      await without.stop()
    }
  })
})
