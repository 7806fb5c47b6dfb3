/** Groups and grants of one organization are not those of another, also for a user of both. Source: requirement 4.6. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { listGrantsOfUser } from '../../../storage/tenancy/grants.ts'
import { findUserGroupMember, renameUserGroup } from '../../../storage/tenancy/user-groups.ts'
import { type Guards, openGuards } from './world.ts'

let world: Guards
beforeAll(async () => {
  world = await openGuards()
})
afterAll(() => world?.close())

test('a group is renamed by its organization', async () => {
  const { organization_id } = world.tree()
  const { id } = world.plant('user_groups', { organization_id })
  const rename = (organizationId: string) => renameUserGroup(world.store, { organizationId, id, name: 'New', at: 1 })
  expect(await world.isStale(rename('org_other'))).toBe(true)
  expect(await world.isStale(rename(organization_id))).toBe(false)
})

/** A group of this user and another one, with a grant, and a grant to the user. */
function grouped(userId: string) {
  const { organization_id, project_id } = world.tree()
  const granted = { organization_id, project_id, permissions: '[]' }
  const { id } = world.plant('user_groups', { organization_id })
  for (const user_id of [userId, 'usr_other'])
    world.plant('user_group_members', { organization_id, user_group_id: id, user_id })
  const toGroup = world.plant('access_grants', { ...granted, user_group_id: id, user_id: null })
  const toUser = world.plant('access_grants', { ...granted, user_id: userId, user_group_id: null })
  world.plant('access_grants', { ...granted, user_id: 'usr_other', user_group_id: null })
  return { organizationId: organization_id as string, userGroupId: id as string, userId, project_id, toGroup, toUser }
}

test('the grants of a user are those of the organization, to the user and to its groups', async () => {
  world.plant('users', { id: 'usr_1' })
  const [ours, theirs] = [grouped('usr_1'), grouped('usr_1')]
  for (const { organizationId, project_id } of [ours, theirs]) {
    const found = await world.store.all(listGrantsOfUser(world.store, { organizationId, userId: 'usr_1' }))
    expect(found).toEqual(Array(2).fill({ project_id, permissions: '[]' }))
  }
})

test('a member of a group is found in that group of that organization', async () => {
  world.plant('users', { id: 'usr_2' })
  world.plant('users', { id: 'usr_other' })
  const [{ userGroupId, organizationId }, other] = [grouped('usr_2'), grouped('usr_2')]
  const find = (values: object = {}) =>
    world.store.first(findUserGroupMember(world.store, { organizationId, userGroupId, userId: 'usr_2', ...values }))
  expect(await find()).toMatchObject({ user_id: 'usr_2' })
  expect(await find({ userId: 'usr_other' })).toMatchObject({ user_id: 'usr_other' })
  expect(await find({ organizationId: other.organizationId })).toBeUndefined()
  expect(await find({ userGroupId: 'grp_none' })).toBeUndefined()
  expect(await find({ userId: 'usr_none' })).toBeUndefined()
})
