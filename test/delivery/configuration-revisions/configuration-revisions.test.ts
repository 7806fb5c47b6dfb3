/** Configuration Revisions over HTTP. Source: requirement 1, 9.2; contract 3. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import canonicalize from 'canonicalize'
import { digestOfText } from '../../../src/platform/http/digest.ts'
import { newId } from '../../../storage/ids.ts'
import type { Place } from '../../support/world/places.ts'
import { tallyStatuses, walk } from '../../support/world/replies.ts'
import { openWorld, type World } from '../deployments/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

const path = (place: Place, ...more: string[]) => [`${place.path}/configuration-revisions`, ...more].join('/')
const head = async (place: Place) => (await place.owner.get(place.path)).body.data.configurationHead
const take = async (place: Place, more: object = {}) =>
  place.owner.post(path(place), { expectedHeadRevisionId: (await head(place)).revisionId, ...more })

describe('creating a Configuration Revision', () => {
  test('without resources follows the initial empty one', async () => {
    const place = await world.place()
    const before = await head(place)
    const { status, body } = await take(place, { description: 'The first.' })
    expect(status).toBe(201)
    const { id, createdBy, ...rest } = body.data
    expect(id).toMatch(/^cfr_/)
    expect(createdBy.type).toBe('apiKey')
    expect(rest).toEqual({
      environmentId: place.environmentId,
      number: 1,
      parentId: before.revisionId,
      variables: [],
      connections: [],
      providerSettings: [],
      digest: digestOfText('{"connections":[],"providerSettings":[],"variables":[]}'),
      description: 'The first.',
      createdAt: new Date(world.clock.now()).toISOString(),
    })
    expect(await head(place)).toEqual({ revisionId: id, number: 1 })
    expect((await place.owner.get(path(place, id))).body).toEqual(body)
    const born = (await place.owner.get(path(place, before.revisionId))).body.data
    expect(born).toMatchObject({ number: 0, parentId: null, digest: rest.digest })
  })

  test('pins everything at its current version', async () => {
    const place = await world.place()
    const { agentId } = await world.agent(place)
    const credential = await world.credential('openai')
    await credential.rotate('hunter3-secret')
    const free = await world.variable(place, { name: 'REGION' })
    world.clock.advance(1)
    const bound = await world.variable(place, { name: 'TOKEN', agentId, bindingKey: 'token' })
    const connection = await world.connection(place, {
      agentId,
      bindingKey: 'shop',
      providerCredentialId: credential.id,
    })
    const setting = await world.setting(place, agentId, { provider: 'openai', providerCredentialId: credential.id })
    const { data } = (await take(place)).body
    expect(data.variables).toEqual([
      { variableId: free.id, name: 'REGION', version: 1, agentId: null, bindingKey: null },
      { variableId: bound.id, name: 'TOKEN', version: 1, agentId, bindingKey: 'token' },
    ])
    expect(data.connections).toEqual([
      {
        connectionId: connection.id,
        connectionVersionId: connection.currentVersion.id,
        name: connection.name,
        agentId,
        bindingKey: 'shop',
      },
    ])
    // a version that was open is resolved
    expect(data.providerSettings).toEqual([
      {
        settingId: setting.settingId,
        agentId,
        provider: 'openai',
        model: null,
        providerCredentialId: credential.id,
        providerCredentialVersion: 2,
      },
    ])
    const [row] = world.rows<{ content: string }>('select content from configuration_revisions where id = ?', data.id)
    expect(row?.content).toBe(canonicalize(JSON.parse(row?.content ?? '')) as string)
    expect(data.digest).toBe(digestOfText(row?.content ?? ''))
    expect(JSON.parse(row?.content ?? '').connections[0]).toMatchObject({ providerCredentialVersion: 2 })
  })

  test('is not affected by later changes', async () => {
    const place = await world.place()
    const variable = await world.variable(place, { name: 'REGION' })
    const { data } = (await take(place)).body
    await place.owner.patch(`${place.path}/variables/${variable.id}`, { value: 'other' })
    expect((await place.owner.get(path(place, data.id))).body.data).toEqual(data)
    const next = (await take(place)).body.data
    expect([next.number, next.variables[0].version]).toEqual([2, 2])
    await place.owner.delete(`${place.path}/variables/${variable.id}`)
    const last = (await take(place)).body.data
    expect([last.number, last.variables]).toEqual([3, []])
    expect((await place.owner.get(path(place, data.id))).body.data).toEqual(data)
  })

  test('shows no credential of a Connection and no value', async () => {
    const place = await world.place()
    const credential = await world.credential('custom')
    await world.connection(place, { providerCredentialId: credential.id })
    await world.variable(place, { name: 'REGION', value: 'hunter2-value' })
    const text = JSON.stringify((await take(place)).body)
    expect(text).not.toContain(credential.id)
    expect(text).not.toContain('hunter2-value')
  })

  test('is recorded in the audit log', async () => {
    const place = await world.place()
    const { requestId, body } = await take(place)
    expect(world.rows('select * from audit_events where request_id = ?', requestId)).toMatchObject([
      {
        operation: 'createConfigurationRevision',
        resource_type: 'configurationRevision',
        resource_id: body.data.id,
        outcome: 'allowed',
      },
    ])
  })
})

describe('a Configuration Revision is refused', () => {
  test('for an outdated or unknown head: 409 configuration_head_mismatch', async () => {
    const place = await world.place()
    const born = await head(place)
    await take(place)
    const now = await head(place)
    for (const expectedHeadRevisionId of [born.revisionId, newId('cfr')]) {
      const { status, body } = await place.owner.post(path(place), { expectedHeadRevisionId })
      expect([status, body.error.code, body.error.details]).toEqual([
        409,
        'configuration_head_mismatch',
        { currentHeadRevisionId: now.revisionId },
      ])
      expect(body.error.message).toContain(`The head is now ${now.revisionId}`)
    }
    expect(await head(place)).toEqual(now)
  })

  test('in an Environment that is not active: 409 environment_not_active', async () => {
    const place = await world.place()
    const preview = { ...place, path: `${place.project}/environments/${place.environments[1]}` }
    const { status, body } = await take(preview)
    expect([status, body.error.code, body.error.details]).toEqual([
      409,
      'environment_not_active',
      { currentState: 'provisioning' },
    ])
    expect(body.error.message).toEndWith('its lifecycle must be active.')
  })

  test.each([
    ['no head', { expectedHeadRevisionId: undefined }, '/body/expectedHeadRevisionId'],
    ['a malformed head', { expectedHeadRevisionId: 'cfr_1' }, '/body/expectedHeadRevisionId'],
    ['a description of 2,001 characters', { description: 'x'.repeat(2_001) }, '/body/description'],
    ['a null description', { description: null }, '/body/description'],
    ['an unknown field', { variables: [] }, '/body/variables'],
  ])('with %s: 422', async (_, given, issue) => {
    const place = await world.place()
    const { status, body } = await take(place, given)
    expect([status, body.error.details.issues[0].path]).toEqual([422, issue])
  })

  test('for a caller without deployments:create', async () => {
    const place = await world.place()
    const reader = world.keyOf(world.ownerId, { operations: ['projects:get'] })
    const { status, body } = await take({ ...place, owner: reader })
    expect([status, body.error.details]).toEqual([403, { permission: 'deployments:create' }])
    expect((await reader.get(path(place))).status).toBe(200)
  })
})

describe('concurrently', () => {
  test('of 8 with the same head one is 201, the others 409 configuration_head_mismatch', async () => {
    const place = await world.place()
    const { revisionId } = await head(place)
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => place.owner.post(path(place), { expectedHeadRevisionId: revisionId })),
    )
    expect(tallyStatuses(replies)).toEqual({ 201: 1, 409: 7 })
    const id = replies.find(({ status }) => status === 201)?.body.data.id
    for (const { status, body } of replies) {
      if (status === 409) expect(body.error.details).toEqual({ currentHeadRevisionId: id })
    }
    expect((await place.owner.get(path(place))).body.data.items).toHaveLength(2)
  })

  test('with changes of variables, a revision is of one instant, never older than its number', async () => {
    const place = await world.place()
    const variables = await Promise.all(['ONE', 'TWO'].map((name) => world.variable(place, { name })))
    for (let round = 0; round < 5; round += 1) {
      // every change that was acknowledged before the request is in the revision
      const known = await Promise.all(
        variables.map(async ({ id }) => (await place.owner.get(`${place.path}/variables/${id}`)).body.data.version),
      )
      const [revision, ...patches] = await Promise.all([
        take(place),
        ...variables.map(({ id }) => place.owner.patch(`${place.path}/variables/${id}`, { value: `value ${round}` })),
      ])
      expect([revision?.status, ...patches.map(({ status }) => status)]).toEqual([201, 200, 200])
      revision?.body.data.variables.forEach(({ version }: { version: number }, index: number) => {
        expect(version).toBeGreaterThanOrEqual(known[index])
        expect(version).toBeLessThanOrEqual(known[index] + 1)
      })
    }
    const [latest] = (await place.owner.get(path(place))).body.data.items
    expect(latest.number).toBe(5)
  })

  test('with the deletion of a Connection: it is retained, or not in the revision', async () => {
    for (let round = 0; round < 4; round += 1) {
      const place = await world.place()
      const { id } = await world.connection(place)
      const [revision, removal] = await Promise.all([
        take(place),
        place.owner.delete(`${place.path}/connections/${id}`),
      ])
      expect(revision.status).toBe(201)
      expect(removal.status).toBe(revision.body.data.connections.length === 0 ? 204 : 409)
    }
  })
})

describe('reading Configuration Revisions', () => {
  test('the list has pages, newest first', async () => {
    const place = await world.place()
    for (let each = 0; each < 4; each += 1) await take(place)
    const { items, sizes } = await walk(place.owner, path(place), 2)
    expect(items.map(({ number }) => number)).toEqual([4, 3, 2, 1, 0])
    expect(sizes).toEqual([2, 2, 1])
  })

  test('one of another place is 404', async () => {
    const place = await world.place()
    const other = await world.place()
    const { owner } = world.organization()
    const { revisionId } = await head(place)
    expect((await owner.get(path(place, revisionId))).status).toBe(404)
    expect((await world.owner.get(path(other, revisionId))).status).toBe(404)
    for (const unknown of ['nothing', newId('cfr')]) {
      expect((await place.owner.get(path(place, unknown))).status).toBe(404)
    }
  })
})
