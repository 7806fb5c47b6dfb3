import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { outcome } from '../../support/world/replies.ts'
import { join, newMember } from '../sessions/browser.ts'
import { openWorld, ours, type Person, type World } from './world.ts'

const members = `${ours}/members`
const gone = '401 invalid_api_key'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

const path = ({ id }: { id: string }) => `${members}/${id}`
const count = (sql: string, ...parameters: string[]) => world.tenancy.all(sql, ...parameters).length
const groupsOf = ({ id }: Person) => count('select 1 from user_group_members where user_id = ?', id)
const grantsOf = ({ id }: Person) => count('select 1 from access_grants where user_id = ?', id)

/** Adds a user to a new group, and grants both to read a new Project; returns its id. */
async function entangle(person: Person): Promise<string> {
  const projectId = world.tenancy.project(world.organizationId)
  const group = (await world.owner.post(`${ours}/user-groups`, { name: projectId })).body.data.id
  await world.owner.post(`${ours}/user-groups/${group}/members`, { userId: person.id })
  for (const subject of [
    { type: 'user', id: person.id },
    { type: 'userGroup', id: group },
  ]) {
    await world.owner.post(`/api/v1/projects/${projectId}/access-grants`, { subject, permissions: ['projects:get'] })
  }
  return projectId
}

describe('leaving', () => {
  test("with a key requires the permission: an admin's has it, a member's has not", async () => {
    const [admin, member] = [world.person('admin'), world.person('member')]
    expect(outcome(await member.client.delete(path(member)))).toBe('403 permission_denied')
    const { status, body } = await admin.client.delete(path(admin))
    expect({ status, body }).toEqual({ status: 204, body: undefined })
    expect(outcome(await admin.client.get(ours))).toBe(gone)
  })

  test('is possible for every member with a session, which then reads nothing of the organization', async () => {
    const browser = await newMember(world.troupe, 'default', 'leaver@example.com')
    expect(outcome(await browser.get(ours))).toBe(200)
    expect(outcome(await browser.delete(`${members}/${browser.userId}`))).toBe(204)
    expect(outcome(await browser.get(ours))).toBe('404 not_found')
    expect((await browser.get('/api/v1/organizations')).body.data.items).toEqual([])
  })

  test('does not let a member remove others, existing or not', async () => {
    const member = world.person('member')
    for (const id of [world.ownerId, world.person('member').id, 'usr_01h455vb4pex5vsknk084sn02q']) {
      const reply = await member.client.delete(`${members}/${id}`)
      expect(outcome(reply)).toBe('403 permission_denied')
      expect(reply.body.error.details).toEqual({ permission: 'organizations:manage-members' })
    }
  })
})

describe('removal', () => {
  test('applies to every key of the user from the next request', async () => {
    const person = world.person('admin')
    const another = world.keyOf(world.organizationId, person.id, ['organizations:get']).client
    expect(outcome(await person.client.get(members))).toBe(200)
    expect(outcome(await another.get(ours))).toBe(200)
    expect(outcome(await world.owner.delete(path(person)))).toBe(204)
    expect(outcome(await person.client.get(members))).toBe(gone)
    expect(outcome(await another.get(ours))).toBe(gone)
    expect(outcome(await person.client.get('/api/v1/organizations'))).toBe(gone)
  })

  test('revokes the keys permanently: added again, the user needs new ones', async () => {
    const person = world.person('admin')
    expect(outcome(await person.client.get(ours))).toBe(200)
    await world.owner.delete(path(person))
    await join(world, world.tenancy, {
      inviter: world.owner,
      organization: world.organizationId,
      userId: person.id,
      role: 'owner',
    })
    expect(outcome(await person.client.get(ours))).toBe(gone)
    expect((await world.owner.get(`/api/v1/api-keys/${person.keyId}`)).body.data.status).toBe('revoked')
    expect(outcome(await world.keyOf(world.organizationId, person.id).client.get(ours))).toBe(200)
  })

  test("does not affect keys of others, and the user's own for other organizations", async () => {
    const person = world.person('member')
    const { id, path: elsewhere } = world.elsewhere()
    world.tenancy.member(id, person.id, 'member')
    const foreign = world.keyOf(id, person.id).client
    expect(outcome(await world.owner.delete(path(person)))).toBe(204)
    expect(outcome(await foreign.get(elsewhere))).toBe(200)
    expect(outcome(await world.owner.get(ours))).toBe(200)
  })

  test('ends group memberships and access grants, also if the user is added again', async () => {
    const person = world.person('member')
    const projectId = await entangle(person)
    expect(outcome(await person.client.get(`/api/v1/projects/${projectId}`))).toBe(200)
    expect([groupsOf(person), grantsOf(person)]).toEqual([1, 1])
    await world.owner.delete(path(person))
    expect([groupsOf(person), grantsOf(person)]).toEqual([0, 0])
    await join(world, world.tenancy, { inviter: world.owner, organization: world.organizationId, userId: person.id })
    const { client } = world.keyOf(world.organizationId, person.id)
    expect(outcome(await client.get(`/api/v1/projects/${projectId}`))).toBe('403 permission_denied')
  })

  test('ends an invitation that would lead back', async () => {
    const browser = await newMember(world.troupe, 'default', 'returning@example.com')
    world.tenancy.invitation(world.organizationId, world.ownerId, 'returning@example.com', 'admin')
    expect(outcome(await world.owner.delete(`${members}/${browser.userId}`))).toBe(204)
    expect(count("select 1 from invitations where email = 'returning@example.com'")).toBe(0)
  })
})

describe('another role', () => {
  test('applies to keys and sessions from the next request', async () => {
    const person = world.person('admin')
    const browser = await newMember(world.troupe, 'default', 'promoted@example.com')
    expect(outcome(await person.client.get(members))).toBe(200)
    expect(outcome(await browser.get(members))).toBe('403 permission_denied')
    await world.owner.patch(path(person), { role: 'member' })
    await world.owner.patch(`${members}/${browser.userId}`, { role: 'admin' })
    expect(outcome(await person.client.get(members))).toBe('403 permission_denied')
    expect(outcome(await browser.get(members))).toBe(200)
    await world.owner.patch(path(person), { role: 'admin' })
    expect(outcome(await person.client.get(members))).toBe(200)
  })

  test('keeps groups, grants and keys', async () => {
    const person = world.person('member')
    const projectId = await entangle(person)
    await world.owner.patch(path(person), { role: 'admin' })
    await world.owner.patch(path(person), { role: 'member' })
    expect(outcome(await person.client.get(`/api/v1/projects/${projectId}`))).toBe(200)
    expect([groupsOf(person), grantsOf(person)]).toEqual([1, 1])
  })
})
