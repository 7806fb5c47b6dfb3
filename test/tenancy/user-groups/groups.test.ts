import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Client, Reply } from '../../support/client.ts'
import { atOnce, outcome, tally } from '../../support/world/replies.ts'
import { openWorld, ours, type World } from '../organizations/world.ts'

const groups = `${ours}/user-groups`
const unknown = 'ugr_01h455vb4pex5vsknk084sn02q'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

let named = 0
const newName = () => `Group ${++named}`
const create = async (name = newName()) => (await world.owner.post(groups, { name })).body.data

describe('a user group', () => {
  test('is created with 200, in the shape of the contract', async () => {
    const now = new Date(world.clock.now()).toISOString()
    const { status, body } = await world.owner.post(groups, { name: ' Support ' })
    const { id, ...rest } = body.data
    expect({ status, rest }).toEqual({ status: 200, rest: { name: 'Support', createdAt: now, updatedAt: now } })
    expect(id).toMatch(/^ugr_/)
    expect((await world.owner.get(`${groups}/${id}`)).body).toEqual(body)
    expect((await world.owner.get(groups)).body.data.items).toContainEqual(body.data)
  })

  test('can be renamed, and keeps the rest', async () => {
    const group = await create()
    world.clock.advance(1_000)
    const { status, body } = await world.owner.patch(`${groups}/${group.id}`, { name: 'Renamed' })
    const updatedAt = new Date(world.clock.now()).toISOString()
    expect({ status, data: body.data }).toEqual({ status: 200, data: { ...group, name: 'Renamed', updatedAt } })
    expect((await world.owner.get(`${groups}/${group.id}`)).body).toEqual(body)
  })

  test('is deleted with 200 and returned as it was; then it is gone and its name free', async () => {
    const group = await create()
    const path = `${groups}/${group.id}`
    const { status, body } = await world.owner.delete(path)
    expect({ status, data: body.data }).toEqual({ status: 200, data: group })
    for (const reply of [
      await world.owner.get(path),
      await world.owner.patch(path, { name: 'Gone' }),
      await world.owner.delete(path),
      await world.owner.get(`${path}/members`),
      await world.owner.post(`${path}/members`, { userId: world.ownerId }),
    ]) {
      expect(outcome(reply)).toBe('404 not_found')
    }
    expect((await create(group.name)).id).not.toBe(group.id)
  })
})

describe('a name', () => {
  test('of another group answers 422, on creation and on change', async () => {
    const [one, other] = [await create(), await create()]
    const refused = await world.owner.post(groups, { name: one.name })
    expect(outcome(refused)).toBe('422 name_taken')
    const message = 'The name is already used by another group of the organization; choose another one.'
    expect(refused.body.error).toMatchObject({ message, details: { issues: [{ path: '/body/name', message }] } })
    expect(outcome(await world.owner.post(groups, { name: `  ${one.name} ` }))).toBe('422 name_taken')
    expect(outcome(await world.owner.patch(`${groups}/${other.id}`, { name: one.name }))).toBe('422 name_taken')
    expect((await world.owner.get(`${groups}/${other.id}`)).body.data).toEqual(other)
  })

  test('that is already its own answers 200', async () => {
    const group = await create()
    expect(outcome(await world.owner.patch(`${groups}/${group.id}`, { name: group.name }))).toBe(200)
  })

  test('is unique only within the organization', async () => {
    const group = await create()
    const { path, owner } = world.elsewhere()
    expect(outcome(await owner.client.post(`${path}/user-groups`, { name: group.name }))).toBe(200)
  })

  test('requested by eight creations at once goes to one', async () => {
    const replies = await atOnce(8, () => world.owner.post(groups, { name: 'Race' }))
    expect(tally(replies)).toEqual({ 200: 1, '422 name_taken': 7 })
  })

  test('requested by eight groups at once goes to one', async () => {
    const rivals = await Promise.all(Array.from({ length: 8 }, () => create()))
    const replies = await Promise.all(rivals.map(({ id }) => world.owner.patch(`${groups}/${id}`, { name: 'Wanted' })))
    expect(tally(replies)).toEqual({ 200: 1, '422 name_taken': 7 })
  })
})

