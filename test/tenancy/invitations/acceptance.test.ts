import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { api } from '../../support/client.ts'
import { openTroupe, ownerEmail, ownerPassword, type Troupe } from '../../support/troupe.ts'
import { bothAtOnce } from '../../support/world/replies.ts'
import { Tenancy } from '../../support/world/tenancy.ts'
import {
  attributesIn,
  browserOf,
  cookieIn,
  invite,
  newMember,
  newOrganization,
  password,
  signIn,
  trySignIn,
} from '../sessions/browser.ts'

const day = 24 * 3_600_000
const clock = new HandClock()
let troupe: Troupe
let tenancy: Tenancy
let organizationId: string
beforeAll(async () => {
  troupe = await openTroupe({ clock, environment: { TROUPE_RUNNER: 'none', TROUPE_RATE_LIMIT_PER_MINUTE: '0' } })
  tenancy = new Tenancy(troupe.file, () => clock.now())
  organizationId = (await signIn(troupe)).session.organizations[0].id
})
afterAll(async () => {
  tenancy?.close()
  await troupe?.stop()
})

const members = '/api/v1/organizations/default/members'
let people = 0
const newAddress = () => `person-${++people}@example.com`
const accept = (token: string, changes: object = {}) =>
  api(troupe.url).post('/api/auth/invitations', { token, name: 'Somebody', password, ...changes })
const refused = { status: 401, code: 'invalid_credentials' }
const refusalOf = async (token: string, changes: object = {}) => {
  const { status, body, headers } = await accept(token, changes)
  expect(headers.getSetCookie()).toEqual([])
  return { status, code: body.error?.code }
}
const membersOf = async (id = organizationId): Promise<{ userId: string; email: string; role: string }[]> =>
  (await troupe.owner.get(`/api/v1/organizations/${id}/members`, { query: { limit: 100 } })).body.data.items

