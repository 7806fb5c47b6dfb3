/** What a caller may do. Source: contract 1, "permissions". */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { permissions } from '../../../src/platform/http/guard/permissions.ts'
import { rolePermissions } from '../../../src/tenancy/authority/roles.ts'
import { newId } from '../../../storage/ids.ts'
import type { Client } from '../../support/client.ts'
import { data, verdict } from '../../support/world/replies.ts'
import { openWorld, type World } from '../../support/world/world.ts'

let world: World
let projects: Awaited<ReturnType<World['project']>>[]
beforeAll(async () => {
  world = await openWorld()
  projects = [await world.project(), await world.project()]
})
afterAll(() => world?.stop())

const path = '/api/v1/organizations/default/permissions'
const own = (client: Client, projectId?: string) =>
  data<{ role: string; permissions: string[] }>(client.get(path, { query: projectId ? { projectId } : {} }))
const give = (subject: object, given: string[]) =>
  world.owner.post(`${projects[0]!.path}/access-grants`, { subject, permissions: given })
const ofMember = [...rolePermissions.member]
const inOrder = (names: readonly string[]) => permissions.filter((permission) => names.includes(permission))

test('an owner may do everything, and an admin all but what owners keep', async () => {
  const whole = await own(world.keyOf(world.user('owner')))
  expect(whole).toEqual({ role: 'owner', permissions: [...permissions] })
  const { role, permissions: some } = await own(world.keyOf(world.user('admin')))
  expect(role).toBe('admin')
  expect(permissions.filter((permission) => !some.includes(permission))).toEqual([
    'organizations:delete',
    'billing:manage',
  ])
})

test('a member has in a Project what grants to the user and to groups give there', async () => {
  const userId = world.user('member')
  const client = world.keyOf(userId)
  await give({ type: 'user', id: userId }, ['agents:get', 'agent-runs:create'])
  await give({ type: 'userGroup', id: world.group([userId]) }, ['agents:list', 'agents:get'])
  expect(await own(client)).toEqual({ role: 'member', permissions: inOrder(ofMember) })
  const inProject = inOrder([...ofMember, 'agents:get', 'agents:list', 'agent-runs:create'])
  expect(await own(client, projects[0]!.id)).toEqual({ role: 'member', permissions: inProject })
})

test('a key has what its operations and its creator have in common', async () => {
  const userId = world.user('member')
  await give({ type: 'user', id: userId }, ['agents:get', 'agents:list'])
  const operations = ['organizations:get', 'projects:list', 'agents:get', 'api-keys:create'] as const
  const client = world.keyOf(userId, { operations })
  expect((await own(client)).permissions).toEqual(inOrder(['organizations:get', 'projects:list']))
  const inProject = await own(client, projects[0]!.id)
  expect(inProject.permissions).toEqual(inOrder(['organizations:get', 'projects:list', 'agents:get']))
  const withoutGrant = world.keyOf(world.user('owner'), { operations: ['organizations:get', 'agent-runs:create'] })
  expect((await own(withoutGrant, projects[1]!.id)).permissions).toEqual(
    inOrder(['organizations:get', 'agent-runs:create']),
  )
  expect(verdict(await world.keyOf(userId, { operations: ['agents:get'] }).get(path))).toEqual([
    403,
    'permission_denied',
  ])
})

test('a Project in which the caller may do nothing is not found, as a foreign or a missing one', async () => {
  const userId = world.user('member')
  await give({ type: 'user', id: userId }, ['agents:get'])
  const foreign = await world.project(world.organization().owner)
  const asked = async (client: Client, projectId: string) => {
    const { status, body } = await client.get(path, { query: { projectId } })
    return [status, body.error.details.issues[0].path]
  }
  const notFound = [404, '/query/projectId']
  const member = world.keyOf(userId)
  expect(await asked(member, projects[1]!.id)).toEqual(notFound)
  expect(await asked(member, foreign.id)).toEqual(notFound)
  expect(await asked(world.owner, foreign.id)).toEqual(notFound)
  expect(await asked(world.owner, newId('prj'))).toEqual(notFound)
  expect((await asked(world.owner, 'prj_no'))[0]).toBe(422)
})
