import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Client, Reply } from '../../support/client.ts'
import { atOnce, bothAtOnce, outcome, tally } from '../../support/world/replies.ts'
import { accepting, invite, inviteUser, newMember, signIn } from '../sessions/browser.ts'
import { openWorld, ours, type World } from './world.ts'

const members = `${ours}/members`
const denied = '403 permission_denied'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

const add = (body: object, by = world.owner) => by.post(members, body)
const roleOf = (userId: string, organization = world.organizationId) =>
  world.tenancy.all<{ role: string }>(
    'select role from memberships where organization_id = ? and user_id = ?',
    organization,
    userId,
  )[0]?.role

describe('adding a member', () => {
  const week = 7 * 24 * 60 * 60 * 1000

  test('by address returns an invitation with its token, and nobody is a member yet', async () => {
    const { status, body } = await add({ email: 'Grace@Example.com', role: 'member' })
    expect(status).toBe(201)
    const { id, token } = body.data.invitation
    const expiresAt = new Date(world.clock.now() + week).toISOString()
    expect(body).toEqual({
      data: { invitation: { id, email: 'grace@example.com', role: 'member', expiresAt, token } },
    })
    expect(id).toMatch(/^ivt_/)
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/)
    const listed = await world.owner.get(members, { query: { limit: 100 } })
    expect(JSON.stringify(listed.body)).not.toContain('grace@example.com')
  })

  test('by user id returns the same, without the address, and nobody is a member yet', async () => {
    const { id: userId } = world.person()
    const { status, body } = await add({ userId, role: 'admin' })
    expect(status).toBe(201)
    const { id, token } = body.data.invitation
    const expiresAt = new Date(world.clock.now() + week).toISOString()
    expect(body).toEqual({ data: { invitation: { id, email: null, role: 'admin', expiresAt, token } } })
    expect(roleOf(userId)).toBeUndefined()
  })

  test('has the same answer for an address with an account, verified or not, and without one, byte for byte', async () => {
    const verified = world.person().email
    const unverified = 'claimed@example.com'
    const other = world.elsewhere()
    await newMember({ ...world.troupe, owner: other.owner.client }, other.id, unverified)
    const replies = await Promise.all(
      [verified, unverified, 'unknown@example.com'].map((email) => add({ email, role: 'member' })),
    )
    const [first, ...others] = replies.map(({ status, headers, body }, index) => {
      const { id, token, email } = body.data.invitation
      const names = [...headers.keys()].filter((name) => name !== 'date')
      const text = JSON.stringify(body).replace(id, 'ID').replace(token, 'TOKEN').replace(email, 'EMAIL')
      return { status, names, text, email: email === [verified, unverified, 'unknown@example.com'][index] }
    })
    for (const answer of others) expect(answer).toEqual(first!)
    expect(first!.status).toBe(201)
  })

  test('by an address or a user that was already invited replaces the invitation', async () => {
    const first = await invite(world.owner, 'default', 'twice@example.com')
    const second = await invite(world.owner, 'default', 'twice@example.com')
    expect(second.token).not.toBe(first.token)
    const rows = world.tenancy.all<{ id: string }>("select id from invitations where email = 'twice@example.com'")
    expect(rows).toEqual([{ id: second.id }])
    const { id } = world.person()
    await inviteUser(world.owner, 'default', id)
    const newest = await inviteUser(world.owner, 'default', id)
    expect(world.tenancy.all<{ id: string }>('select id from invitations where user_id = ?', id)).toEqual([
      { id: newest.id },
    ])
  })

  test('twice is 409, and keeps the role', async () => {
    const { id, email } = world.person('admin')
    expect(outcome(await add({ userId: id, role: 'member' }))).toBe('409 already_member')
    expect(outcome(await add({ email: email.toUpperCase(), role: 'member' }))).toBe('409 already_member')
    expect(roleOf(id)).toBe('admin')
  })

  test('of an unknown user is 404', async () => {
    const userId = 'usr_01h455vb4pex5vsknk084sn02q'
    expect(outcome(await add({ userId, role: 'member' }))).toBe('404 not_found')
  })

  test('by one address or one user eight times at once leaves one invitation', async () => {
    const { id } = world.person()
    for (const [invited, column] of [
      [{ email: 'crowd@example.com' }, 'email'],
      [{ userId: id }, 'user_id'],
    ] as const) {
      const replies = await atOnce(8, () => add({ ...invited, role: 'member' }))
      expect(tally(replies)).toEqual({ 201: 8 })
      const [value] = Object.values(invited)
      expect(world.tenancy.all(`select id from invitations where ${column} = ?`, value as string)).toHaveLength(1)
    }
  })

  test('grants the permissions of the role from the next request after the acceptance', async () => {
    const browser = await newMember(world.troupe, 'default', 'next@example.com')
    const { path, owner } = world.elsewhere()
    const { token } = await inviteUser(owner.client, path.split('/').at(-1)!, browser.userId)
    expect(outcome(await browser.get(path))).toBe('404 not_found')
    expect(outcome(await browser.post(accepting, { token }))).toBe(200)
    expect(outcome(await browser.get(path))).toBe(200)
  })
})