describe('accepting an invitation', () => {
  test.each(['owner', 'admin', 'member'])(
    'creates a user who is %s of the organization, and signs in',
    async (role) => {
      const email = newAddress()
      const { token } = await invite(troupe.owner, 'default', email.toUpperCase(), role)
      const reply = await accept(token, { name: '  Ada Lovelace  ' })
      const browser = browserOf(troupe, reply)
      const { user, organizations, csrfToken } = reply.body.data
      expect(user).toEqual({ id: user.id, email, name: 'Ada Lovelace', createdAt: new Date(clock.now()).toISOString() })
      expect(organizations).toEqual([{ id: organizationId, slug: 'default', name: 'Default', role }])
      expect(attributesIn(reply)).toEqual({ httponly: '', samesite: 'Lax', path: '/', 'max-age': String(12 * 3600) })
      expect((await browser.get('/api/auth/session')).body.data).toEqual({ user, organizations, csrfToken })
      expect((await browser.get('/api/v1/organizations/default')).status).toBe(200)
      await signIn(troupe, email, password)
    },
  )

  test('works once', async () => {
    const { token } = await invite(troupe.owner, 'default', newAddress())
    expect((await accept(token)).status).toBe(200)
    expect(await refusalOf(token)).toEqual(refused)
  })

  test('is refused for an unknown token', async () => {
    for (const token of ['x', 'x'.repeat(43), 'x'.repeat(255), "' or 1=1 --", 'ivt_01h455vb4pex5vsknk084sn02q']) {
      expect(await refusalOf(token)).toEqual(refused)
    }
  })

  test('is refused after seven days', async () => {
    const { token } = await invite(troupe.owner, 'default', newAddress())
    clock.advance(7 * day - 1)
    const other = await invite(troupe.owner, 'default', newAddress())
    clock.advance(1)
    expect(await refusalOf(token)).toEqual(refused)
    expect((await accept(other.token)).status).toBe(200)
  })

  test('is possible until the last moment', async () => {
    const { token, expiresAt } = await invite(troupe.owner, 'default', newAddress())
    expect(Date.parse(expiresAt)).toBe(clock.now() + 7 * day)
    clock.advance(7 * day - 1)
    expect((await accept(token)).status).toBe(200)
  })

  test('is refused when the address was invited again: only the latest is valid', async () => {
    const email = newAddress()
    const first = await invite(troupe.owner, 'default', email, 'admin')
    const second = await invite(troupe.owner, 'default', email, 'member')
    expect(await refusalOf(first.token)).toEqual(refused)
    expect((await accept(second.token)).body.data.organizations[0].role).toBe('member')
  })

  test('is refused when the invitation was withdrawn', async () => {
    const { id, token } = await invite(troupe.owner, 'default', newAddress())
    expect((await troupe.owner.delete(`/api/v1/organizations/default/invitations/${id}`)).status).toBe(204)
    expect(await refusalOf(token)).toEqual(refused)
  })

  test("ends the browser's previous session", async () => {
    const before = await signIn(troupe)
    const { token } = await invite(troupe.owner, 'default', newAddress())
    const headers = { cookie: before.cookie }
    const request = { token, name: 'Somebody', password }
    expect((await api(troupe.url).post('/api/auth/invitations', request, { headers })).status).toBe(200)
    expect((await before.get('/api/auth/session')).status).toBe(401)
  })

  test.each([
    ['no token', { token: undefined }],
    ['an empty token', { token: '' }],
    ['a token of 256 characters', { token: 'x'.repeat(256) }],
    ['no name', { name: undefined }],
    ['a name of spaces', { name: '   ' }],
    ['a name of 201 characters', { name: 'x'.repeat(201) }],
    ['a line break in the name', { name: 'Ada\nLovelace' }],
    ['no password', { password: undefined }],
    ['a password of seven characters', { password: 'x'.repeat(7) }],
    ['a password of 1,025 characters', { password: 'x'.repeat(1025) }],
    ['a role', { role: 'owner' }],
  ])('with %s is 422 and keeps the invitation', async (_, changes) => {
    const { token } = await invite(troupe.owner, 'default', newAddress())
    expect((await accept(token, changes)).status).toBe(422)
    expect((await accept(token)).status).toBe(200)
  })
})

describe('an invitation is valid while its creator may invite', () => {
  const inviters: [string, (userId: string) => Promise<{ status: number }>][] = [
    ['has left', (userId) => troupe.owner.delete(`/api/v1/organizations/default/members/${userId}`)],
    [
      'is only a member now',
      (userId) => troupe.owner.patch(`/api/v1/organizations/default/members/${userId}`, { role: 'member' }),
    ],
  ]
  test.each(inviters)('and is refused when that user %s', async (_, change) => {
    const inviter = await newMember(troupe, 'default', newAddress(), 'admin')
    const email = newAddress()
    const { token } = await invite(inviter, 'default', email)
    expect((await change(inviter.userId)).status).toBeLessThan(300)
    expect(await refusalOf(token)).toEqual(refused)
    // no user was created, and somebody else can invite
    expect((await trySignIn(troupe, email, password)).status).toBe(401)
    expect((await accept((await invite(troupe.owner, 'default', email)).token)).status).toBe(200)
  })

  test('an invitation as owner is refused when the inviter is no longer an owner', async () => {
    const inviter = await newMember(troupe, 'default', newAddress(), 'owner')
    const ownerToBe = await invite(inviter, 'default', newAddress(), 'owner')
    const member = await invite(inviter, 'default', newAddress())
    await troupe.owner.patch(`/api/v1/organizations/default/members/${inviter.userId}`, { role: 'admin' })
    expect(await refusalOf(ownerToBe.token)).toEqual(refused)
    expect((await accept(member.token)).status).toBe(200)
  })

  test('at the commit too: nobody joins after the inviter became a member', async () => {
    const elsewhere = tenancy.organization()
    for (let round = 0; round < 12; round += 1) {
      const inviter = await newMember(troupe, 'default', newAddress(), 'admin')
      // a role in another organization does not count
      tenancy.member(elsewhere, inviter.userId, 'admin')
      const email = newAddress()
      const { token } = await invite(inviter, 'default', email)
      const demote = () => troupe.owner.patch(`${members}/${inviter.userId}`, { role: 'member' })
      const [accepted, listed] = await bothAtOnce(
        round,
        () => accept(token),
        async () => {
          expect((await demote()).status).toBe(200)
          return troupe.owner.get(members, { query: { limit: 100 } })
        },
      )
      const hadJoined = listed.body.data.items.some((member: { email: string }) => member.email === email)
      expect(accepted.status).toBe(hadJoined ? 200 : 401)
    }
  })
})

