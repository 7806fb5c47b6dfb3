import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { outcome } from '../../support/world/replies.ts'
import { openWorld, ours, type World } from '../organizations/world.ts'
import { signIn } from '../sessions/browser.ts'

const events = `${ours}/audit-events`

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

describe('the audit log', () => {
  test('shows a line in the shape of the contract', async () => {
    world.clock.advance(1_000)
    const { body: group, requestId } = await world.owner.post(`${ours}/user-groups`, { name: 'Group' })
    const { status, body } = await world.owner.get(events, { query: { limit: 1 } })
    const [{ id, actor, ...line }] = body.data.items
    expect(status).toBe(200)
    expect(id).toMatch(/^aud_/)
    expect(actor.type).toBe('apiKey')
    expect(actor.id).toMatch(/^key_/)
    expect(line).toEqual({
      at: new Date(world.clock.now()).toISOString(),
      ip: '127.0.0.1',
      operation: 'createUserGroup',
      resource: { type: 'userGroup', id: group.data.id },
      outcome: 'allowed',
      requestId,
      requestIdFrom: 'server',
      changed: ['name'],
      count: 1,
    })
  })

  test("names the user of a session, and the caller's request id", async () => {
    const session = await signIn(world.troupe)
    world.clock.advance(1_000)
    await session.patch(ours, { name: 'Default' }, { headers: { 'x-request-id': 'my-request' } })
    const { body } = await world.owner.get(events, { query: { limit: 1 } })
    expect(body.data.items[0]).toMatchObject({
      actor: { type: 'user', id: world.ownerId },
      requestId: 'my-request',
      requestIdFrom: 'client',
    })
  })

  test.each([
    ['owner', 200],
    ['admin', 200],
    ['member', '403 permission_denied'],
  ] as const)('is for %s: %s', async (role, expected) => {
    expect(outcome(await world.person(role).client.get(events))).toBe(expected)
  })

  test('is not for keys without the permission, bound keys, unauthenticated callers or other organizations', async () => {
    const weak = world.keyOf(world.organizationId, world.ownerId, ['organizations:get']).client
    const reply = await weak.get(events)
    expect(outcome(reply)).toBe('403 permission_denied')
    expect(reply.body.error.details).toEqual({ permission: 'organizations:manage-members' })
    const project = world.tenancy.project(world.organizationId)
    const bound = world.keyOf(world.organizationId, world.ownerId, undefined, { project_id: project }).client
    expect(outcome(await bound.get(events))).toBe('403 permission_denied')
    expect(outcome(await world.as(null).get(events))).toBe('401 unauthenticated')
    expect(outcome(await world.elsewhere().owner.client.get(events))).toBe('404 not_found')
  })

  test('contains only events of the organization', async () => {
    const { path, owner } = world.elsewhere()
    await owner.client.patch(path, { name: 'Elsewhere' })
    const { body } = await owner.client.get(`${path}/audit-events`)
    expect(body.data.items).toHaveLength(1)
    expect(body.data.items[0]).toMatchObject({ operation: 'updateOrganization', actor: { id: owner.keyId } })
  })

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('cannot be changed: %s answers 405', async (method) => {
    const reply = await world.owner.call(method, events, method === 'DELETE' ? undefined : {})
    expect(outcome(reply)).toBe('405 method_not_allowed')
  })

  test('cannot be changed in the store', () => {
    const update = () => world.tenancy.run("update audit_events set outcome = 'denied'")
    expect(update).toThrow('immutable')
  })

  test('counts only up', () => {
    const count = (by: string) => () => world.tenancy.run(`update audit_events set count = count ${by}`)
    expect(count('+ 1')).not.toThrow()
    expect(count('- 1')).toThrow('immutable')
  })
})
