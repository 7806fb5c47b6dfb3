import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { openWorld, type World } from '../../support/world/world.ts'

let world: World
let project: Awaited<ReturnType<World['project']>>
let agentsPath: string
let count = 0

beforeAll(async () => {
  world = await openWorld()
  project = await world.project()
  agentsPath = `${project.path}/agents`
})
afterAll(() => world?.stop())

const agent = async (body: object = {}) => {
  count += 1
  const reply = await world.owner.post(agentsPath, { slug: `agent-${count}`, name: 'Agent', ...body })
  expect(reply.status).toBe(201)
  return reply.body.data as { id: string; slug: string }
}

describe('another organization, another Project and an id that never existed return the same 404', () => {
  test.each<[string, string, object?]>([
    ['GET', ''],
    ['PATCH', '', { name: 'Mine' }],
    ['GET', '/revisions'],
    ['POST', '/revisions', { content: { instructions: 'Help.' } }],
    ['GET', '/revisions/agr_01h455vb4pex5vsknk084sn02q'],
  ] as [string, string, object | undefined][])('%s %s', async (method, below, ...[body]) => {
    const { id } = await agent()
    const other = await world.project()
    const foreigner = world.organization().owner
    const replies = [
      await foreigner.call(method, `${agentsPath}/${id}${below}`, body),
      await world.owner.call(method, `${other.path}/agents/${id}${below}`, body),
      await world.owner.call(method, `${agentsPath}/${newId('agt')}${below}`, body),
      await world.owner.call(method, `${agentsPath}/nonsense${below}`, body),
    ]
    const texts = replies.map(({ status, body: answer }) =>
      JSON.stringify([status, { ...answer.error, requestId: '' }]),
    )
    expect(new Set(texts).size).toBe(1)
    expect(replies[0]?.status).toBe(404)
  })

  test('also for the list and for creation', async () => {
    const foreigner = world.organization().owner
    expect((await foreigner.get(agentsPath)).status).toBe(404)
    expect((await foreigner.post(agentsPath, { slug: 'mine', name: 'Mine' })).status).toBe(404)
  })
})

describe('a key', () => {
  test.each<[string, string, string, object?]>([
    ['agents:list', 'GET', ''],
    ['agents:push', 'POST', '', { slug: 'a', name: 'A' }],
    ['agents:get', 'GET', '/:agent'],
    ['agents:push', 'PATCH', '/:agent', {}],
    ['agents:revisions:list', 'GET', '/:agent/revisions'],
    ['agents:revisions:create', 'POST', '/:agent/revisions', { content: { instructions: 'Help.' } }],
    ['agents:revisions:get', 'GET', '/:agent/revisions/agr_01h455vb4pex5vsknk084sn02q'],
  ] as [string, string, string, object | undefined][])(
    'without %s: %s %s returns 403',
    async (permission, method, below, ...[body]) => {
      const { id } = await agent()
      const key = world.keyOf(world.ownerId, { operations: ['templates:read'] })
      const reply = await key.call(method, agentsPath + below.replace(':agent', id), body)
      expect([reply.status, reply.body.error.details]).toEqual([403, { permission }])
    },
  )

  test('that is bound to an Agent can read and change only that one', async () => {
    const [own, other] = [await agent(), await agent()]
    const key = world.keyOf(world.ownerId, { projectId: project.id, agentId: own.id })
    const { body } = await key.get(agentsPath)
    expect(body.data.items.map(({ id }: { id: string }) => id)).toEqual([own.id])
    expect(body.pagination).toEqual({ limit: 20, hasMore: false })
    expect((await key.get(`${agentsPath}/${own.id}`)).status).toBe(200)
    expect((await key.patch(`${agentsPath}/${own.id}`, { name: 'Own' })).status).toBe(200)
    const published = await key.post(`${agentsPath}/${own.id}/revisions`, { content: { instructions: 'Help.' } })
    expect(published.status).toBe(201)
    expect((await key.get(`${agentsPath}/${other.id}`)).status).toBe(404)
    expect((await key.patch(`${agentsPath}/${other.id}`, { name: 'Other' })).status).toBe(404)
    expect((await key.get(`${agentsPath}/${other.id}/revisions`)).status).toBe(404)
    expect((await key.post(agentsPath, { slug: 'third', name: 'Third' })).status).toBe(403)
  })

  test('that is bound to an Environment reads the Agents of its Project and changes none', async () => {
    const { id } = await agent()
    const key = world.keyOf(world.ownerId, { projectId: project.id, environmentId: project.environments[0] })
    expect((await key.get(`${agentsPath}/${id}`)).status).toBe(200)
    expect((await key.patch(`${agentsPath}/${id}`, { name: 'Mine' })).status).toBe(403)
    expect((await key.post(agentsPath, { slug: 'mine', name: 'Mine' })).status).toBe(403)
  })
})

describe('while the Project is being deleted', () => {
  test('its Agents can be read, creation returns 409, and a change 404', async () => {
    const doomed = await world.project()
    const { body } = await world.owner.post(`${doomed.path}/agents`, { slug: 'a', name: 'A' })
    const path = `${doomed.path}/agents/${body.data.id}`
    world.rows("update projects set status = 'deleting' where id = ?", doomed.id)
    expect((await world.owner.get(path)).status).toBe(200)
    const creation = await world.owner.post(`${doomed.path}/agents`, { slug: 'b', name: 'B' })
    expect([creation.status, creation.body.error.code]).toEqual([409, 'deletion_in_progress'])
    expect((await world.owner.patch(path, { name: 'B' })).status).toBe(404)
    const revision = await world.owner.post(`${path}/revisions`, { content: { instructions: 'Help.' } })
    expect([revision.status, revision.body.error.code]).toEqual([409, 'deletion_in_progress'])
  })
})

test('creation, change and publication each leave one line in the audit log', async () => {
  const { id } = await agent()
  world.clock.advance(1)
  await world.owner.patch(`${agentsPath}/${id}`, { name: 'Audited' })
  world.clock.advance(1)
  const revision = await world.owner.post(`${agentsPath}/${id}/revisions`, {
    content: { instructions: 'Secret plan.' },
  })
  const lines = world.rows<{ operation: string; resource_type: string; resource_id: string; changed: string }>(
    'select operation, resource_type, resource_id, changed from audit_events where resource_id in (?, ?) order by id',
    id,
    revision.body.data.id,
  )
  expect(lines).toEqual([
    { operation: 'createAgent', resource_type: 'agent', resource_id: id, changed: '["name","slug"]' },
    { operation: 'updateAgent', resource_type: 'agent', resource_id: id, changed: '["name"]' },
    {
      operation: 'createAgentRevision',
      resource_type: 'agentRevision',
      resource_id: revision.body.data.id,
      changed: '["content"]',
    },
  ])
})
