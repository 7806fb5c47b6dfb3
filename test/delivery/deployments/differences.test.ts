/** The differences between two Deployments, by name. Source: contract 3, "tells what differs, by name". */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Permission } from '../../../src/platform/http/guard/permissions.ts'
import { newId } from '../../../storage/ids.ts'
import type { Place } from '../../support/world/places.ts'
import { openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

const submit = async (place: Place, body: object): Promise<string> => {
  const reply = await place.owner.post(`${place.path}/deployments`, body)
  expect(reply.status).toBe(202)
  return reply.body.data.id
}
const diff = (place: Place, id: string, against: string) =>
  place.owner.get(`${place.path}/deployments/${id}/diff?against=${against}`)

test('the Release, variables, Connections, models and credentials, by name and without values', async () => {
  const place = await world.place()
  const agent = await world.agent(place)
  const credential = await world.credential('openai')
  const custom = await world.credential('custom')
  const changed = await world.variable(place, { name: 'REGION' })
  const same = await world.variable(place, { name: 'SAME' })
  const bound = await world.variable(place, { name: 'BOUND', agentId: agent.agentId, bindingKey: 'key' })
  const settings = { baseUrl: 'https://shop.example.com' }
  const shop = await world.connection(place, { name: 'shop', kind: 'http', settings })
  await world.connection(place, { name: 'kept' })
  const setting = { provider: 'openai', model: 'gpt-4o', settings: { temperature: 0.1 } }
  const { settingId } = await world.setting(place, agent.agentId, setting)
  const releaseId = await world.release(place, [agent])
  const before = await submit(place, { releaseId })

  await place.owner.patch(`${place.path}/variables/${changed.id}`, { value: 'hunter4-value' })
  await place.owner.delete(`${place.path}/variables/${bound.id}`)
  const added = await world.variable(place, { name: 'ADDED' })
  const version = { providerCredentialId: custom.id, settings: { baseUrl: 'https://shop.example.org', auth: 'bearer' } }
  expect((await place.owner.patch(`${place.path}/connections/${shop.id}`, { version })).status).toBe(200)
  const path = `${place.path}/agents/${agent.agentId}/provider-settings/${settingId}`
  const body = { settings: { temperature: 0.2 }, providerCredentialId: credential.id }
  expect((await place.owner.patch(path, body)).status).toBe(200)
  const other = await world.agent(place)
  const after = await submit(place, { releaseId: await world.release(place, [agent, other]), credentials: 'current' })

  const reply = await diff(place, after, before)
  expect(reply.status).toBe(200)
  const { data } = reply.body
  expect(data.before).toMatchObject({ deploymentId: before, configurationNumber: 1, credentials: 'pinned' })
  expect(data.after).toMatchObject({ deploymentId: after, configurationNumber: 2, credentials: 'current' })
  expect(data.release.agents).toMatchObject([{ name: other.slug, change: 'added' }])
  expect(data.variables).toEqual([
    {
      name: 'ADDED',
      agent: null,
      bindingKey: null,
      change: 'added',
      before: null,
      after: { variableId: added.id, version: 1 },
    },
    expect.objectContaining({ name: 'BOUND', agent: agent.slug, bindingKey: 'key', change: 'removed', after: null }),
    expect.objectContaining({
      name: 'REGION',
      change: 'changed',
      before: { variableId: changed.id, version: 1 },
      after: { variableId: changed.id, version: 2 },
    }),
  ])
  expect(JSON.stringify(data)).not.toContain(same.id)
  expect(data.connections).toMatchObject([
    {
      name: 'shop',
      change: 'changed',
      before: { number: 1, credential: null },
      after: {
        number: 2,
        credential: { providerCredentialId: custom.id, label: custom.label, providerCredentialVersion: 1 },
      },
    },
  ])
  expect(data.connections[0].differences).toContainEqual({
    path: '/baseUrl',
    before: 'https://shop.example.com',
    after: 'https://shop.example.org',
    shortened: false,
  })
  expect(data.providerSettings).toMatchObject([
    {
      agent: agent.slug,
      change: 'changed',
      before: { credential: null },
      after: {
        credential: { providerCredentialId: credential.id, label: credential.label, providerCredentialVersion: 1 },
      },
      differences: [{ path: '/temperature', before: 0.1, after: 0.2 }],
    },
  ])
  expect(JSON.stringify(data)).not.toContain('hunter')

  expect((await diff(place, before, before)).body.data).toMatchObject({
    release: { agents: [], definitions: [] },
    variables: [],
    connections: [],
    providerSettings: [],
    truncated: false,
  })
})

test('Connections and models that came or went have one side only', async () => {
  const place = await world.place()
  const agent = await world.agent(place)
  const releaseId = await world.release(place, [agent])
  const before = await submit(place, { releaseId })
  await world.connection(place, { name: 'shop' })
  await world.setting(place, agent.agentId, { provider: 'openai', model: 'gpt-4o' })
  const after = await submit(place, { releaseId })

  const added = (await diff(place, after, before)).body.data
  expect(added.connections).toMatchObject([{ name: 'shop', change: 'added', before: null, after: { number: 1 } }])
  const model = { provider: 'openai', model: 'gpt-4o' }
  expect(added.providerSettings).toMatchObject([{ agent: agent.slug, change: 'added', before: null, after: model }])
  const removed = (await diff(place, before, after)).body.data
  expect(removed.connections).toMatchObject([{ change: 'removed', before: { number: 1 }, after: null }])
  expect(removed.providerSettings).toMatchObject([{ change: 'removed', before: model, after: null, differences: [] }])
})

test('settings of Connections are shown to those who may read them', async () => {
  const place = await world.place()
  const { environmentId, projectId } = place
  const [agent, other] = [await world.agent(place), await world.agent(place)]
  const bound = { agentId: agent.agentId, bindingKey: 'shop' }
  const settings = { baseUrl: 'https://shop.example.com' }
  const shop = await world.connection(place, { name: 'shop', kind: 'http', settings, ...bound })
  const releaseId = await world.release(place, [agent, other])
  const before = await submit(place, { releaseId })
  const version = { settings: { baseUrl: 'https://shop.example.org' } }
  expect((await place.owner.patch(`${place.path}/connections/${shop.id}`, { version })).status).toBe(200)
  const after = await submit(place, { releaseId })
  const as = async (operations: Permission[], { agentId }: { agentId?: string } = {}) => {
    const key = { operations: ['projects:get' as Permission, ...operations], projectId }
    const reader = world.keyOf(world.ownerId, { ...key, ...(agentId === undefined ? { environmentId } : { agentId }) })
    return (await diff({ ...place, owner: reader }, after, before)).body.data.connections[0].differences
  }
  const path = '/baseUrl'
  const whole = [{ path, before: settings.baseUrl, after: version.settings.baseUrl, shortened: false }]
  const hidden = [{ path, shortened: true }]
  expect(await as(['connections:get'])).toEqual(whole)
  expect(await as([])).toEqual(hidden)
  expect(await as(['connections:get'], agent)).toEqual(whole)
  expect(await as(['connections:get'], other)).toEqual(hidden)
})

test('a missing one, or another Environment’s, is 404; a malformed id is 422', async () => {
  const [place, elsewhere] = [await world.place(), await world.place()]
  const [id, foreign] = [await world.standing(place, 'ready'), await world.standing(elsewhere, 'ready')]
  const cases: [string, string, number, string?][] = [
    [id, id, 200],
    [newId('dep'), id, 404],
    [id, newId('dep'), 404, '/query/against'],
    [id, foreign, 404, '/query/against'],
    [id, newId('rel'), 422, '/query/against'],
    [id, '', 422, '/query/against'],
  ]
  for (const [one, against, status, at] of cases) {
    const reply = await diff(place, one, against)
    expect(reply.status).toBe(status)
    expect(reply.body.error?.details?.issues[0].path).toBe(at)
  }
})
