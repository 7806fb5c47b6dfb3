import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { DeletionProgress } from '../../../src/tenancy/deletions/progress.ts'
import { newId } from '../../../storage/ids.ts'
import { eventually } from '../../support/process.ts'
import { endedStates, insertRun, liveStates, tracesOffTheBill } from './rows.ts'
import { allStates, openWorld, plantProject, settled, type Tree, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

const project = (id: string) => `/api/v1/projects/${id}`

describe('a Project with a run in every state', () => {
  let doomed: Tree
  let neighbour: Tree
  let neighbourBefore: Record<string, number>
  let countedBefore: Record<string, number>

  /** Stored runs as operators see them: by outcome, and the live ones. */
  const counted = async (): Promise<Record<string, number>> => {
    const text = await (await fetch(`${world.url}/metrics`)).text()
    const of = (state: string) => Number(new RegExp(`^troupe_runs\\{state="${state}"\\} (\\d+)$`, 'm').exec(text)?.[1])
    const live = liveStates.reduce((sum, state) => sum + of(state), 0)
    return { ...Object.fromEntries(endedStates.map((state) => [state, of(state)])), live }
  }
  beforeAll(async () => {
    doomed = await plantProject(world, 'doomed', allStates)
    neighbour = await plantProject(world, 'neighbour', allStates.slice(7))
    neighbourBefore = tracesOffTheBill(world.database, neighbour.ids)
    countedBefore = await counted()
  })

  test('is accepted with 202 and the Project, which is deleting', async () => {
    const before = (await world.owner.get(project(doomed.projectId))).body.data
    const { status, body } = await world.owner.delete(project(doomed.projectId))
    expect(status).toBe(202)
    const deletion = {
      runsCounted: 0,
      isCounted: false,
      runsRemoved: 0,
      recordsRemoved: 0,
      requestedAt: expect.any(String),
    }
    expect(body).toEqual({ data: { ...before, status: 'deleting', deletion, updatedAt: expect.any(String) } })
  })

  test('can be read while runs wind down', async () => {
    const { status, body } = await world.owner.get(project(doomed.projectId))
    expect({ status, is: body.data.status }).toEqual({ status: 200, is: 'deleting' })
    const key = await doomed.keys[0]?.client.get(project(doomed.projectId))
    expect(key?.status).toBe(200)
    expect((await world.owner.get(`${project(doomed.projectId)}/environments`)).status).toBe(200)
  })

  test.each([
    ['PATCH', '', { name: 'Other' }],
    ['POST', '/access-grants', { subject: { type: 'user', id: newId('usr') }, permissions: ['projects:get'] }],
  ] as const)('cannot be changed: %s %s is refused', async (method, path, body) => {
    const answer = await world.owner.call(method, project(doomed.projectId) + path, body)
    expect([404, 409]).toContain(answer.status)
  })

  test('a second DELETE answers 409 deletion_in_progress, with the state of the Project', async () => {
    const { status, body } = await world.owner.delete(project(doomed.projectId))
    expect({ status, code: body.error.code }).toEqual({ status: 409, code: 'deletion_in_progress' })
    expect(body.error.details).toEqual({ currentState: 'deleting' })
  })

  test('is removed with everything in it: no table contains one of its ids, except the receipt and the audit log', async () => {
    const { database } = world
    await settled(world, doomed.projectId)
    const left = tracesOffTheBill(database, doomed.ids)
    expect(left).toEqual({
      'deletions.id': 1,
      'deletions.project_id': 1,
      'transitions.actor_id': 3,
      'timers.actor_id': 1,
      'audit_events.resource_id': expect.any(Number) as unknown as number,
    })
    expect(database.query('select count(*) as n from pragma_foreign_key_check').get()).toEqual({ n: 0 })
  })

  test('and nothing else is removed', () => {
    expect(tracesOffTheBill(world.database, neighbour.ids)).toEqual(neighbourBefore)
  })

  test('and the metrics count the remaining runs', async () => {
    // live ones may end meanwhile
    expect(Object.values(countedBefore).reduce((sum, count) => sum + count)).toBe(15)
    for (const state of endedStates) expect(countedBefore[state]).toBeGreaterThanOrEqual(2)
    expect(await counted()).toEqual({ completed: 1, failed: 1, canceled: 1, expired: 1, live: 0 })
  })

  test.each(['', '/environments', '/access-grants'])('afterwards %p answers 404', async (path) => {
    expect((await world.owner.get(project(doomed.projectId) + path)).status).toBe(404)
    expect((await world.owner.delete(project(doomed.projectId))).status).toBe(404)
  })

  test('its runs and Environments answer 404', async () => {
    for (const id of doomed.runs) expect((await world.owner.get(`/api/v1/agent-runs/${id}`)).status).toBe(404)
    for (const id of doomed.environments) {
      expect((await world.owner.get(`/api/v1/actors/environment/${id}`)).status).toBe(404)
    }
  })

  test('keys that were bound to it answer 401, those of the neighbor work', async () => {
    for (const { client } of doomed.keys) expect((await client.get('/api/v1/projects')).status).toBe(401)
    for (const { client } of neighbour.keys) expect((await client.get('/api/v1/projects')).status).toBe(200)
  })

  test('its slug is free again', async () => {
    expect((await world.owner.post('/api/v1/projects', { slug: 'doomed', name: 'Again' })).status).toBe(201)
  })

  test('its receipt is an actor like others: state, journal and statechart agree', async () => {
    const path = `/api/v1/actors/deletion/${doomed.projectId}`
    const { status, body } = await world.owner.get(path)
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ state: 'settling', context: { target: 'project' } })
    expect(body.data.journal.map(({ to }: { to: string }) => to)).toEqual(['draining', 'removing', 'settling'])
    expect((await world.owner.get(`${path}/verify`)).body.data.valid).toBe(true)
  })

  test('the receipt is visible to users who may delete Projects, and to nobody else', async () => {
    const path = `/api/v1/actors/deletion/${doomed.projectId}`
    const keyWith = async (...operations: string[]) => {
      const { secret } = await world.post('/api/v1/api-keys', { name: 'key', operations })
      return (await world.as(secret).get(path)).status
    }
    expect(await keyWith('projects:delete')).toBe(200)
    expect(await keyWith('agents:delete', 'organizations:delete')).toBe(404)
    expect(await keyWith('projects:get')).toBe(403)
    expect((await neighbour.keys[2]?.client.get(path))?.status).toBe(404)
    expect((await world.owner.get(`/api/v1/actors/deletion/${neighbour.projectId}`)).status).toBe(404)
  })

  test('nothing was logged as an error', () => {
    expect(world.lines.filter(({ level }) => Number(level) >= 50)).toEqual([])
  })
})

