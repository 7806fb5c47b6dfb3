/** Accepting an invitation with the signed-in account. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { api, type Reply } from '../../support/client.ts'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { outcome } from '../../support/world/replies.ts'
import { Tenancy } from '../../support/world/tenancy.ts'
import {
  accepting,
  type Browser,
  invite,
  inviteUser,
  newMember,
  newOrganization,
  password,
  signIn,
} from '../sessions/browser.ts'

const invalid = '401 invalid_credentials'
const clock = new HandClock()
let troupe: Troupe
/** The owner of the organizations that others are invited to. */
let owner: Browser
beforeAll(async () => {
  troupe = await openTroupe({ clock, environment: { TROUPE_RUNNER: 'none', TROUPE_RATE_LIMIT_PER_MINUTE: '0' } })
  owner = await signIn(troupe)
})
afterAll(() => troupe?.stop())

let people = 0
const newAddress = () => `joining-${++people}@example.com`
const someone = () => newMember(troupe, 'default', newAddress())
const join = (browser: Browser, token: string) => browser.post(accepting, { token })
const rolesOf = ({ body }: Reply) =>
  body.data.organizations.map(({ id, role }: { id: string; role: string }) => [id, role])

describe('joining with an account', () => {
  test('adds the membership, keeps the session, and uses up the invitation', async () => {
    const browser = await someone()
    const second = await newOrganization(owner)
    const { token } = await invite(owner, second, newAddress(), 'admin')
    const reply = await join(browser, token)
    expect(outcome(reply)).toBe(200)
    expect(reply.headers.getSetCookie()).toEqual([])
    expect(reply.body.data.user).toEqual(browser.session.user)
    expect(reply.body.data.csrfToken).toBe(browser.csrfToken)
    expect(rolesOf(reply)).toContainEqual([second, 'admin'])
    expect((await browser.get('/api/auth/session')).body).toEqual(reply.body)
    expect(outcome(await join(browser, token))).toBe(invalid)
    expect(outcome(await join(await someone(), token))).toBe(invalid)
  })

  test('applies to the next request of every session of the user', async () => {
    const email = newAddress()
    const [here, there] = [await newMember(troupe, 'default', email), await signIn(troupe, email, password)]
    const second = await newOrganization(owner)
    expect(outcome(await there.get(`/api/v1/organizations/${second}`))).toBe('404 not_found')
    await join(here, (await invite(owner, second, newAddress())).token)
    expect(outcome(await there.get(`/api/v1/organizations/${second}`))).toBe(200)
  })

  test('by a member is 409, and keeps role and invitation', async () => {
    const browser = await someone()
    const { token } = await invite(owner, 'default', newAddress(), 'admin')
    expect(outcome(await join(browser, token))).toBe('409 already_member')
    expect(rolesOf(await browser.get('/api/auth/session'))[0][1]).toBe('member')
    const second = await newOrganization(owner)
    const other = await newMember({ ...troupe, owner: owner as never }, second, newAddress())
    expect(outcome(await join(other, token))).toBe(200)
  })

  test('requires a session: neither an unauthenticated caller nor a key joins', async () => {
    const { token } = await invite(owner, 'default', newAddress())
    expect(outcome(await api(troupe.url).post(accepting, { token }))).toBe('401 unauthenticated')
    expect(outcome(await troupe.owner.post(accepting, { token }))).toBe('401 unauthenticated')
    const { cookie } = await someone()
    expect(outcome(await api(troupe.url).post(accepting, { token }, { headers: { cookie } }))).toBe('403 csrf_required')
  })

  test.each([
    ['no token', {}],
    ['an empty token', { token: '' }],
    ['a token of 256 characters', { token: 'x'.repeat(256) }],
    ['an additional name', { token: 'x', name: 'Ada' }],
  ])('with %s is 422', async (_, body) => {
    expect((await (await someone()).post(accepting, body)).status).toBe(422)
  })

  test('is refused for an unknown, withdrawn, replaced or expired invitation', async () => {
    const browser = await someone()
    const second = await newOrganization(owner)
    const email = newAddress()
    const replaced = await invite(owner, second, email)
    const withdrawn = await invite(owner, second, email)
    await owner.delete(`/api/v1/organizations/${second}/invitations/${withdrawn.id}`)
    for (const token of ['x'.repeat(43), replaced.token, withdrawn.token]) {
      expect(outcome(await join(browser, token))).toBe(invalid)
    }
    const { token } = await invite(owner, second, email)
    clock.advance(7 * 24 * 3_600_000)
    owner = await signIn(troupe)
    expect(outcome(await join(await someone(), token))).toBe(invalid)
  })

  test('eight times at once happens once', async () => {
    const browser = await someone()
    const second = await newOrganization(owner)
    const { token } = await invite(owner, second, newAddress())
    const replies = await Promise.all(Array.from({ length: 8 }, () => join(browser, token)))
    const counts = Map.groupBy(replies, outcome)
    expect(counts.get(200)).toHaveLength(1)
    for (const each of counts.keys()) expect([200, invalid, '409 already_member']).toContain(each)
    expect(rolesOf(await browser.get('/api/auth/session'))).toHaveLength(2)
  })

  test('leaves one line in the audit log of the organization', async () => {
    const browser = await someone()
    const second = await newOrganization(owner)
    const { id, token } = await invite(owner, second, newAddress())
    const { requestId } = await join(browser, token)
    const { body } = await owner.get(`/api/v1/organizations/${second}/audit-events`)
    const lines = body.data.items.filter((item: { requestId: string }) => item.requestId === requestId)
    expect(lines.map(({ id: _, at: __, ip: ___, ...line }: Record<string, unknown>) => line)).toEqual([
      {
        actor: { type: 'user', id: browser.userId },
        operation: 'joinOrganization',
        resource: { type: 'invitation', id },
        outcome: 'allowed',
        requestId,
        requestIdFrom: 'server',
        changed: [],
        count: 1,
      },
    ])
  })
})

