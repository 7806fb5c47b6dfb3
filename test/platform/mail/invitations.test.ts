/** Invitations with a mail server: the token is sent only by mail, and accepting it verifies the address. */

import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { api } from '../../support/client.ts'
import { MailServer } from '../../support/services/mail-server.ts'
import { openTroupe, ownerEmail, ownerPassword, type Troupe } from '../../support/troupe.ts'
import { outcome } from '../../support/world/replies.ts'
import {
  accepting,
  type Browser,
  browserOf,
  newOrganization,
  signIn,
  trySignIn,
} from '../../tenancy/sessions/browser.ts'

let post: MailServer
let troupe: Troupe
let root: Browser
beforeAll(async () => {
  post = await MailServer.open()
  troupe = await openTroupe({
    environment: { TROUPE_RUNNER: 'none', TROUPE_RATE_LIMIT_PER_MINUTE: '0', TROUPE_SMTP_URL: post.url },
  })
  root = await signIn(troupe)
})
afterAll(async () => {
  await troupe?.stop()
  await post?.stop()
})

const add = (by: Pick<Browser, 'post'>, organization: string, invited: object) =>
  by.post(`/api/v1/organizations/${organization}/members`, { role: 'member', ...invited })
const accept = (token: string, password = 'a password of theirs') =>
  api(troupe.url).post('/api/auth/invitations', { token, name: 'Somebody', password })
const addressOf = async (browser: Browser) => (await browser.get('/api/auth/verifications')).body.data
const organizationsOf = async (browser: Browser): Promise<string[]> =>
  (await browser.get('/api/auth/session')).body.data.organizations.map(({ id }: { id: string }) => id)

let people = 0
const newAddress = () => `mailed-${++people}@example.com`
/** A user with an account, whose address becomes verified. */
async function someone(email = newAddress(), organization = 'default', role = 'member') {
  await add(root, organization, { email, role })
  return browserOf(troupe, await accept((await post.next(email)).token))
}
/** As an account from before the server had mail. */
const unverify = (userId: string) => {
  const database = new Database(troupe.file, { readwrite: true })
  database.run('pragma busy_timeout = 5000')
  database.run('update users set email_verified_at = null where id = ?', [userId])
  database.close()
}
/** An organization with its own owner. */
async function tenant() {
  const id = await newOrganization(root)
  const owner = await someone(newAddress(), id, 'owner')
  await root.delete(`/api/v1/organizations/${id}/members/${root.userId}`)
  return { id, owner }
}