test('of eight equal requests one is accepted, the others get deletion_in_progress', async () => {
  const { projectId } = await plantProject(world, 'eight', ['completed'])
  const answers = await Promise.all(Array.from({ length: 8 }, () => world.owner.delete(project(projectId))))
  const codes = answers.map(({ status, body }) => body.error?.code ?? status).sort()
  expect(codes).toEqual([202, ...Array(7).fill('deletion_in_progress')].sort())
  await settled(world, projectId)
})

test('a run that is continued during the deletion ends again, and is removed', async () => {
  const tree = await plantProject(world, 'continued', ['running', 'completed'])
  expect((await world.owner.delete(project(tree.projectId))).status).toBe(202)
  const { status } = await world.owner.post(`/api/v1/agent-runs/${tree.runs[1]}/continue`, { query: 'Go on' })
  expect([200, 404, 409]).toContain(status)
  await settled(world, tree.projectId)
  // the organization's audit log still shows who did what
  const { 'audit_events.resource_id': _, ...left } = tracesOffTheBill(world.database, tree.runs)
  expect(left).toEqual({})
})

test('an unreadable run does not block the deletion', async () => {
  const tree = await plantProject(world, 'damaged', ['queued', 'canceling', 'running'])
  for (const id of tree.runs.slice(0, 2)) {
    world.database.query("update runs set context = 'not JSON' where id = ?").run(id)
  }
  expect((await world.owner.delete(project(tree.projectId))).status).toBe(202)
  await settled(world, tree.projectId)
  expect(tracesOffTheBill(world.database, tree.runs)).toEqual({})
})