describe('listing members', () => {
  test('shows whose address is verified', async () => {
    const { path, id, owner } = world.elsewhere()
    await newMember({ ...world.troupe, owner: owner.client }, id, 'claims@example.com')
    const { body } = await owner.client.get(`${path}/members`)
    const shown = body.data.items.map((item: { email: string; emailVerified: boolean }) => [
      item.email,
      item.emailVerified,
    ])
    expect(shown.toSorted()).toEqual([
      ['claims@example.com', false],
      [owner.email, true],
    ])
  })

  test('is newest first, with their roles', async () => {
    const { path, id, owner } = world.elsewhere()
    world.clock.advance(1_000)
    const second = world.person('member', id)
    world.clock.advance(1_000)
    const third = world.person('admin', id)
    const { body } = await owner.client.get(`${path}/members`)
    const shown = body.data.items.map(({ userId, role }: { userId: string; role: string }) => [userId, role])
    expect(shown).toEqual([
      [third.id, 'admin'],
      [second.id, 'member'],
      [owner.id, 'owner'],
    ])
  })
})

describe('permissions to manage members', () => {
  const commands = {
    list: (by: Client) => by.get(members),
    add: (by: Client) => by.post(members, { userId: world.person().id, role: 'member' }),
    change: (by: Client) => by.patch(`${members}/${world.person('member').id}`, { role: 'admin' }),
    remove: (by: Client) => by.delete(`${members}/${world.person('member').id}`),
  }
  test.each(Object.keys(commands) as (keyof typeof commands)[])('%s: owners and admins, not members', async (name) => {
    for (const [role, allowed] of [
      ['owner', true],
      ['admin', true],
      ['member', false],
    ] as const) {
      const reply = await commands[name](world.person(role).client)
      expect(reply.status < 300).toBe(allowed)
      const named = { permission: 'organizations:manage-members' }
      expect(allowed ? named : reply.body.error.details).toEqual(named)
    }
  })

  test.each(Object.keys(commands) as (keyof typeof commands)[])(
    '%s: not a key without the permission',
    async (name) => {
      const { client } = world.keyOf(world.organizationId, world.ownerId, ['organizations:get'])
      const reply = await commands[name](client)
      expect(outcome(reply)).toBe(denied)
      expect(reply.body.error.details).toEqual({ permission: 'organizations:manage-members' })
    },
  )

  test.each(Object.keys(commands) as (keyof typeof commands)[])(
    '%s: a key with this permission alone',
    async (name) => {
      const { client } = world.keyOf(world.organizationId, world.ownerId, ['organizations:manage-members'])
      expect((await commands[name](client)).status).toBeLessThan(300)
    },
  )

  test("another organization's members are 404", async () => {
    const { path, owner } = world.elsewhere()
    expect(outcome(await world.owner.get(`${path}/members`))).toBe('404 not_found')
    expect(outcome(await world.owner.patch(`${members}/${owner.id}`, { role: 'member' }))).toBe('404 not_found')
    expect(outcome(await world.owner.delete(`${members}/${owner.id}`))).toBe('404 not_found')
    expect(outcome(await owner.client.patch(`${path}/members/${world.ownerId}`, { role: 'member' }))).toBe(
      '404 not_found',
    )
    const unknown = 'usr_01h455vb4pex5vsknk084sn02q'
    expect(outcome(await world.owner.patch(`${members}/${unknown}`, { role: 'member' }))).toBe('404 not_found')
    expect(outcome(await world.owner.delete(`${members}/${unknown}`))).toBe('404 not_found')
  })
})

