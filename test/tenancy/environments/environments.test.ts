import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { tallyStatuses, walk } from '../../support/world/replies.ts'
import { openWorld, type World } from '../../support/world/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

type Lifecycle = 'provisioning' | 'active'
const activation = { lifecycle: 'active', expectedLifecycle: 'provisioning' }

/** The path of a new Project's first Environment, in this lifecycle state. */
async function environmentIn(lifecycle: Lifecycle) {
  const project = await world.project()
  const path = `${project.path}/environments/${project.environments[0]}`
  if (lifecycle === 'active') await world.owner.patch(path, activation)
  return { path, id: project.environments[0], project }
}

describe("an Environment's lifecycle", () => {
  test('moves from provisioning to active', async () => {
    const { path } = await environmentIn('provisioning')
    const before = (await world.owner.get(path)).body.data
    world.clock.advance(1_000)
    const { status, body } = await world.owner.patch(path, activation)
    expect(status).toBe(200)
    expect(body.data).toEqual({
      ...before,
      lifecycle: 'active',
      updatedAt: new Date(world.clock.now()).toISOString(),
    })
    expect((await world.owner.get(path)).body).toEqual(body)
  })

  // requirement 3, contract 2: current, requested, expected
  test.each([
    ['provisioning', 'active', 'active', 'lifecycle_mismatch'],
    ['provisioning', 'provisioning', 'provisioning', 'invalid_transition'],
    ['provisioning', 'provisioning', 'active', 'lifecycle_mismatch'],
    ['active', 'active', 'active', 'invalid_transition'],
    ['active', 'active', 'provisioning', 'lifecycle_mismatch'],
    ['active', 'provisioning', 'active', 'invalid_transition'],
    ['active', 'provisioning', 'provisioning', 'lifecycle_mismatch'],
  ] as const)('%s, requested %s, expected %s: 409 %s', async (is, lifecycle, expectedLifecycle, code) => {
    const { path } = await environmentIn(is)
    const before = (await world.owner.get(path)).body
    const { status, body } = await world.owner.patch(path, { lifecycle, expectedLifecycle })
    expect([status, body.error.code, body.error.details]).toEqual([409, code, { currentState: is }])
    expect((await world.owner.get(path)).body).toEqual(before)
  })

  test.each([
    [{ lifecycle: 'active' }, '/body/expectedLifecycle', 'lifecycle'],
    [{ expectedLifecycle: 'provisioning' }, '/body/lifecycle', 'expectedLifecycle'],
  ])('names the other field of %j', async (changes, path, given) => {
    const environment = await environmentIn('provisioning')
    const { body } = await world.owner.patch(environment.path, changes)
    expect(body.error.details.issues).toEqual([{ path, message: `Must be given together with ${given}.` }])
  })

  test.each([
    ['lifecycle alone', { lifecycle: 'active' }, '/body/expectedLifecycle'],
    ['expectedLifecycle alone', { expectedLifecycle: 'provisioning' }, '/body/lifecycle'],
    ['the lifecycle deleting', { lifecycle: 'deleting', expectedLifecycle: 'provisioning' }, '/body/lifecycle'],
    ['expecting deleting', { lifecycle: 'active', expectedLifecycle: 'deleting' }, '/body/expectedLifecycle'],
    ['an unknown lifecycle', { lifecycle: 'paused', expectedLifecycle: 'provisioning' }, '/body/lifecycle'],
    ['a null lifecycle', { lifecycle: null, expectedLifecycle: 'provisioning' }, '/body/lifecycle'],
    ['an unknown field', { name: 'Name' }, '/body/name'],
  ])('answers 422 for %s', async (_, changes, path) => {
    const environment = await environmentIn('provisioning')
    const { status, body } = await world.owner.patch(environment.path, changes)
    expect([status, body.error.code]).toEqual([422, 'validation_failed'])
    expect(body.error.details.issues).toMatchObject([{ path }])
    expect((await world.owner.get(environment.path)).body.data.lifecycle).toBe('provisioning')
  })

  test.each(['provisioning', 'active'] as const)(
    'an empty change leaves an %s one as it is: 200',
    async (lifecycle) => {
      const { path } = await environmentIn(lifecycle)
      const before = (await world.owner.get(path)).body
      world.clock.advance(1_000)
      const { status, body } = await world.owner.patch(path, {})
      expect([status, body]).toEqual([200, before])
    },
  )

  test('of 8 concurrent activations one is 200 and the others are 409 lifecycle_mismatch', async () => {
    const { path } = await environmentIn('provisioning')
    const replies = await Promise.all(Array.from({ length: 8 }, () => world.owner.patch(path, activation)))
    expect(tallyStatuses(replies)).toEqual({ 200: 1, 409: 7 })
    for (const { status, body } of replies) {
      if (status !== 409) continue
      expect([body.error.code, body.error.details]).toEqual(['lifecycle_mismatch', { currentState: 'active' }])
    }
    expect((await world.owner.get(`${path}/transitions`)).body.data.items).toHaveLength(2)
  })

  test('each Environment of a Project has its own', async () => {
    const { path, project } = await environmentIn('active')
    const { items } = (await world.owner.get(`${project.path}/environments`)).body.data
    expect(items.map(({ lifecycle }: { lifecycle: string }) => lifecycle)).toEqual([
      'active',
      'provisioning',
      'provisioning',
    ])
    expect((await world.owner.get(path)).body.data).toEqual(items[0])
  })

  test('a move and its line in the audit log are committed together', async () => {
    const { path, id } = await environmentIn('provisioning')
    const { requestId } = await world.owner.patch(path, activation)
    expect(world.rows('select * from audit_events where request_id = ?', requestId)).toMatchObject([
      { operation: 'updateEnvironment', resource_type: 'environment', resource_id: id, outcome: 'allowed' },
    ])
  })
})

