/** The servers of the store: visible to the operator of the installation only. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openWorld, type World } from '../../support/world/world.ts'

const path = '/api/v1/processes'
let world: World
beforeAll(async () => {
  world = await openWorld({ environment: { TROUPE_RUNNER: 'none' } })
})
afterAll(() => world.stop())

test('a server alone has all slots', async () => {
  const { status, body } = await world.owner.get(path)
  expect(status).toBe(200)
  const slots = Array.from({ length: 64 }, (_, slot) => slot)
  expect(body.data.items).toEqual([
    expect.objectContaining({ answering: true, slots, clockSkewMs: 0, version: expect.any(String) }),
  ])
  const { process } = (await world.as(null).get('/readyz')).body
  expect(process).toMatchObject({ id: body.data.items[0].id, clock: 'ok', lagMs: expect.any(Number), slots })
  const metrics = await (await world.owner.raw('GET', '/metrics')).text()
  expect(metrics).toContain(`troupe_process_info{process="${process.id}"`)
  expect(metrics).toMatch(/^troupe_slots 64$/m)
})

test('an admin of the first organization, and the owner of another, are refused', async () => {
  const admin = world.keyOf(world.user('admin'))
  for (const client of [admin, world.organization().owner]) {
    const { status, body } = await client.get(path)
    expect([status, body.error.code]).toEqual([403, 'permission_denied'])
  }
})

test('a key that is bound to a Project is refused', async () => {
  const { id } = await world.project()
  expect((await world.keyOf(world.ownerId, { projectId: id }).get(path)).status).toBe(403)
})

test('a cursor of another list is refused', async () => {
  const { status, body } = await world.owner.get(path, { query: { cursor: 'nonsense' } })
  expect([status, body.error.code]).toEqual([422, 'invalid_cursor'])
})