describe('an invitation of an account', () => {
  test('is accepted only by that account, and creates no new one', async () => {
    const [invited, other] = [await someone(), await someone()]
    const second = await newOrganization(owner)
    const { token } = await inviteUser(owner, second, invited.userId, 'admin')
    expect(outcome(await join(other, token))).toBe(invalid)
    const made = await api(troupe.url).post('/api/auth/invitations', { token, name: 'Somebody', password })
    expect(outcome(made)).toBe('409 account_exists')
    expect(made.headers.getSetCookie()).toEqual([])
    expect(rolesOf(await join(invited, token))).toContainEqual([second, 'admin'])
  })

  test('is listed with the account, and without an address', async () => {
    const invited = await someone()
    const second = await newOrganization(owner)
    const { id, expiresAt } = await inviteUser(owner, second, invited.userId)
    const { body } = await owner.get(`/api/v1/organizations/${second}/invitations`)
    expect(body.data.items).toEqual([
      {
        id,
        email: null,
        userId: invited.userId,
        role: 'member',
        invitedBy: owner.userId,
        createdAt: new Date(clock.now()).toISOString(),
        expiresAt,
      },
    ])
  })

  test('is removed once the account has joined in another way, and once it was removed', async () => {
    const invited = await someone()
    const second = await newOrganization(owner)
    const pending = async () => (await owner.get(`/api/v1/organizations/${second}/invitations`)).body.data.items.length
    const { token: unused } = await inviteUser(owner, second, invited.userId, 'owner')
    await join(invited, (await invite(owner, second, newAddress())).token)
    expect(await pending()).toBe(0)
    await owner.delete(`/api/v1/organizations/${second}/members/${invited.userId}`)
    expect(outcome(await join(invited, unused))).toBe(invalid)
  })

  test('left over by a concurrent join does not lead back after the removal', async () => {
    const invited = await someone()
    const second = await newOrganization(owner)
    const { token } = await inviteUser(owner, second, invited.userId, 'admin')
    // as the commit of a join that did not see the invitation yet leaves it
    new Tenancy(troupe.file, () => clock.now()).member(second, invited.userId, 'member')
    expect(outcome(await join(invited, token))).toBe('409 already_member')
    const removed = await owner.delete(`/api/v1/organizations/${second}/members/${invited.userId}`)
    expect(outcome(removed)).toBe(204)
    expect(outcome(await join(invited, token))).toBe(invalid)
    expect(outcome(await invited.get(`/api/v1/organizations/${second}`))).toBe('404 not_found')
  })

  test.each([
    ['removes', 'a verified', true],
    ['keeps', 'an unverified', false],
  ])('%s that of its address, when it is accepted by an account with %s one', async (_, __, verified) => {
    const inviter = await newMember(troupe, 'default', newAddress(), 'owner')
    const invited = verified ? owner : await someone()
    const second = await newOrganization(inviter)
    const { id } = await invite(inviter, second, invited.session.user.email)
    await join(invited, (await inviteUser(inviter, second, invited.userId)).token)
    const { body } = await inviter.get(`/api/v1/organizations/${second}/invitations`)
    expect(body.data.items.map((item: { id: string }) => item.id)).toEqual(verified ? [] : [id])
  })

  test('is valid while its creator may invite', async () => {
    const [inviter, invited] = [await newMember(troupe, 'default', newAddress(), 'admin'), await someone()]
    const second = await newOrganization(owner)
    await join(inviter, (await invite(owner, second, newAddress(), 'admin')).token)
    const { token } = await inviteUser(inviter, second, invited.userId)
    await owner.patch(`/api/v1/organizations/${second}/members/${inviter.userId}`, { role: 'member' })
    expect(outcome(await join(invited, token))).toBe(invalid)
  })
})