describe('listing Environments', () => {
  test('shows Development, Preview and Production in this order, on pages of any size', async () => {
    const { path } = await world.project()
    for (const [limit, sizes] of [
      [1, [1, 1, 1]],
      [2, [2, 1]],
      [3, [3]],
      [100, [3]],
    ] as const) {
      const walked = await walk(world.owner, `${path}/environments`, limit)
      expect(walked.items.map(({ name }) => name)).toEqual(['Development', 'Preview', 'Production'])
      expect(walked.sizes).toEqual([...sizes])
    }
  })

  test("answers 422 for another Project's cursor", async () => {
    const [one, other] = [await world.project(), await world.project()]
    const first = await world.owner.get(`${one.path}/environments`, { query: { limit: 1 } })
    const cursor = first.body.pagination.nextCursor
    const { status, body } = await world.owner.get(`${other.path}/environments`, { query: { cursor } })
    expect([status, body.error.code]).toEqual([422, 'invalid_cursor'])
  })

  test('shows a bound key only its Environment', async () => {
    const { id, path, environments } = await world.project()
    for (const environmentId of environments) {
      const bound = world.keyOf(world.ownerId, { projectId: id, environmentId })
      const { body } = await bound.get(`${path}/environments`, { query: { limit: 1 } })
      expect(body.data.items.map((item: { id: string }) => item.id)).toEqual([environmentId])
      expect(body.pagination).toEqual({ limit: 1, hasMore: false })
    }
  })
})

describe("an Environment's journal", () => {
  test('contains its creation and every move, oldest first', async () => {
    const { path } = await environmentIn('active')
    const { id: actorId } = world.rows<{ id: string }>('select id from api_keys order by id limit 1')[0]!
    const actor = { type: 'apiKey', id: actorId }
    const rest = { actor, attempt: 0, reason: null, at: new Date(world.clock.now()).toISOString() }
    const { status, body } = await world.owner.get(`${path}/transitions`)
    expect(status).toBe(200)
    expect(body.data.items).toEqual([
      { sequence: 1, from: null, to: 'provisioning', event: 'create', ...rest },
      { sequence: 2, from: 'provisioning', to: 'active', event: 'activate', ...rest },
    ])
  })

  test('has pages; a cursor is bound to its Environment', async () => {
    const [one, other] = [await environmentIn('active'), await environmentIn('active')]
    const walked = await walk(world.owner, `${one.path}/transitions`, 1)
    expect(walked.items.map(({ sequence }) => sequence)).toEqual([1, 2])
    const { body } = await world.owner.get(`${one.path}/transitions`, { query: { limit: 1 } })
    const elsewhere = await world.owner.get(`${other.path}/transitions`, {
      query: { cursor: body.pagination.nextCursor },
    })
    expect(elsewhere.status).toBe(422)
  })
})