test.each(['owner', 'admin', 'member'] as const)(
  'a change of nothing answers 200 and leaves %s as it is',
  async (role) => {
    const { id, email } = world.person(role)
    const { status, body } = await world.owner.patch(`${members}/${id}`, {})
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ userId: id, email, role })
    expect(roleOf(id)).toBe(role)
  },
)

describe('the role owner', () => {
  const byAdmin: [string, () => Promise<Reply>][] = [
    ['add a user as owner', () => asAdmin().post(members, { userId: world.person().id, role: 'owner' })],
    ['invite an owner', () => asAdmin().post(members, { email: 'boss@example.com', role: 'owner' })],
    ['make a member an owner', () => asAdmin().patch(path(world.person('member')), { role: 'owner' })],
    ['make an owner an admin', () => asAdmin().patch(path(world.person('owner')), { role: 'admin' })],
    ['keep an owner an owner', () => asAdmin().patch(path(world.person('owner')), { role: 'owner' })],
    ['remove an owner', () => asAdmin().delete(path(world.person('owner')))],
  ]
  const asAdmin = () => world.person('admin').client
  const path = ({ id }: { id: string }) => `${members}/${id}`
  test.each(byAdmin)('does not let admins %s', async (_, ask) => {
    const reply = await ask()
    expect(outcome(reply)).toBe(denied)
    expect(reply.body.error).toMatchObject({
      message: 'Only owners can give, change or take the role owner.',
      details: { permission: 'organizations:manage-members' },
    })
  })

  test('cannot be taken by an admin', async () => {
    const admin = world.person('admin')
    expect(outcome(await admin.client.patch(path(admin), { role: 'owner' }))).toBe(denied)
    expect(roleOf(admin.id)).toBe('admin')
  })

  test('can be given, taken and removed by owners', async () => {
    const { id } = world.person('member')
    expect((await world.owner.patch(path({ id }), { role: 'owner' })).body.data).toMatchObject({ role: 'owner' })
    expect((await world.owner.patch(path({ id }), { role: 'member' })).body.data).toMatchObject({ role: 'member' })
    const other = world.person('owner')
    expect(outcome(await world.owner.delete(path(other)))).toBe(204)
    expect(roleOf(other.id)).toBeUndefined()
  })

  test('that is being given cannot be taken by an admin in the same moment', async () => {
    const admin = world.person('admin')
    const takes: ((at: string) => Promise<Reply>)[] = [
      (at) => admin.client.patch(at, { role: 'admin' }),
      (at) => admin.client.delete(at),
    ]
    for (const take of takes) {
      for (let round = 0; round < 6; round += 1) {
        const heir = world.person('member')
        const [given, taken] = await bothAtOnce(
          round,
          () => world.owner.patch(path(heir), { role: 'owner' }),
          () => take(path(heir)),
        )
        if (given.status === 200) expect(roleOf(heir.id)).toBe('owner')
        else expect([200, 204]).toContain(taken.status)
      }
    }
  })

  test("depends on the user's current role, not on that at the key's creation", async () => {
    const owner = world.person('owner')
    await world.owner.patch(path(owner), { role: 'admin' })
    expect(outcome(await owner.client.patch(path(world.person('member')), { role: 'owner' }))).toBe(denied)
  })
})

test('an invitation as owner, made by an owner, makes an owner', async () => {
  const browser = await newMember(world.troupe, 'default', 'heir@example.com', 'owner')
  expect(roleOf(browser.userId)).toBe('owner')
  const session = await signIn(world.troupe)
  expect(outcome(await session.delete(`${members}/${browser.userId}`))).toBe(204)
})
