import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { outcome, tally } from '../../support/world/replies.ts'
import { openWorld, type Person, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

const lastOwner = '409 last_owner'
const owners = (organization: string) =>
  world.tenancy
    .all<{ id: string }>(
      "select user_id as id from memberships where organization_id = ? and role = 'owner' order by user_id",
      organization,
    )
    .map(({ id }) => id)

/** An organization with two owners, who use their own keys. */
function twoOwners() {
  const { id, path, owner } = world.elsewhere()
  const second = world.person('owner', id)
  const member = (person: Person) => `${path}/members/${person.id}`
  return { id, path, first: owner, second, member }
}

describe('the last owner', () => {
  test('cannot leave, be removed or lose the role', async () => {
    const { id, path, owner } = world.elsewhere()
    world.person('admin', id)
    const itself = `${path}/members/${owner.id}`
    expect(outcome(await owner.client.delete(itself))).toBe(lastOwner)
    expect(outcome(await owner.client.patch(itself, { role: 'admin' }))).toBe(lastOwner)
    expect(outcome(await owner.client.patch(itself, { role: 'member' }))).toBe(lastOwner)
    expect(owners(id)).toEqual([owner.id])
    expect(outcome(await owner.client.get(path))).toBe(200)
  })

  test('can be set as owner again', async () => {
    const { path, owner } = world.elsewhere()
    expect(outcome(await owner.client.patch(`${path}/members/${owner.id}`, { role: 'owner' }))).toBe(200)
  })

  test('may leave once there is another one', async () => {
    const { id, path, owner } = world.elsewhere()
    const admin = world.person('admin', id)
    await owner.client.patch(`${path}/members/${admin.id}`, { role: 'owner' })
    expect(outcome(await owner.client.delete(`${path}/members/${owner.id}`))).toBe(204)
    expect(owners(id)).toEqual([admin.id])
  })

  test('is determined for each organization', async () => {
    const { path, owner } = world.elsewhere()
    // the same user owns another organization, which does not count here
    const other = world.elsewhere()
    world.tenancy.member(other.id, owner.id, 'owner')
    expect(outcome(await owner.client.delete(`${path}/members/${owner.id}`))).toBe(lastOwner)
  })

  test('keeps the keys and everything else when the attempt fails', async () => {
    const { id, path, owner } = world.elsewhere()
    const group = (await owner.client.post(`${path}/user-groups`, { name: 'Group' })).body.data.id
    await owner.client.post(`${path}/user-groups/${group}/members`, { userId: owner.id })
    await owner.client.delete(`${path}/members/${owner.id}`)
    const { body } = await owner.client.get(`${path}/user-groups/${group}/members`)
    expect(body.data.items).toHaveLength(1)
    expect(world.tenancy.all("select id from api_keys where organization_id = ? and status = 'revoked'", id)).toEqual(
      [],
    )
  })
})

describe('at the same moment', () => {
  const rounds = Array.from({ length: 5 }, (_, index) => index)

  test.each(rounds)('two owners leave, and one stays (%i)', async () => {
    const { id, first, second, member } = twoOwners()
    const replies = await Promise.all([first.client.delete(member(first)), second.client.delete(member(second))])
    expect(tally(replies)).toEqual({ 204: 1, [lastOwner]: 1 })
    expect(owners(id)).toHaveLength(1)
  })

  test.each(rounds)('two owners remove each other, and one stays (%i)', async () => {
    const { id, first, second, member } = twoOwners()
    const replies = await Promise.all([first.client.delete(member(second)), second.client.delete(member(first))])
    // the later request has no key any more
    const outcomes = Object.keys(tally(replies)).sort()
    expect(outcomes[0]).toBe('204')
    expect(['401 invalid_api_key', lastOwner]).toContain(outcomes[1] as string)
    expect(owners(id)).toHaveLength(1)
  })

  test.each(rounds)('two owners demote themselves, and one stays (%i)', async () => {
    const { id, first, second, member } = twoOwners()
    const replies = await Promise.all([
      first.client.patch(member(first), { role: 'member' }),
      second.client.patch(member(second), { role: 'member' }),
    ])
    expect(tally(replies)).toEqual({ 200: 1, [lastOwner]: 1 })
    expect(owners(id)).toHaveLength(1)
  })

  test('one owner is removed eight times: one request succeeds, then the user is missing', async () => {
    const { first, second, member } = twoOwners()
    const replies = await Promise.all(Array.from({ length: 8 }, () => first.client.delete(member(second))))
    expect(tally(replies)).toEqual({ 204: 1, '404 not_found': 7 })
  })

  test('one owner is given eight roles: every answer is one of the contract', async () => {
    const { id, path, first, second, member } = twoOwners()
    const roles = ['admin', 'member', 'owner', 'admin', 'member', 'owner', 'admin', 'member']
    const replies = await Promise.all(roles.map((role) => first.client.patch(member(second), { role })))
    for (const reply of replies) expect([200, '409 concurrent_change']).toContain(outcome(reply))
    expect(replies.some(({ status }) => status === 200)).toBe(true)
    expect(owners(id)).toContain(first.id)
    expect(outcome(await first.client.get(path))).toBe(200)
  })
})
