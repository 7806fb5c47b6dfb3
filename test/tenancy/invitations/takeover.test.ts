/** Accounts cannot be taken over in advance: an unverified address proves nothing, finds nobody and blocks nobody. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { api } from '../../support/client.ts'
import { openTroupe, ownerEmail, ownerPassword, type Troupe } from '../../support/troupe.ts'
import { outcome } from '../../support/world/replies.ts'
import { Tenancy } from '../../support/world/tenancy.ts'
import { type Browser, browserOf, invite, newOrganization, signIn, trySignIn } from '../sessions/browser.ts'

let troupe: Troupe
let root: Browser
beforeAll(async () => {
  troupe = await openTroupe({ environment: { TROUPE_RUNNER: 'none', TROUPE_RATE_LIMIT_PER_MINUTE: '0' } })
  root = await signIn(troupe)
})
afterAll(() => troupe?.stop())

let tenants = 0
/** An organization with an unrelated owner. */
async function tenant() {
  tenants += 1
  const slug = `tenant-${tenants}`
  const id = await newOrganization(root, slug)
  const { token } = await invite(root, id, `owner-of-${slug}@example.com`, 'owner')
  const name = 'Owner'
  const reply = await api(troupe.url).post('/api/auth/invitations', { token, name, password: `password of ${slug}` })
  const owner = browserOf(troupe, reply)
  // the creator of the organization is no longer a member
  await root.delete(`/api/v1/organizations/${id}/members/${root.userId}`)
  return { id, slug, owner }
}
const accept = (token: string, password: string) =>
  api(troupe.url).post('/api/auth/invitations', { token, name: 'Somebody', password })
const organizationsOf = async (browser: Pick<Browser, 'get'>): Promise<string[]> =>
  (await browser.get('/api/auth/session')).body.data.organizations.map(({ id }: { id: string }) => id)

test('an account that one tenant created for an address is not the owner that another tenant invites by it', async () => {
  const [a, b] = [await tenant(), await tenant()]
  const email = 'ceo@bigcorp.example'
  // tenant A sees the token of its own invitation, and accepts it with its own password
  const hijacker = browserOf(troupe, await accept((await invite(a.owner, a.id, email)).token, 'chosen by tenant A'))
  const before = await hijacker.get('/api/auth/session')

  const added = await b.owner.post(`/api/v1/organizations/${b.id}/members`, { email, role: 'owner' })
  expect(added.status).toBe(201)
  expect(await organizationsOf(hijacker)).toEqual([a.id])
  expect(outcome(await hijacker.get(`/api/v1/organizations/${b.id}`))).toBe('404 not_found')
  expect((await b.owner.get(`/api/v1/organizations/${b.id}/members`)).body.data.items).toHaveLength(1)

  // the invited user gets a separate account, with their own password
  const ceo = browserOf(troupe, await accept(added.body.data.invitation.token, 'chosen by the ceo'))
  expect(ceo.userId).not.toBe(hijacker.userId)
  expect(await organizationsOf(ceo)).toEqual([b.id])
  expect(await organizationsOf(hijacker)).toEqual([a.id])
  expect((await hijacker.get('/api/auth/session')).body).toEqual(before.body)

  // and each signs in with their own password, the attacker never as the owner of B
  expect((await signIn(troupe, email, 'chosen by the ceo')).userId).toBe(ceo.userId)
  expect((await signIn(troupe, email, 'chosen by tenant A')).userId).toBe(hijacker.userId)
  expect(outcome(await trySignIn(troupe, email, 'chosen by tenant A', { organization: b.slug }))).toBe(
    '401 invalid_credentials',
  )
})

