/** Deployments over HTTP. Source: requirement 1, 6; contract 3. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import type { Place } from '../../support/world/places.ts'
import { walk } from '../../support/world/replies.ts'
import { openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

const path = (place: Place, ...more: string[]) => [`${place.path}/deployments`, ...more].join('/')

describe('a new Deployment', () => {
  test('is queued, and becomes ready by itself', async () => {
    const place = await world.place()
    const { body } = await world.prepared(place)
    const { status, body: submitted } = await place.owner.post(path(place), body)
    expect(status).toBe(202)
    const at = new Date(world.clock.now()).toISOString()
    const { id, createdBy, ...rest } = submitted.data
    expect(id).toMatch(/^dep_/)
    expect(createdBy.type).toBe('apiKey')
    expect(rest).toEqual({
      environmentId: place.environmentId,
      ...body,
      state: 'queued',
      stateReason: null,
      credentials: 'pinned',
      digest: null,
      createdAt: at,
      updatedAt: at,
      readyAt: null,
    })
    const ended = await world.settled(place, id)
    expect({ ...ended, digest: null }).toEqual({ ...submitted.data, state: 'ready', readyAt: at })
    expect(ended.digest).toMatch(/^sha256:[0-9a-f]{64}$/)
  })

  test('is in its journal and in the history of its Environment, state by state', async () => {
    const place = await world.place()
    const { id, ...deployment } = await world.ready(place)
    const states = ['queued', 'validating', 'provisioning', 'materializing', 'ready']
    const { items } = (await place.owner.get(path(place, id, 'transitions'))).body.data
    expect(items.map(({ from, to, event }: Record<string, string>) => [from, event, to])).toEqual([
      [null, 'create', 'queued'],
      ['queued', 'taken', 'validating'],
      ['validating', 'validated', 'provisioning'],
      ['provisioning', 'provisioned', 'materializing'],
      ['materializing', 'materialized', 'ready'],
    ])
    const history = world.history(place)
    expect(history.map(({ type }) => type)).toEqual(states.map((state) => `deployment.${state}`))
    expect(history.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5])
    expect(history[0]).toMatchObject({
      subject: { type: 'deployment', id },
      actor: items[0].actor,
      data: {
        deploymentId: id,
        releaseId: deployment.releaseId,
        configurationRevisionId: deployment.configurationRevisionId,
        from: null,
        to: 'queued',
      },
    })
    expect(history[4]?.data).toMatchObject({ from: 'materializing', to: 'ready' })
  })

  test('is recorded in the audit log', async () => {
    const place = await world.place()
    const { body } = await world.prepared(place)
    const { requestId, body: answer } = await place.owner.post(path(place), body)
    expect(world.rows('select * from audit_events where request_id = ?', requestId)).toMatchObject([
      { operation: 'createDeployment', resource_type: 'deployment', resource_id: answer.data.id, outcome: 'allowed' },
    ])
  })
})

describe('a Deployment is refused', () => {
  test('without a Release of the Project, or a Configuration Revision of the Environment: 404', async () => {
    const place = await world.place()
    const other = await world.place()
    const { id, owner } = world.organization()
    const foreign = await world.place(owner, id)
    const { body } = await world.prepared(place)
    const theirs = [await world.prepared(other), await world.prepared(foreign)]
    for (const releaseId of [newId('rel'), ...theirs.map((their) => their.body.releaseId)]) {
      expect((await place.owner.post(path(place), { ...body, releaseId })).status).toBe(404)
    }
    for (const configurationRevisionId of [
      newId('cfr'),
      ...theirs.map((their) => their.body.configurationRevisionId),
    ]) {
      expect((await place.owner.post(path(place), { ...body, configurationRevisionId })).status).toBe(404)
    }
    expect((await place.owner.get(path(place))).body.data.items).toEqual([])
  })

  test.each([
    ['no Release', { releaseId: undefined }, '/body/releaseId'],
    ['a malformed Release', { releaseId: 'rel_1' }, '/body/releaseId'],
    ['an unknown choice of credentials', { credentials: 'newest' }, '/body/credentials'],
    ['a null Configuration Revision', { configurationRevisionId: null }, '/body/configurationRevisionId'],
    ['an unknown field', { force: true }, '/body/force'],
  ])('with %s: 422', async (_, changes, issue) => {
    const place = await world.place()
    const { body } = await world.prepared(place)
    const { status, body: answer } = await place.owner.post(path(place), { ...body, ...changes })
    expect([status, answer.error.details.issues[0].path]).toEqual([422, issue])
  })

  test('in a paused Project: 409 project_paused, while reads work', async () => {
    const place = await world.place()
    const { body } = await world.prepared(place)
    const earlier = await world.submitted(place, body.releaseId, body.configurationRevisionId)
    await place.owner.patch(place.project, { status: 'paused' })
    const { status, body: answer } = await place.owner.post(path(place), body)
    expect([status, answer.error.code]).toEqual([409, 'project_paused'])
    expect(answer.error.message).toEndWith('set its status to active first.')
    expect((await place.owner.get(path(place, earlier.id))).status).toBe(200)
    await place.owner.patch(place.project, { status: 'active' })
    expect((await place.owner.post(path(place), body)).status).toBe(202)
  })

  test('from the moment its Project is paused: admitted ones continue', async () => {
    const place = await world.place()
    const { body } = await world.prepared(place)
    const [paused, ...replies] = await Promise.all([
      place.owner.patch(place.project, { status: 'paused' }),
      ...Array.from({ length: 8 }, () => place.owner.post(path(place), body)),
    ])
    expect(paused.status).toBe(200)
    for (const { status, body: answer } of replies) {
      if (status === 409) expect(answer.error.code).toBe('project_paused')
      else expect((await world.settled(place, answer.data.id)).state).toBe('ready')
    }
    expect((await place.owner.post(path(place), body)).status).toBe(409)
  })

  test('in an Environment that is not active: 409 environment_not_active', async () => {
    const place = await world.place()
    const { body } = await world.prepared(place)
    const preview = { ...place, environmentId: place.environments[1] as string }
    preview.path = `${place.project}/environments/${preview.environmentId}`
    const { configurationHead } = (await place.owner.get(preview.path)).body.data
    const { status, body: answer } = await place.owner.post(path(preview), {
      ...body,
      configurationRevisionId: configurationHead.revisionId,
    })
    expect([status, answer.error.code, answer.error.details]).toEqual([
      409,
      'environment_not_active',
      { currentState: 'provisioning' },
    ])
  })

  test('for a caller without deployments:create, or bound to another Environment', async () => {
    const place = await world.place()
    const { body } = await world.prepared(place)
    const reader = world.keyOf(world.ownerId, { operations: ['projects:get'] })
    const denied = await reader.post(path(place), body)
    expect([denied.status, denied.body.error.details]).toEqual([403, { permission: 'deployments:create' }])
    expect((await reader.get(path(place))).status).toBe(200)
    const elsewhere = world.keyOf(world.ownerId, {
      projectId: place.projectId,
      environmentId: place.environments[1],
    })
    expect((await elsewhere.post(path(place), body)).status).toBe(404)
    const here = world.keyOf(world.ownerId, { projectId: place.projectId, environmentId: place.environmentId })
    expect((await here.post(path(place), body)).status).toBe(202)
  })
})

describe('reading Deployments', () => {
  test('the list has pages, newest first', async () => {
    const place = await world.place()
    const { body } = await world.prepared(place)
    const ids: string[] = []
    for (let each = 0; each < 5; each += 1) {
      world.clock.advance(1)
      ids.push((await place.owner.post(path(place), body)).body.data.id)
    }
    const { items, sizes } = await walk(place.owner, path(place), 2)
    expect(items.map(({ id }) => id)).toEqual(ids.toReversed())
    expect(sizes).toEqual([2, 2, 1])
  })

  test('one of another Environment, Project or organization is 404, and so are its subresources', async () => {
    const place = await world.place()
    const other = await world.place()
    const { id: organizationId, owner } = world.organization()
    const foreign = await world.place(owner, organizationId)
    const { id } = await world.ready(place)
    for (const [client, base] of [
      [world.owner, path(other)],
      [owner, path(foreign)],
      [owner, path(place)],
      [world.owner, `${place.project}/environments/${place.environments[1]}/deployments`],
    ] as const) {
      for (const address of [`${base}/${id}`, `${base}/${id}/transitions`]) {
        expect((await client.get(address)).status).toBe(404)
      }
      expect((await client.post(`${base}/${id}/cancel`)).status).toBe(404)
    }
    expect((await owner.get(`/api/v1/actors/deployment/${id}`)).status).toBe(404)
    for (const unknown of ['nothing', 'dep_1', newId('dep')]) {
      expect((await place.owner.get(path(place, unknown))).status).toBe(404)
    }
  })

  test('its statechart and its current state can be read', async () => {
    const place = await world.place()
    const { id, digest: bundleDigest } = await world.ready(place)
    const { body } = await place.owner.get(`/api/v1/actors/deployment/${id}`)
    expect(body.data).toMatchObject({ state: 'ready', context: { failure: null, digest: bundleDigest }, timers: [] })
    const verified = await place.owner.get(`/api/v1/actors/deployment/${id}/verify`)
    expect(verified.body.data).toMatchObject({ valid: true, storedState: 'ready' })
    expect((await world.as(null).get('/api/v1/machines/deployment')).body.data.states).toHaveLength(7)
  })
})