test('a large Project is removed in small rounds, with its progress', async () => {
  const tree = await plantProject(world, 'large', ['queued'])
  const { organizationId, database } = world
  const place = { organizationId, projectId: tree.projectId, agentId: tree.agentId }
  const many = database.transaction(() => {
    for (let count = 0; count < 800; count += 1) insertRun(database, place, count % 2 ? 'completed' : 'queued')
    insertRun(database, place, endedStates[1], 3_500)
  })
  many()
  expect((await world.owner.delete(project(tree.projectId))).status).toBe(202)
  const seen: DeletionProgress[] = []
  await eventually('the end of the Project', async () => {
    const { status, body } = await world.owner.get(project(tree.projectId))
    if (status === 200) seen.push(body.data.deletion)
    return status === 404
  })
  await settled(world, tree.projectId)
  // the removed count never exceeds the found count, and never decreases
  const counted = seen.filter(({ isCounted }) => isCounted)
  expect(counted.length).toBeGreaterThan(0)
  expect(new Set(counted.map(({ runsCounted }) => runsCounted))).toEqual(new Set([802]))
  for (const what of ['runsCounted', 'runsRemoved', 'recordsRemoved'] as const) {
    const numbers = seen.map((progress) => progress[what])
    expect(numbers).toEqual(numbers.toSorted((one, other) => one - other))
  }
  expect(counted.some(({ runsRemoved }) => runsRemoved > 0 && runsRemoved < 802)).toBe(true)
  const receipt =
    'select runs_counted, counted_to, runs_removed, records_removed > 0 as others from deletions where id = ?'
  expect(database.query(receipt).get(tree.projectId)).toEqual({
    runs_counted: 802,
    counted_to: null,
    runs_removed: 802,
    others: 1,
  })
  expect(database.query('select count(*) as n from runs where project_id = ?').get(tree.projectId)).toEqual({ n: 0 })
  expect(tracesOffTheBill(database, [tree.agentId, ...tree.environments])).not.toHaveProperty('runs.agent_id')
  const { body } = await world.owner.get(`/api/v1/actors/deletion/${tree.projectId}`)
  // at most 100 runs are notified in a round
  expect(body.data.context.round).toBeGreaterThan(4)
})

describe('permissions to delete a Project', () => {
  test.each(['prj_01h455vb4pex5vsknk084sn02q', 'prj_1', 'x'])('%s is missing: 404', async (id) => {
    expect((await world.owner.delete(project(id))).status).toBe(404)
  })

  test('a key without projects:delete is refused: 403', async () => {
    const { projectId } = await plantProject(world, 'guarded', [])
    const { secret } = await world.post('/api/v1/api-keys', { name: 'key', operations: ['projects:get'] })
    const { status, body } = await world.as(secret).delete(project(projectId))
    expect({ status, details: body.error.details }).toEqual({
      status: 403,
      details: { permission: 'projects:delete' },
    })
  })

  test('an unauthenticated caller learns nothing: 401', async () => {
    expect((await world.as(null).delete(project(newId('prj')))).status).toBe(401)
  })
})

test.each(liveStates)('every Project can be removed with a run that is %s', async (state) => {
  const tree = await plantProject(world, `with-${state.toLowerCase()}`, [state])
  expect((await world.owner.delete(project(tree.projectId))).status).toBe(202)
  await settled(world, tree.projectId)
  expect(tracesOffTheBill(world.database, tree.runs)).toEqual({})
})
