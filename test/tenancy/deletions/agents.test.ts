import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { endedStates, insertAgent, insertRun, liveStates, tracesOffTheBill } from './rows.ts'
import { openWorld, plantProject, settled, type Tree, type World } from './world.ts'

let world: World
let tree: Tree
beforeAll(async () => {
  world = await openWorld()
  tree = await plantProject(world, 'agents')
})
afterAll(() => world?.stop())

const pathOf = (agentId: string, projectId = tree.projectId) => `/api/v1/projects/${projectId}/agents/${agentId}`
const place = () => ({ organizationId: world.organizationId, projectId: tree.projectId })

describe('an Agent without live dependents', () => {
  let other: { id: string; revisionId: string }
  let otherRun: string
  let before: Record<string, number>
  let ids: string[]
  beforeAll(() => {
    other = insertAgent(world.database, place(), 'other')
    otherRun = insertRun(
      world.database,
      { ...place(), agentId: other.id, agentRevisionId: other.revisionId },
      // live, and without a lease that the server could declare lost meanwhile
      'awaitingToolResult',
    )
    ids = [tree.agentId, tree.agentRevisionId, ...tree.runs, tree.keys[2]?.id as string]
    before = tracesOffTheBill(world.database, [other.id, other.revisionId, otherRun])
  })

  test('is accepted with 202 and the Agent, which is deleting', async () => {
    const { status, body } = await world.owner.delete(pathOf(tree.agentId))
    expect(status).toBe(202)
    expect(body.data).toMatchObject({ id: tree.agentId, projectId: tree.projectId, slug: 'helper', status: 'deleting' })
  })

  test('is removed with its revisions, its runs and the keys bound to it', async () => {
    await settled(world, tree.agentId)
    expect(Object.keys(tracesOffTheBill(world.database, ids)).sort()).toEqual([
      'audit_events.resource_id',
      'deletions.id',
      'timers.actor_id',
      'transitions.actor_id',
    ])
    expect((await world.owner.delete(pathOf(tree.agentId))).status).toBe(404)
    expect((await tree.keys[2]?.client.get('/api/v1/projects'))?.status).toBe(401)
  })

  test('and nothing else is removed: its Project, its siblings and their live runs remain', async () => {
    expect(tracesOffTheBill(world.database, [other.id, other.revisionId, otherRun])).toEqual(before)
    expect((await world.owner.get(`/api/v1/projects/${tree.projectId}`)).body.data.status).toBe('active')
    expect((await tree.keys[0]?.client.get('/api/v1/projects'))?.status).toBe(200)
  })

  test('its slug is free again', () => {
    expect(() => insertAgent(world.database, place(), 'helper')).not.toThrow()
  })

  test('its receipt is visible to users who may delete Agents there', async () => {
    const path = `/api/v1/actors/deletion/${tree.agentId}`
    expect((await world.owner.get(path)).body.data).toMatchObject({ state: 'settling', context: { target: 'agent' } })
    expect((await tree.keys[0]?.client.get(path))?.status).toBe(200)
    expect((await tree.keys[1]?.client.get(path))?.status).toBe(404)
  })
})

describe('an Agent with live dependents', () => {
  test.each(liveStates)('a run that is %s: 409 agent_in_use, and nothing changes', async (state) => {
    const agent = insertAgent(world.database, place(), `with-${state.toLowerCase()}`)
    const run = insertRun(world.database, { ...place(), agentId: agent.id }, state)
    const { status, body } = await world.owner.delete(pathOf(agent.id))
    // a run that winds down may have ended by now
    if (status === 202) return settled(world, agent.id)
    expect({ status, ...body.error, requestId: undefined }).toMatchObject({
      status: 409,
      code: 'agent_in_use',
      message: expect.stringContaining('end its runs first'),
      details: { dependents: [{ type: 'agentRun', id: run }] },
    })
    const { query } = world.database
    const status_ = query.call(world.database, 'select status from agents where id = ?').get(agent.id)
    expect(status_).toEqual({ status: 'active' })
    expect(world.database.query('select id from deletions where id = ?').get(agent.id)).toBeNull()
    return undefined
  })

  test('names the first twenty', async () => {
    const agent = insertAgent(world.database, place(), 'busy')
    for (let count = 0; count < 25; count += 1) insertRun(world.database, { ...place(), agentId: agent.id }, 'queued')
    const { status, body } = await world.owner.delete(pathOf(agent.id))
    expect({ status, shown: body.error.details.dependents.length }).toEqual({ status: 409, shown: 20 })
  })

  test.each(endedStates)('a run that is %s is no obstacle', async (state) => {
    const agent = insertAgent(world.database, place(), `after-${state}`)
    const run = insertRun(world.database, { ...place(), agentId: agent.id }, state)
    expect((await world.owner.delete(pathOf(agent.id))).status).toBe(202)
    await settled(world, agent.id)
    expect(tracesOffTheBill(world.database, [run])).toEqual({})
  })
})

test('of eight equal requests one is accepted, the others get deletion_in_progress', async () => {
  const { id } = insertAgent(world.database, place(), 'eight')
  const answers = await Promise.all(Array.from({ length: 8 }, () => world.owner.delete(pathOf(id))))
  expect(answers.map(({ status, body }) => body.error?.code ?? status).sort()).toEqual(
    [202, ...Array(7).fill('deletion_in_progress')].sort(),
  )
  await settled(world, id)
})

test('a Project and its Agents can be deleted at once: everything is removed, including the receipts of the Agents', async () => {
  const both = await plantProject(world, 'at-once')
  const agents = Array.from({ length: 10 }, (_, index) =>
    insertAgent(world.database, { organizationId: world.organizationId, projectId: both.projectId }, `agent-${index}`),
  )
  const answers = await Promise.all([
    ...agents.map(({ id }) => world.owner.delete(pathOf(id, both.projectId))),
    world.owner.delete(`/api/v1/projects/${both.projectId}`),
  ])
  expect(answers.at(-1)?.status).toBe(202)
  for (const { status } of answers) expect([202, 404, 409]).toContain(status)
  await settled(world, both.projectId)
  const { database } = world
  expect(
    database.query('select id from deletions where project_id = ? and id <> project_id').all(both.projectId),
  ).toEqual([])
  const left = tracesOffTheBill(database, [both.agentId, ...agents.map(({ id }) => id)])
  expect(Object.keys(left).filter((place_) => place_ !== 'audit_events.resource_id')).toEqual([])
})

describe('permissions to delete an Agent', () => {
  test('a wrong path answers 404', async () => {
    const agent = insertAgent(world.database, place(), 'elsewhere')
    const other = await plantProject(world, 'other-project')
    expect((await world.owner.delete(pathOf(agent.id, other.projectId))).status).toBe(404)
    expect((await world.owner.delete(pathOf('agt_nothing'))).status).toBe(404)
    expect((await other.keys[0]?.client.delete(pathOf(agent.id)))?.status).toBe(404)
  })

  test('a key bound to the Agent may, and ends with it', async () => {
    const own = await plantProject(world, 'own')
    const key = own.keys[2]?.client
    expect((await key?.delete(pathOf(own.agentId, own.projectId)))?.status).toBe(202)
    await settled(world, own.agentId)
    expect((await key?.get('/api/v1/projects'))?.status).toBe(401)
  })

  test('the key of an Environment may not: 403', async () => {
    const own = await plantProject(world, 'own-environment')
    const { status } = (await own.keys[1]?.client.delete(pathOf(own.agentId, own.projectId))) ?? {}
    expect(status).toBe(403)
  })
})