test('a group that is deleted eight times at once is deleted once', async () => {
  const { id } = await create()
  const replies = await atOnce(8, () => world.owner.delete(`${groups}/${id}`))
  expect(tally(replies)).toEqual({ 200: 1, '404 not_found': 7 })
})

test('a group that is deleted during a rename is gone in the end', async () => {
  const { id } = await create()
  const path = `${groups}/${id}`
  const [removed, ...others] = await Promise.all([
    world.owner.delete(path),
    world.owner.patch(path, { name: newName() }),
    world.owner.patch(path, { name: newName() }),
    world.owner.post(`${path}/members`, { userId: world.ownerId }),
  ])
  expect(outcome(removed as Reply)).toBe(200)
  for (const reply of others) expect([200, '404 not_found']).toContain(outcome(reply))
  expect(outcome(await world.owner.get(path))).toBe('404 not_found')
  expect(world.tenancy.all('select 1 from user_group_members where user_group_id = ?', id)).toEqual([])
})

/** All eight operations, on a group and a member of it. */
const operations: Record<string, (by: Client, path: string, group: string, userId: string) => Promise<Reply>> = {
  list: (by, path) => by.get(`${path}/user-groups`),
  create: (by, path) => by.post(`${path}/user-groups`, { name: newName() }),
  get: (by, path, group) => by.get(`${path}/user-groups/${group}`),
  rename: (by, path, group) => by.patch(`${path}/user-groups/${group}`, { name: newName() }),
  listMembers: (by, path, group) => by.get(`${path}/user-groups/${group}/members`),
  addMember: (by, path, group, userId) => by.post(`${path}/user-groups/${group}/members`, { userId }),
  removeMember: (by, path, group, userId) => by.delete(`${path}/user-groups/${group}/members/${userId}`),
  delete: (by, path, group) => by.delete(`${path}/user-groups/${group}`),
}

describe.each(Object.keys(operations))('permissions: %s', (name) => {
  const ask = operations[name] as (typeof operations)[string]
  const withMember = async () => {
    const { id } = await create()
    await world.owner.post(`${groups}/${id}/members`, { userId: world.ownerId })
    return id as string
  }

  test.each([
    ['owner', true],
    ['admin', true],
    ['member', false],
  ] as const)('%s: %p', async (role, allowed) => {
    const reply = await ask(world.person(role).client, ours, await withMember(), world.ownerId)
    expect(outcome(reply)).toBe(allowed ? 200 : '403 permission_denied')
    if (!allowed) expect(reply.body.error.details).toEqual({ permission: 'organizations:manage-user-groups' })
  })

  test('not a key without the permission, nor a bound one, nor an unauthenticated caller', async () => {
    const group = await withMember()
    const weak = world.keyOf(world.organizationId, world.ownerId, ['organizations:manage-members']).client
    expect(outcome(await ask(weak, ours, group, world.ownerId))).toBe('403 permission_denied')
    const project = world.tenancy.project(world.organizationId)
    const bound = world.keyOf(world.organizationId, world.ownerId, undefined, { project_id: project }).client
    expect(outcome(await ask(bound, ours, group, world.ownerId))).toBe('403 permission_denied')
    expect(outcome(await ask(world.as(null), ours, group, world.ownerId))).toBe('401 unauthenticated')
  })

  test('another organization: 404, as for an unknown group', async () => {
    const group = await withMember()
    const { path, owner } = world.elsewhere()
    expect(outcome(await ask(owner.client, ours, group, world.ownerId))).toBe('404 not_found')
    if (name === 'list' || name === 'create') return
    const foreign = await ask(owner.client, path, group, world.ownerId)
    const missing = await ask(owner.client, path, unknown, world.ownerId)
    expect(outcome(foreign)).toBe('404 not_found')
    expect({ ...foreign.body.error, requestId: '' }).toEqual({ ...missing.body.error, requestId: '' })
    expect(outcome(await world.owner.get(`${groups}/${group}`))).toBe(200)
  })
})