test('the other way around: a later user takes nothing from the existing account', async () => {
  const [a, b] = [await tenant(), await tenant()]
  const email = 'cfo@bigcorp.example'
  const cfo = browserOf(troupe, await accept((await invite(b.owner, b.id, email, 'admin')).token, 'chosen by the cfo'))
  const { token } = await invite(a.owner, a.id, email)
  const hijacker = browserOf(troupe, await accept(token, 'chosen by tenant A'))
  expect(hijacker.userId).not.toBe(cfo.userId)
  expect(await organizationsOf(hijacker)).toEqual([a.id])
  expect((await signIn(troupe, email, 'chosen by the cfo')).userId).toBe(cfo.userId)
  // leaving removes the attacker's account, and no invitation of the address elsewhere
  const pending = await invite(b.owner, b.id, 'other@bigcorp.example')
  expect(outcome(await hijacker.delete(`/api/v1/organizations/${a.id}/members/${hijacker.userId}`))).toBe(204)
  expect(await organizationsOf(cfo)).toEqual([b.id])
  expect(outcome(await accept(pending.token, 'chosen by another'))).toBe(200)
})

test('an account with the verified address of the first owner is a separate account', async () => {
  const a = await tenant()
  const { token } = await invite(a.owner, a.id, ownerEmail)
  const hijacker = browserOf(troupe, await accept(token, 'chosen by tenant A'))
  expect(hijacker.userId).not.toBe(root.userId)
  expect((await signIn(troupe, ownerEmail, ownerPassword)).userId).toBe(root.userId)
  expect((await signIn(troupe, ownerEmail, 'chosen by tenant A')).userId).toBe(hijacker.userId)
  expect(await organizationsOf(hijacker)).toEqual([a.id])
})

test('a user with an unverified address leaves an organization, and an invitation of the address stays there', async () => {
  const [a, b] = [await tenant(), await tenant()]
  const email = 'cto@bigcorp.example'
  const claimant = browserOf(troupe, await accept((await invite(a.owner, a.id, email)).token, 'chosen by tenant A'))
  const ofAddress = await invite(b.owner, b.id, email)
  const ofAccount = await b.owner.post(`/api/v1/organizations/${b.id}/members`, {
    userId: claimant.userId,
    role: 'member',
  })
  const { token } = ofAccount.body.data.invitation
  expect(outcome(await claimant.post('/api/auth/invitations/accept', { token }))).toBe(200)
  expect(outcome(await claimant.delete(`/api/v1/organizations/${b.id}/members/${claimant.userId}`))).toBe(204)
  expect(outcome(await accept(ofAddress.token, 'chosen by the cto'))).toBe(200)
})

