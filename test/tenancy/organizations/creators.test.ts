/** Who may create organizations unless the operator has opened that to anyone. Source: contract 1. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { permissions } from '../../../src/platform/http/guard/permissions.ts'
import { outcome } from '../../support/world/replies.ts'
import { newMember, signIn } from '../sessions/browser.ts'
import { openWorld, organizationsPath, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ TROUPE_CREATE_ORGANIZATIONS: '' })
})
afterAll(() => world?.close())

let count = 0
const create = (client: Pick<World['owner'], 'post'>) => {
  count += 1
  return client.post(organizationsPath, { name: 'One more', slug: `one-more-${count}` })
}

test('owners of the first organization, by key and by session', async () => {
  expect(outcome(await create(world.owner))).toBe(200)
  expect(outcome(await create(await signIn(world.troupe)))).toBe(200)
  expect(outcome(await create(world.person('owner').client))).toBe(200)
})

test.each(['admin', 'member'] as const)('no %s, who is told how to change that', async (role) => {
  const reply = await create(world.person(role).client)
  expect(outcome(reply)).toBe('403 permission_denied')
  expect(reply.body.error.message).toContain('TROUPE_CREATE_ORGANIZATIONS=anyone')
  const session = await newMember(world.troupe, world.organizationId, `${role}@example.com`, role)
  expect(outcome(await create(session))).toBe('403 permission_denied')
})

test.each([
  ['a member', () => world.person('member').client],
  [
    'a key of a Project',
    () => {
      const scope = { project_id: world.tenancy.project(world.organizationId) }
      return world.keyOf(world.organizationId, world.ownerId, permissions, scope).client
    },
  ],
] as const)('%s learns nothing about the body', async (_, clientOf) => {
  const client = clientOf()
  for (const body of [{ name: 'z' }, { name: 'One more', slug: 'one-more' }]) {
    expect(outcome(await client.post(organizationsPath, body))).toBe('403 permission_denied')
  }
})

test('no owner of another organization', async () => {
  expect(outcome(await create(world.elsewhere().owner.client))).toBe('403 permission_denied')
})

test('an owner who loses the role, from the next request on', async () => {
  const person = world.person('owner')
  expect(outcome(await create(person.client))).toBe(200)
  const member = `${organizationsPath}/${world.organizationId}/members/${person.id}`
  expect(outcome(await world.owner.patch(member, { role: 'admin' }))).toBe(200)
  expect(outcome(await create(person.client))).toBe('403 permission_denied')
})

test('a refusal creates no organization and stores no Idempotency-Key', async () => {
  const person = world.person('member')
  const headers = { 'idempotency-key': 'once' }
  const body = { name: 'Refused', slug: 'refused' }
  expect(outcome(await person.client.post(organizationsPath, body, { headers }))).toBe('403 permission_denied')
  expect(outcome(await world.owner.get(`${organizationsPath}/refused`))).toBe('404 not_found')
  world.tenancy.run(`update memberships set role = 'owner' where user_id = ?`, person.id)
  expect(outcome(await person.client.post(organizationsPath, body, { headers }))).toBe(200)
})