describe('an invitation by mail', () => {
  test('is answered without its token, which is in a link to the console and is accepted once', async () => {
    const { status, body } = await add(root, 'default', { email: 'Ada@Example.com', role: 'admin' })
    const { id, expiresAt } = body.data.invitation
    expect({ status, body }).toEqual({
      status: 201,
      body: { data: { invitation: { id, email: 'ada@example.com', role: 'admin', expiresAt } } },
    })
    const mail = await post.next('ada@example.com')
    expect(mail.link).toBe(
      `${new URL(troupe.url).protocol}//localhost:${new URL(troupe.url).port}/invitation?token=${mail.token}`,
    )
    expect(mail.token).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(mail.subject).toBe('Invitation to join Default')
    expect(mail.sender).toBe('no-reply@localhost')
    const reply = await accept(mail.token)
    expect(reply.body.data.organizations).toMatchObject([{ slug: 'default', role: 'admin' }])
    expect(await addressOf(browserOf(troupe, reply))).toMatchObject({ verifiedAt: expect.any(String), mail: true })
    expect(outcome(await accept(mail.token))).toBe('401 invalid_credentials')
  })

  test('has the same answer and a mail, whether the address has an account or not', async () => {
    const { id, owner } = await tenant()
    const emails = [(await someone()).session.user.email, ownerEmail, newAddress()]
    const answers = []
    for (const email of emails) {
      const { status, headers, body } = await add(owner, id, { email })
      const { invitation } = body.data
      const text = JSON.stringify(body).replace(invitation.id, 'ID').replace(email, 'EMAIL')
      answers.push({
        status,
        names: [...headers.keys()],
        text: text.replace(invitation.expiresAt, 'AT'),
        subject: (await post.next(email)).subject,
      })
    }
    for (const answer of answers) expect(answer).toEqual(answers[0]!)
  })

  test('reaches an address that a member has not verified, but no member who has', async () => {
    const id = await newOrganization(root)
    const email = newAddress()
    const claimant = await someone(email, id)
    expect(outcome(await add(root, id, { email }))).toBe('409 already_member')
    unverify(claimant.userId)
    expect(outcome(await add(root, id, { email }))).toBe(201)
    const person = browserOf(troupe, await accept((await post.next(email)).token))
    expect(person.userId).not.toBe(claimant.userId)
    expect(await addressOf(person)).toMatchObject({ verifiedAt: expect.any(String) })
    expect(outcome(await add(root, id, { email }))).toBe('409 already_member')
  })

  test('that is repeated sends another mail; only the latest is valid', async () => {
    const email = newAddress()
    await add(root, 'default', { email })
    const first = await post.next(email)
    await add(root, 'default', { email })
    const second = await post.next(email)
    expect(outcome(await accept(first.token))).toBe('401 invalid_credentials')
    expect(outcome(await accept(second.token))).toBe(200)
  })

  test('for an account is sent to its address, which the inviter does not learn; only its session accepts', async () => {
    const { id, owner } = await tenant()
    const [invited, other] = [await someone(), await someone()]
    const { body } = await add(owner, id, { userId: invited.userId })
    expect(body.data.invitation).toMatchObject({ email: null })
    expect(JSON.stringify(body)).not.toContain(invited.session.user.email)
    const { token } = await post.next(invited.session.user.email)
    expect(outcome(await other.post(accepting, { token }))).toBe('401 invalid_credentials')
    expect(outcome(await accept(token))).toBe('409 account_exists')
    expect(outcome(await invited.post(accepting, { token }))).toBe(200)
    expect(await organizationsOf(invited)).toContain(id)
  })

  test.each([
    'two,lines@example.com',
    '<x@example.com',
    '"x"@example.com',
    'x@[127.0.0.1]',
    'x;y@example.com',
    `${'x'.repeat(65)}@example.com`,
  ])('to %s, an unsafe address, is 422', async (email) => {
    const before = post.received.length
    const { status, body } = await add(root, 'default', { email })
    expect({ status, issues: body.error.details.issues }).toEqual({
      status: 422,
      issues: [{ path: '/body/email', message: 'Must be an address that can receive mail.' }],
    })
    expect(post.received).toHaveLength(before)
  })

  test('is limited: the sixth to one address in an hour is 429, for this organization only', async () => {
    const { id, owner } = await tenant()
    const email = newAddress()
    for (let mail = 1; mail <= 5; mail += 1) {
      expect(outcome(await add(owner, id, { email }))).toBe(201)
      await post.next(email)
    }
    const { status, headers, body } = await add(owner, id, { email })
    expect([status, body.error.code]).toEqual([429, 'rate_limited'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(outcome(await add(owner, id, { email: newAddress() }))).toBe(201)
    await post.next()
    expect(outcome(await add(root, 'default', { email }))).toBe(201)
    await post.next(email)
  })
})

describe('a mailed invitation of an address that has an account', () => {
  test('makes no second account if the address is verified: its owner signs in and accepts', async () => {
    const browser = await someone()
    const { email } = browser.session.user
    const { id, owner } = await tenant()
    await add(owner, id, { email, role: 'owner' })
    const { token } = await post.next(email)
    const refused = await accept(token)
    expect(outcome(refused)).toBe('409 account_exists')
    expect(refused.headers.getSetCookie()).toEqual([])
    expect(outcome(await browser.post(accepting, { token }))).toBe(200)
    expect(await organizationsOf(browser)).toContain(id)
  })

  test('also joins an account with another address, and verifies nothing there', async () => {
    const browser = await someone()
    unverify(browser.userId)
    const { id, owner } = await tenant()
    const email = newAddress()
    await add(owner, id, { email })
    const { token } = await post.next(email)
    expect(outcome(await browser.post(accepting, { token }))).toBe(200)
    expect(await addressOf(browser)).toMatchObject({ email: browser.session.user.email, verifiedAt: null })
    // the address still belongs to nobody
    expect(outcome(await trySignIn(troupe, email, 'a password of theirs'))).toBe('401 invalid_credentials')
  })

  test('accepted twice at once for two organizations makes one account', async () => {
    const email = newAddress()
    const [a, b] = [await tenant(), await tenant()]
    const tokens = []
    for (const { id, owner } of [a, b]) {
      await add(owner, id, { email })
      tokens.push((await post.next(email)).token)
    }
    const replies = await Promise.all(tokens.map((token) => accept(token)))
    expect(replies.map(outcome).map(String).toSorted()).toEqual(['200', '409 account_exists'])
    const won = replies.findIndex(({ status }) => status === 200)
    const browser = browserOf(troupe, replies[won]!)
    expect(outcome(await browser.post(accepting, { token: tokens[1 - won]! }))).toBe(200)
    expect((await organizationsOf(browser)).toSorted()).toEqual([a.id, b.id].toSorted())
  })
})

describe('an earlier account, made with a token that the inviter saw', () => {
  /** Its address is not verified, since no mail was sent. */
  async function claimed(email: string) {
    const { id, owner } = await tenant()
    await add(owner, id, { email })
    const { token } = await post.next(email)
    const browser = browserOf(troupe, await accept(token, 'chosen by somebody'))
    unverify(browser.userId)
    return { browser, id }
  }
  test('gains nothing when another organization invites the address: the mail makes a separate account', async () => {
    const email = 'ceo@bigcorp.example'
    const hijacker = await claimed(email)
    const b = await tenant()
    await add(b.owner, b.id, { email, role: 'owner' })
    const { token } = await post.next(email)
    const ceo = browserOf(troupe, await accept(token, 'chosen by the ceo'))
    expect(ceo.userId).not.toBe(hijacker.browser.userId)
    expect(await organizationsOf(ceo)).toEqual([b.id])
    expect(await organizationsOf(hijacker.browser)).toEqual([hijacker.id])
    expect((await addressOf(ceo)).verifiedAt).not.toBeNull()
    expect((await addressOf(hijacker.browser)).verifiedAt).toBeNull()
    expect((await signIn(troupe, email, 'chosen by the ceo')).userId).toBe(ceo.userId)
    expect((await signIn(troupe, email, 'chosen by somebody')).userId).toBe(hijacker.browser.userId)
  })

  test('gets its address verified by accepting what its own mailbox received', async () => {
    const email = newAddress()
    const { browser } = await claimed(email)
    const b = await tenant()
    await add(b.owner, b.id, { email })
    const { token } = await post.next(email)
    expect(outcome(await browser.post(accepting, { token }))).toBe(200)
    expect((await addressOf(browser)).verifiedAt).not.toBeNull()
    // from now on an invitation of the address makes no other account
    const c = await tenant()
    await add(c.owner, c.id, { email })
    expect(outcome(await accept((await post.next(email)).token))).toBe('409 account_exists')
  })

  test('joins without being verified if the address was verified for another account meanwhile', async () => {
    const email = newAddress()
    const { browser } = await claimed(email)
    const b = await tenant()
    await add(b.owner, b.id, { email })
    const first = await post.next(email)
    const verified = browserOf(troupe, await accept(first.token, 'chosen by the owner'))
    const c = await tenant()
    await add(c.owner, c.id, { email })
    const { token } = await post.next(email)
    expect(outcome(await browser.post(accepting, { token }))).toBe(200)
    expect((await addressOf(browser)).verifiedAt).toBeNull()
    expect((await addressOf(verified)).verifiedAt).not.toBeNull()
  })
})

test('the owner of the first start is verified', async () => {
  const { body } = await (await signIn(troupe, ownerEmail, ownerPassword)).get('/api/auth/verifications')
  expect(body.data).toMatchObject({ email: ownerEmail, verifiedAt: expect.any(String) })
})

test('no token of a mail is in the store or in the log', async () => {
  const email = newAddress()
  await add(root, 'default', { email })
  const { token } = await post.next(email)
  const rows = await Bun.file(troupe.file).text()
  const wal = await Bun.file(`${troupe.file}-wal`).text()
  expect(rows + wal).toContain(email)
  expect(rows + wal + JSON.stringify(troupe.lines)).not.toContain(token)
})