test('an invitation to an organization that is being deleted is refused', async () => {
  const doomed = await newOrganization(await signIn(troupe))
  const { token } = await invite(await signIn(troupe), doomed, newAddress())
  tenancy.run("update organizations set status = 'deleting' where id = ?", doomed)
  expect(await refusalOf(token)).toEqual(refused)
})

describe('concurrent', () => {
  test('eight acceptances of one invitation: one succeeds, the others are 401', async () => {
    const email = newAddress()
    const { token } = await invite(troupe.owner, 'default', email)
    const replies = await Promise.all(Array.from({ length: 8 }, () => accept(token)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(401)])
    expect((await membersOf()).filter((member) => member.email === email)).toHaveLength(1)
    expect(replies.filter((reply) => cookieIn(reply))).toHaveLength(1)
  })

  test('acceptances of two organizations for one address: two users, each of one organization', async () => {
    const email = newAddress()
    const owner = await signIn(troupe)
    const second = await newOrganization(owner)
    const tokens = [await invite(owner, 'default', email), await invite(owner, second, email)].map(({ token }) => token)
    const replies = await Promise.all(tokens.map((token) => accept(token)))
    expect(replies.map(({ status }) => status)).toEqual([200, 200])
    expect(replies[0]!.body.data.user.id).not.toBe(replies[1]!.body.data.user.id)
    const belong = replies.map(({ body }) => body.data.organizations.map(({ id }: { id: string }) => id))
    expect(belong).toEqual([[organizationId], [second]])
  })

  test('acceptance and withdrawal: exactly one of the two succeeds', async () => {
    const email = newAddress()
    const { id, token } = await invite(troupe.owner, 'default', email)
    const [accepted, withdrawn] = await Promise.all([
      accept(token),
      troupe.owner.delete(`/api/v1/organizations/default/invitations/${id}`),
    ])
    expect([
      [200, 404],
      [401, 204],
    ]).toContainEqual([accepted.status, withdrawn.status])
    expect((await membersOf()).filter((member) => member.email === email)).toHaveLength(accepted.status === 200 ? 1 : 0)
    expect((await trySignIn(troupe, email, password)).status).toBe(accepted.status)
  })
})

test('the audit log names the user who accepted', async () => {
  const owner = await signIn(troupe)
  const second = await newOrganization(owner)
  const { id, token } = await invite(owner, second, newAddress())
  const { body: accepted, requestId } = await accept(token)
  const { body } = await owner.get(`/api/v1/organizations/${second}/audit-events`)
  const lines = body.data.items.filter(({ operation }: { operation: string }) => operation === 'acceptInvitation')
  expect(lines.map(({ id: _, at: __, ip: ___, ...line }: Record<string, unknown>) => line)).toEqual([
    {
      actor: { type: 'user', id: accepted.data.user.id },
      operation: 'acceptInvitation',
      resource: { type: 'invitation', id },
      outcome: 'allowed',
      requestId,
      requestIdFrom: 'server',
      changed: ['name', 'password'],
      count: 1,
    },
  ])
})

test("the user's own address and password are useless without an invitation", async () => {
  expect(await refusalOf('x'.repeat(43), { password: ownerPassword })).toEqual(refused)
  expect((await trySignIn(troupe, ownerEmail, ownerPassword)).status).toBe(200)
})