describe('an address of several accounts', () => {
  /** Accounts with one address, each in its own organization; oldest first. */
  async function accounts(email: string, count: number) {
    const made = []
    for (let index = 0; index < count; index += 1) {
      const at = await tenant()
      const password = `password number ${index}`
      const { userId } = browserOf(troupe, await accept((await invite(at.owner, at.id, email)).token, password))
      made.push({ ...at, password, userId })
    }
    return made
  }

  test('lets each of the five oldest sign in with their own password; later ones name their organization', async () => {
    const email = 'shared@example.com'
    const made = await accounts(email, 6)
    for (const { password, userId } of made.slice(0, 5)) {
      expect((await signIn(troupe, email, password)).userId).toBe(userId)
    }
    const sixth = made[5]!
    expect(outcome(await trySignIn(troupe, email, sixth.password))).toBe('401 invalid_credentials')
    for (const { password, userId, slug } of made) {
      const reply = await trySignIn(troupe, email, password, { organization: slug })
      expect([reply.status, reply.body.data?.user.id]).toEqual([200, userId])
    }
    expect(outcome(await trySignIn(troupe, email, sixth.password, { organization: made[0]!.slug }))).toBe(
      '401 invalid_credentials',
    )
  })

  test('signs in the one that has verified it, however many claim it, and only within its organizations', async () => {
    const email = 'proven@example.com'
    const made = await accounts(email, 7)
    const { password, userId, slug } = made[6]!
    const tenancy = new Tenancy(troupe.file)
    tenancy.run('update users set email_verified_at = created_at where id = ?', userId)
    tenancy.close()
    expect((await signIn(troupe, email, password)).userId).toBe(userId)
    const { body } = await trySignIn(troupe, email, password, { organization: slug })
    expect(body.data.user.id).toBe(userId)
    const elsewhere = await trySignIn(troupe, email, password, { organization: made[0]!.slug })
    expect(outcome(elsewhere)).toBe('401 invalid_credentials')
  })

  test('signs in the oldest if two have the same password, or the one of the named organization', async () => {
    const email = 'same@example.com'
    const [first, second] = [await tenant(), await tenant()]
    const users = []
    for (const { owner, id } of [first, second]) {
      users.push(browserOf(troupe, await accept((await invite(owner, id, email)).token, 'the same password')).userId)
    }
    expect((await signIn(troupe, email, 'the same password')).userId).toBe(users[0]!)
    const { body } = await trySignIn(troupe, email, 'the same password', { organization: second.slug })
    expect(body.data.user.id).toBe(users[1])
  })

  test('a sign-in to one does not reset failed attempts at the others', async () => {
    const email = 'guessed@example.com'
    const [own] = await accounts(email, 2)
    const guess = () => trySignIn(troupe, email, 'a guess at the other')
    for (let failure = 1; failure <= 9; failure += 1) expect((await guess()).status).toBe(401)
    for (const organization of [undefined, own!.slug]) {
      const reply = await trySignIn(troupe, email, own!.password, organization ? { organization } : {})
      expect(reply.status).toBe(200)
    }
    expect((await guess()).status).toBe(401)
    expect((await guess()).status).toBe(429)
  })

  test('repeated sign-ins to one are no failures', async () => {
    const email = 'often@example.com'
    const [own] = await accounts(email, 2)
    for (let time = 1; time <= 12; time += 1) {
      expect((await trySignIn(troupe, email, own!.password)).status).toBe(200)
    }
  })

  test('changing the password of one resets no failed attempts either', async () => {
    const email = 'changed@example.com'
    const [own] = await accounts(email, 2)
    const browser = await signIn(troupe, email, own!.password)
    const guess = () => trySignIn(troupe, email, 'a guess at the other')
    for (let failure = 1; failure <= 9; failure += 1) expect((await guess()).status).toBe(401)
    const change = { current: own!.password, new: 'another password of theirs' }
    expect((await browser.post('/api/auth/password', change)).status).toBe(204)
    expect((await guess()).status).toBe(401)
    expect((await guess()).status).toBe(429)
  })

  test('a failed sign-in is recorded in no organization, since its user is unknown', async () => {
    const email = 'watched@example.com'
    const [first, second] = await accounts(email, 2)
    await trySignIn(troupe, email, 'a mistyped password')
    for (const { id, owner } of [first!, second!]) {
      const { body } = await owner.get(`/api/v1/organizations/${id}/audit-events`)
      const denied = body.data.items.filter(({ outcome: of }: { outcome: string }) => of === 'denied')
      expect(denied).toEqual([])
    }
  })
})

test.each([
  ['an organization that does not exist', 'no-such-organization'],
  ['an organization that the user does not belong to', 'elsewhere'],
  ['an invalid slug', 'Not A Slug'],
  ["an organization's id", 'org_01h455vb4pex5vsknk084sn02q'],
])('signing in to %s is refused like a wrong password', async (_, organization) => {
  if (organization === 'elsewhere') await tenant()
  const named = organization === 'elsewhere' ? `tenant-${tenants}` : organization
  const { status, body } = await trySignIn(troupe, ownerEmail, ownerPassword, { organization: named })
  const wrong = await trySignIn(troupe, ownerEmail, 'wrong')
  expect({ status, ...body.error, requestId: '' }).toEqual({ status: 401, ...wrong.body.error, requestId: '' })
})