describe('access to an Environment', () => {
  test('a malformed, missing or foreign id, or one of another Project, is 404', async () => {
    const { path, environments } = await world.project()
    const foreign = await world.project(world.organization().owner)
    const another = await world.project()
    for (const id of ['nothing', 'env_1', '%00', newId('env'), foreign.environments[0], another.environments[0]]) {
      const address = `${path}/environments/${id}`
      expect((await world.owner.get(address)).status).toBe(404)
      expect((await world.owner.patch(address, activation)).status).toBe(404)
      expect((await world.owner.get(`${address}/transitions`)).status).toBe(404)
    }
    for (const { id, environments: own } of [foreign, another]) {
      expect((await world.owner.get(`/api/v1/actors/environment/${own[0]}`)).status).toBe(id === foreign.id ? 404 : 200)
    }
    const mixed = `${foreign.path}/environments/${environments[0]}`
    expect((await world.owner.get(mixed)).status).toBe(404)
  })

  test('a key that is bound to one moves that one; the others are 404', async () => {
    const { id, path, environments } = await world.project()
    const bound = world.keyOf(world.ownerId, { projectId: id, environmentId: environments[1] })
    expect((await bound.get(`${path}/environments/${environments[0]}`)).status).toBe(404)
    expect((await bound.patch(`${path}/environments/${environments[0]}`, activation)).status).toBe(404)
    expect((await bound.get(`/api/v1/actors/environment/${environments[0]}`)).status).toBe(404)
    expect((await bound.patch(`${path}/environments/${environments[1]}`, activation)).status).toBe(200)
    expect((await bound.get(`/api/v1/actors/environment/${environments[1]}`)).status).toBe(200)
  })

  test('a key that is bound to an Agent reads all of them and moves none', async () => {
    const { id, path, environments } = await world.project()
    const bound = world.keyOf(world.ownerId, { projectId: id, agentId: newId('agt') })
    expect((await bound.get(`${path}/environments`)).body.data.items).toHaveLength(3)
    const address = `${path}/environments/${environments[0]}`
    expect((await bound.get(address)).status).toBe(200)
    expect((await bound.get(`${address}/transitions`)).status).toBe(200)
    expect((await bound.get(`/api/v1/actors/environment/${environments[0]}`)).status).toBe(200)
    expect((await bound.patch(address, activation)).status).toBe(403)
  })

  test('reading requires projects:get, moving requires projects:update', async () => {
    const { path, environments } = await world.project()
    const address = `${path}/environments/${environments[0]}`
    const reader = world.keyOf(world.ownerId, { operations: ['projects:get'] })
    const writer = world.keyOf(world.ownerId, { operations: ['projects:update'] })
    expect((await reader.get(address)).status).toBe(200)
    expect((await reader.patch(address, activation)).body.error.details).toEqual({ permission: 'projects:update' })
    for (const read of [address, `${path}/environments`, `${address}/transitions`]) {
      expect((await writer.get(read)).body.error.details).toEqual({ permission: 'projects:get' })
    }
    expect((await writer.patch(address, activation)).status).toBe(200)
    expect((await writer.get(`/api/v1/actors/environment/${environments[0]}`)).status).toBe(403)
  })
})

describe('the statechart of an Environment', () => {
  test('is public', async () => {
    const { status, body } = await world.as(null).get('/api/v1/machines/environment')
    expect(status).toBe(200)
    expect(body.data.states).toEqual(['provisioning', 'active', 'deleting'])
    expect(body.data.transitions).toContainEqual({
      from: 'provisioning',
      event: 'activate',
      guard: 'provisioningExpected',
      to: 'active',
      effects: [],
      declaredAt: 'provisioning',
      declaredTo: 'active',
    })
  })

  test("shows the actor's state", async () => {
    const { id, path } = await environmentIn('active')
    const { configurationHead } = (await world.owner.get(path)).body.data
    const { status, body } = await world.owner.get(`/api/v1/actors/environment/${id}`)
    expect(status).toBe(200)
    expect(body.data).toMatchObject({
      address: { kind: 'environment', id },
      state: 'active',
      version: 2,
      context: { generation: 0, activeDeploymentId: null, headRevisionId: configurationHead.revisionId, headNumber: 0 },
      timers: [],
      nextEvents: ['takeConfiguration', 'admitDeployment', 'activateDeployment', 'delete'],
    })
    expect(body.data.journal).toHaveLength(2)
  })

  test('previews a move without making it, and verifies the journal', async () => {
    const { id, path } = await environmentIn('provisioning')
    const preview = (event: unknown) => world.owner.post(`/api/v1/actors/environment/${id}/preview`, { event })
    const accepted = await preview({ type: 'activate', expected: 'provisioning' })
    expect(accepted.body.data).toMatchObject({ accepted: true, state: 'active' })
    expect((await preview({ type: 'activate', expected: 'active' })).body.data).toMatchObject({ accepted: false })
    expect((await world.owner.get(path)).body.data.lifecycle).toBe('provisioning')
    await world.owner.patch(path, activation)
    const { body } = await world.owner.get(`/api/v1/actors/environment/${id}/verify`)
    expect(body.data).toMatchObject({ valid: true, storedState: 'active', replayedState: 'active' })
  })
})
