import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { builtInAgents } from '../../../src/authoring/system-agents/built-in.ts'
import { newId } from '../../../storage/ids.ts'
import { walk } from '../../support/world/replies.ts'
import { openWorld, type World } from '../../support/world/world.ts'

const path = '/api/v1/system-agents'
const assistant = 'agt_system_assistant'
let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

test('a System Agent is shown without its instructions', async () => {
  const { status, body } = await world.owner.get(`${path}/${assistant}`)
  expect(status).toBe(200)
  const { latestRevisionId, contentDigest, ...rest } = body.data
  expect(latestRevisionId).toMatch(/^agr_/)
  expect(contentDigest).toMatch(/^sha256:[0-9a-f]{64}$/)
  expect(rest).toEqual({
    id: assistant,
    name: 'Assistant',
    description: 'A plain assistant that can tell the time and calculate.',
    presentation: builtInAgents[assistant]?.presentation,
    number: 1,
    enabled: true,
    createdAt: new Date(world.clock.now()).toISOString(),
  })
  for (const { instructions } of Object.values(builtInAgents)) {
    expect(JSON.stringify(body)).not.toContain(instructions.slice(0, 40))
  }
})

test('the list contains all, by id, page by page', async () => {
  const { items, sizes } = await walk(world.owner, path, 1)
  expect(items.map(({ id }) => id)).toEqual(Object.keys(builtInAgents).sort())
  expect(sizes).toEqual([1, 1])
  for (const item of items) expect((await world.owner.get(`${path}/${item.id}`)).body.data).toEqual(item)
})

test.each([newId('agt'), 'agt_system_nobody', 'nonsense', 'agt_'])('%s returns 404', async (id) => {
  expect((await world.owner.get(`${path}/${id}`)).status).toBe(404)
})

test("a Project's Agent is not a System Agent", async () => {
  const project = await world.project()
  const { body } = await world.owner.post(`${project.path}/agents`, { slug: 'mine', name: 'Mine' })
  expect((await world.owner.get(`${path}/${body.data.id}`)).status).toBe(404)
  expect((await world.owner.get(`${project.path}/agents/${assistant}`)).status).toBe(404)
})

describe('System Agents can be read', () => {
  test('by every organization, with the same result', async () => {
    const other = world.organization().owner
    expect((await other.get(`${path}/${assistant}`)).body).toEqual((await world.owner.get(`${path}/${assistant}`)).body)
  })

  test.each([
    ['agents:list', ''],
    ['agents:get', `/${assistant}`],
  ])('not without %s (403)', async (permission, below) => {
    const key = world.keyOf(world.ownerId, { operations: ['templates:read'] })
    const { status, body } = await key.get(path + below)
    expect([status, body.error.details]).toEqual([403, { permission }])
  })

  test('not by a key that is bound to a part of the organization', async () => {
    const project = await world.project()
    const agent = (await world.owner.post(`${project.path}/agents`, { slug: 'mine', name: 'Mine' })).body.data.id
    const [environmentId] = project.environments
    for (const scope of [{}, { environmentId }, { agentId: agent as string }]) {
      const key = world.keyOf(world.ownerId, { projectId: project.id, ...scope })
      expect((await key.get(path)).body.data.items).toEqual([])
      expect((await key.get(`${path}/${assistant}`)).status).toBe(404)
    }
  })

  test('not by a member who may read Agents of one Project only', async () => {
    const project = await world.project()
    const member = world.user('member')
    const { status } = await world.owner.post(`${project.path}/access-grants`, {
      subject: { type: 'user', id: member },
      permissions: ['agents:list', 'agents:get'],
    })
    expect(status).toBe(201)
    const key = world.keyOf(member)
    expect((await key.get(`${project.path}/agents`)).status).toBe(200)
    expect((await key.get(path)).body.data.items).toEqual([])
    expect((await key.get(`${path}/${assistant}`)).status).toBe(404)
  })
})

test.each(['POST', 'PUT', 'DELETE'])('%s returns 405', async (method) => {
  expect((await world.owner.call(method, `${path}/${assistant}`, undefined)).status).toBe(405)
})
