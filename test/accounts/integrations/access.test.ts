/** Reading, changing and deleting integrations, by caller. Source: requirement 4.8; contract 0, "Foreign = missing", 4. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { eventually } from '../../support/process.ts'
import { expectError } from '../../support/world/replies.ts'
import { anotherOrganization, base, clientOf, dataOf, openWorld, type World } from './world.ts'

const clock = new HandClock()
let world: World
let id: string
let other: Awaited<ReturnType<typeof anotherOrganization>>
const nowhere = 'int_01h455vb4pex5vsknk084sn02q'

beforeAll(async () => {
  world = await openWorld({ clock, presetKeys: ['second'] })
  id = dataOf(await world.register()).id
  other = await anotherOrganization(world.troupe)
})
afterAll(() => world?.stop())

const keyWith = async (body: object) => {
  const { body: made } = await world.troupe.owner.post('/api/v1/api-keys', { name: 'key', ...body })
  return world.troupe.as(made.data.secret)
}

test('the list is newest first and holds all integrations of the organization and none of another', async () => {
  clock.advance(1_000)
  const second = dataOf(await world.register({ presetKey: 'second' }))
  expect((await world.list()).body).toEqual({ data: { items: [second, dataOf(await world.get(id))] } })
  expect((await clientOf(other.client, other.path).list()).body).toEqual({ data: { items: [] } })
  await world.remove(second.id)
})

test.each([base, '/api/v1/organizations/nobodys/integrations'])(
  "the list of an organization that is not the caller's is 403, existing or not: %s",
  async (path) => {
    const reply = await other.client.get(path)
    expectError(reply, 403, 'permission_denied')
    expect(reply.body.error.details).toEqual({ permission: 'organization-integrations:list' })
  },
)

test('the API document lists no 404 for the list operation, and one for every other operation', async () => {
  const { paths } = (await world.troupe.owner.get('/docs/json')).body
  const path = paths['/api/v1/organizations/{organizationIdOrSlug}/integrations']
  expect(Object.keys(path.get.responses)).not.toContain('404')
  expect(Object.keys(path.get.responses)).toContain('403')
  expect(Object.keys(path.post.responses)).toContain('404')
})

const operations: [string, (client: ReturnType<typeof clientOf>, id: string) => Promise<{ status: number }>][] = [
  ['get', (client, which) => client.get(which)],
  ['rotate', (client, which) => client.rotate(which, { clientSecret: 'x' })],
  ['verify', (client, which) => client.verify(which)],
  ['remove', (client, which) => client.remove(which)],
]
test.each(operations)('%s returns the same 404 for a foreign integration as for a missing one', async (_, call) => {
  const asked = world.provider.asked.length
  const foreign = clientOf(other.client, other.path)
  const bodies = [await call(foreign, id), await call(foreign, nowhere), await call(foreign, 'int_x')].map((reply) => {
    const { status, body } = reply as { status: number; body: { error: { requestId?: string } } }
    const { requestId: _, ...error } = body.error
    return { status, error }
  })
  expect(bodies[0]).toMatchObject({ status: 404, error: { code: 'not_found' } })
  expect(bodies[1]).toEqual(bodies[0] as (typeof bodies)[0])
  expect(bodies[2]).toEqual(bodies[0] as (typeof bodies)[0])
  expect(world.provider.asked).toHaveLength(asked)
})

test('the actor of a foreign integration returns 404, also to a key bound to a Project', async () => {
  const path = `/api/v1/actors/integration/${id}`
  expectError(await other.client.get(path), 404, 'not_found')
  const project = dataOf201(await world.troupe.owner.post('/api/v1/projects', { slug: 'bound', name: 'Bound' }))
  const bound = await keyWith({ operations: ['*'], projectId: project.id })
  expectError(await bound.get(path), 404, 'not_found')
  expectError(await bound.get(base), 403, 'permission_denied')
})
const dataOf201 = ({ body }: { body: { data: { id: string } } }) => body.data

test('the audit log records who did what to which integration and which fields changed, never their values', async () => {
  clock.advance(1_000)
  await world.rotate(id, { clientSecret: 'secret-audited' })
  clock.advance(1_000)
  await world.verify(id)
  const events = (await world.troupe.owner.get('/api/v1/organizations/default/audit-events')).body.data.items
  const ours = events.filter(({ resource }: { resource: { type: string } }) => resource.type === 'integration')
  expect(ours.slice(0, 2)).toMatchObject([
    { operation: 'verifyIntegration', resource: { id }, outcome: 'allowed', changed: [] },
    { operation: 'rotateIntegration', resource: { id }, outcome: 'allowed', changed: ['clientSecret'] },
  ])
  expect(JSON.stringify(events)).not.toContain('secret-audited')
})

test('of eight concurrent deletions, one returns 204 and the others 404', async () => {
  const replies = await Promise.all(Array.from({ length: 8 }, () => world.remove(id)))
  expect(replies.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404, 404, 404, 404])
  expect(world.rows('integrations')).toEqual([])
  expect(world.rows('integration_versions')).toEqual([])
  expect(world.rows('transitions').filter(({ kind }) => kind === 'integration')).toEqual([])
  expectError(await world.get(id), 404, 'not_found')
  expectError(await world.troupe.owner.get(`/api/v1/actors/integration/${id}`), 404, 'not_found')
})

test('after a deletion the preset can be registered again, as a new integration', async () => {
  const again = dataOf(await world.register({ clientId: 'another' }))
  expect([again.clientId, again.currentVersion.number]).toEqual(['another', 1])
  expect(again.id).not.toBe(id)
})

test('integrations are deleted with their organization', async () => {
  const theirs = clientOf(other.client, other.path)
  const { id: theirId } = dataOf(await theirs.register())
  const organization = `/api/v1/organizations/${other.id}`
  expect((await other.client.delete(organization)).status).toBe(202)
  await eventually('the deletion of the integrations', async () => {
    clock.advance(1_000)
    return !world.rows('integrations').some(({ id }) => id === theirId)
  })
  expect(world.rows('integration_versions').filter(({ integration_id }) => integration_id === theirId)).toEqual([])
})
