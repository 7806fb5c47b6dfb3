/** Activations over HTTP. Source: requirement 1, 6; contract 3. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import type { Place } from '../../support/world/places.ts'
import { walk } from '../../support/world/replies.ts'
import { openWorld, type World } from '../deployments/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

const path = (place: Place, ...more: string[]) => [`${place.path}/activations`, ...more].join('/')
const environment = async (place: Place) => (await place.owner.get(place.path)).body.data
const changes = (place: Place) =>
  world
    .history(place)
    .filter(({ type }) => type === 'activation.changed')
    .map(({ data }) => data)

describe('activating', () => {
  test('makes a ready Deployment serve, and increments the generation', async () => {
    const place = await world.place()
    const { id } = await world.ready(place)
    world.clock.advance(1_000)
    const { status, body } = await world.activate(place, id, 0)
    expect(status).toBe(201)
    const { id: activationId, createdBy, ...rest } = body.data
    expect(activationId).toMatch(/^act_/)
    expect(createdBy.type).toBe('apiKey')
    const at = new Date(world.clock.now()).toISOString()
    expect(rest).toEqual({
      environmentId: place.environmentId,
      deploymentId: id,
      previousDeploymentId: null,
      generation: 1,
      createdAt: at,
    })
    expect((await place.owner.get(path(place, activationId))).body).toEqual(body)
    expect(await environment(place)).toMatchObject({ generation: 1, activeDeploymentId: id, updatedAt: at })
    expect(changes(place)).toEqual([{ deploymentId: id, previousDeploymentId: null, generation: 1 }])
    expect(world.history(place).at(-1)).toMatchObject({
      type: 'activation.changed',
      subject: { type: 'environment', id: place.environmentId },
      actor: createdBy,
    })
  })

  test('an earlier Deployment again is a rollback', async () => {
    const place = await world.place()
    const [one, two] = [await world.ready(place), await world.ready(place)]
    await world.activate(place, one.id, 0)
    await world.activate(place, two.id, 1)
    const { status, body } = await world.activate(place, one.id, 2)
    expect([status, body.data.generation, body.data.previousDeploymentId]).toEqual([201, 3, two.id])
    expect(await environment(place)).toMatchObject({ generation: 3, activeDeploymentId: one.id })
    expect(changes(place).map(({ deploymentId }) => deploymentId)).toEqual([one.id, two.id, one.id])
  })

  test('the active Deployment again is another generation', async () => {
    const place = await world.place()
    const { id } = await world.ready(place)
    await world.activate(place, id, 0)
    const { body } = await world.activate(place, id, 1)
    expect(body.data).toMatchObject({ generation: 2, deploymentId: id, previousDeploymentId: id })
  })

  test('works in a paused Project', async () => {
    const place = await world.place()
    const { id } = await world.ready(place)
    await place.owner.patch(place.project, { status: 'paused' })
    expect((await world.activate(place, id, 0)).status).toBe(201)
  })

  test('is recorded in the audit log', async () => {
    const place = await world.place()
    const { id } = await world.ready(place)
    const { requestId, body } = await world.activate(place, id, 0)
    expect(world.rows('select * from audit_events where request_id = ?', requestId)).toMatchObject([
      { operation: 'createActivation', resource_type: 'activation', resource_id: body.data.id, outcome: 'allowed' },
    ])
  })
})

describe('an activation is refused', () => {
  test.each([1, 2, 100])('with the generation %i when it is 0: 409 generation_mismatch', async (expectedGeneration) => {
    const place = await world.place()
    const { id } = await world.ready(place)
    const { status, body } = await world.activate(place, id, expectedGeneration)
    expect([status, body.error.code, body.error.details]).toEqual([
      409,
      'generation_mismatch',
      { currentGeneration: 0 },
    ])
    expect(body.error.message).toEndWith('at generation 0: see what is active, then expect that one.')
    expect(await environment(place)).toMatchObject({ generation: 0, activeDeploymentId: null })
    expect(changes(place)).toEqual([])
  })

  test.each(['failed', 'canceled', 'queued', 'validating', 'provisioning', 'materializing'])(
    'for a Deployment that is %s: 409 deployment_not_ready',
    async (state) => {
      const place = await world.place()
      const id = await world.standing(place, state)
      const { status, body } = await world.activate(place, id, 0)
      expect([status, body.error.code, body.error.details]).toEqual([
        409,
        'deployment_not_ready',
        { currentState: state },
      ])
      expect(body.error.message).toBe(`The Deployment is ${state}; only one that is ready can be activated.`)
    },
  )

  test('for a Deployment of another Environment: 404', async () => {
    const place = await world.place()
    const other = await world.place()
    const { id: organizationId, owner } = world.organization()
    const foreign = await world.place(owner, organizationId)
    for (const id of [newId('dep'), (await world.ready(other)).id, (await world.ready(foreign)).id]) {
      expect((await world.activate(place, id, 0)).status).toBe(404)
    }
    const { id } = await world.ready(place)
    expect((await owner.post(path(place), { deploymentId: id, expectedGeneration: 0 })).status).toBe(404)
    const preview = { ...place, path: `${place.project}/environments/${place.environments[1]}` }
    expect((await world.activate(preview, id, 0)).status).toBe(404)
  })

  test('for a Deployment with a deleted Agent: 409 deployment_not_ready', async () => {
    const place = await world.place()
    const { id, agent } = await world.ready(place)
    expect((await place.owner.delete(agent.path)).status).toBe(202)
    const { status, body } = await world.activate(place, id, 0)
    expect([status, body.error.code, body.error.details]).toEqual([
      409,
      'deployment_not_ready',
      { deleted: [agent.agentId] },
    ])
  })

  test('for a Deployment with a deleted Definition: 409 deployment_not_ready', async () => {
    const place = await world.place()
    const { pin, path: definition } = await world.definition(place, 'orders', ['find'])
    const deployment = await world.submitted(place, await world.release(place, [await world.agent(place)], [pin]))
    expect((await place.owner.delete(definition)).status).toBeLessThan(300)
    const { status, body } = await world.activate(place, deployment.id, 0)
    expect([status, body.error.code, body.error.details]).toEqual([
      409,
      'deployment_not_ready',
      { deleted: [pin.definitionId] },
    ])
    const again = await world.submitted(place, deployment.releaseId, deployment.configurationRevisionId)
    expect(again.stateReason?.issues).toMatchObject([{ path: `/definitions/${pin.definitionId}` }])
  })

  test.each([
    ['no Deployment', { deploymentId: undefined }, '/body/deploymentId'],
    ['no generation', { expectedGeneration: undefined }, '/body/expectedGeneration'],
    ['a negative generation', { expectedGeneration: -1 }, '/body/expectedGeneration'],
    ['a fractional generation', { expectedGeneration: 0.5 }, '/body/expectedGeneration'],
    ['a generation as a string', { expectedGeneration: '0' }, '/body/expectedGeneration'],
    ['an unknown field', { force: true }, '/body/force'],
  ])('with %s: 422', async (_, given, issue) => {
    const place = await world.place()
    const body = { deploymentId: newId('dep'), expectedGeneration: 0, ...given }
    const { status, body: answer } = await place.owner.post(path(place), body)
    expect([status, answer.error.details.issues[0].path]).toEqual([422, issue])
  })

  test('for a caller without activations:create', async () => {
    const place = await world.place()
    const { id } = await world.ready(place)
    const deployer = world.keyOf(world.ownerId, { operations: ['projects:get', 'deployments:create'] })
    const { status, body } = await deployer.post(path(place), { deploymentId: id, expectedGeneration: 0 })
    expect([status, body.error.details]).toEqual([403, { permission: 'activations:create' }])
    expect((await deployer.get(path(place))).status).toBe(200)
    const activator = world.keyOf(world.ownerId, { operations: ['activations:create'] })
    expect((await activator.post(path(place), { deploymentId: id, expectedGeneration: 0 })).status).toBe(201)
  })
})

describe('the active Deployment', () => {
  test('protects its Agents from deletion, until another one serves', async () => {
    const place = await world.place()
    const [one, two] = [await world.ready(place), await world.ready(place)]
    await world.activate(place, one.id, 0)
    const refused = await place.owner.delete(one.agent.path)
    expect([refused.status, refused.body.error.code, refused.body.error.details]).toEqual([
      409,
      'agent_in_use',
      { dependents: [{ type: 'deployment', id: one.id }] },
    ])
    await world.activate(place, two.id, 1)
    expect((await place.owner.delete(one.agent.path)).status).toBe(202)
  })

  test('does not protect its Project from deletion', async () => {
    const place = await world.place()
    await world.activate(place, (await world.ready(place)).id, 0)
    expect((await place.owner.delete(place.project)).status).toBe(202)
    for (;;) {
      // the removal checks again every second, by the clock of the test
      world.clock.advance(1_000)
      if ((await place.owner.get(place.project)).status === 404) break
    }
    for (const table of ['deployments', 'activations', 'environment_events', 'environment_sequences']) {
      expect(world.rows(`select * from ${table} where environment_id = ?`, place.environmentId)).toEqual([])
    }
  })
})

describe('reading Activations', () => {
  test('the list has pages, newest first', async () => {
    const place = await world.place()
    const { id } = await world.ready(place)
    for (let generation = 0; generation < 5; generation += 1) await world.activate(place, id, generation)
    const { items, sizes } = await walk(place.owner, path(place), 2)
    expect(items.map(({ generation }) => generation)).toEqual([5, 4, 3, 2, 1])
    expect(sizes).toEqual([2, 2, 1])
  })

  test('one of another place is 404', async () => {
    const place = await world.place()
    const other = await world.place()
    const { owner } = world.organization()
    const { body } = await world.activate(place, (await world.ready(place)).id, 0)
    const { id } = body.data
    expect((await owner.get(path(place, id))).status).toBe(404)
    expect((await world.owner.get(path(other, id))).status).toBe(404)
    for (const unknown of ['nothing', newId('act')]) {
      expect((await place.owner.get(path(place, unknown))).status).toBe(404)
    }
  })
})
