/** The options of a Deployment, and its digest. Source: contract 3, "Deployment". */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import type { ConfigurationRevisionRow } from '../../../storage/tables.ts'
import type { Place } from '../../support/world/places.ts'
import { openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

const submit = async (place: Place, body: object) => {
  const reply = await place.owner.post(`${place.path}/deployments`, body)
  expect(reply.status).toBe(202)
  return world.settled(place, reply.body.data.id)
}
const bundleOf = (id: string) =>
  JSON.parse(
    world.rows<{ bundle: string }>('select bundle from deployment_bundles where deployment_id = ?', id)[0]!.bundle,
  )
const head = async (place: Place) => (await place.owner.get(place.path)).body.data.configurationHead

describe('without a Configuration Revision', () => {
  test('the current configuration is taken, once', async () => {
    const place = await world.place()
    const agent = await world.agent(place)
    const releaseId = await world.release(place, [agent])
    const { id: variableId } = await world.variable(place, { name: 'REGION' })
    const first = await submit(place, { releaseId })
    expect(first.state).toBe('ready')
    expect(await head(place)).toEqual({ revisionId: first.configurationRevisionId, number: 1 })
    expect(bundleOf(first.id).variables).toMatchObject([{ variableId, version: 1 }])

    expect((await submit(place, { releaseId })).configurationRevisionId).toBe(first.configurationRevisionId)
    await place.owner.patch(`${place.path}/variables/${variableId}`, { value: 'another' })
    const third = await submit(place, { releaseId })
    expect(await head(place)).toEqual({ revisionId: third.configurationRevisionId, number: 2 })
  })

  test('eight concurrent ones share a Configuration Revision, or create one after the other', async () => {
    const place = await world.place()
    const releaseId = await world.release(place, [await world.agent(place)])
    await world.variable(place)
    const all = await Promise.all(Array.from({ length: 8 }, () => submit(place, { releaseId })))
    expect(all.map(({ state }) => state)).toEqual(Array.from({ length: 8 }, () => 'ready'))
    expect(await head(place)).toMatchObject({ number: 1 })
  })
})

describe('an earlier configuration, after its Connections have swapped their names', () => {
  async function swapped() {
    const place = await world.place()
    const releaseId = await world.release(place, [await world.agent(place)])
    const [shop, mail] = [
      await world.connection(place, { name: 'shop' }),
      await world.connection(place, { name: 'mail' }),
    ]
    const first = await submit(place, { releaseId })
    const names = [
      { ...shop, name: 'unused' },
      { ...mail, name: 'shop' },
      { ...shop, name: 'mail' },
    ]
    for (const { id, name } of names) {
      expect((await place.owner.patch(`${place.path}/connections/${id}`, { name })).status).toBe(200)
    }
    const { configurationRevisionId } = first
    const again = (revisionId = configurationRevisionId) =>
      submit(place, { releaseId, configurationRevisionId: revisionId, credentials: 'current' })
    return { place, shop, first, again, configurationRevisionId, current: () => submit(place, { releaseId }) }
  }
  const idOf = (deployment: { id: string }, wanted: string) =>
    bundleOf(deployment.id).connections.find(({ name }: { name: string }) => name === wanted).connectionId

  test('serves them under the names that it pins; a new one has the new names', async () => {
    const { place, shop, first, again, configurationRevisionId, current } = await swapped()
    const second = await again()
    expect([second.digest, idOf(second, 'shop')]).toEqual([first.digest, shop.id])
    const next = await current()
    expect(next.configurationRevisionId).not.toBe(configurationRevisionId)
    expect(idOf(next, 'mail')).toBe(shop.id)
    const shown = await place.owner.get(`${place.path}/configuration-revisions/${configurationRevisionId}`)
    expect(shown.body.data.connections).toContainEqual({
      connectionId: shop.id,
      connectionVersionId: shop.currentVersion.id,
      name: 'shop',
      agentId: null,
      bindingKey: null,
    })
  })

  test('that an earlier version has stored without names serves them under their current ones', async () => {
    const { place, shop, again, configurationRevisionId } = await swapped()
    const [row] = world.rows<ConfigurationRevisionRow>(
      'select * from configuration_revisions where id = ?',
      configurationRevisionId,
    )
    const { connections, ...others } = JSON.parse(row!.content)
    const nameless = connections.map(({ name: _, ...pin }: { name: string }) => pin)
    const content = JSON.stringify({ connections: nameless, ...others })
    const id = newId('cfr')
    world.tenancy.insert('configuration_revisions', { ...row!, id, number: 9, content })
    expect(idOf(await again(id), 'mail')).toBe(shop.id)
    const shown = await place.owner.get(`${place.path}/configuration-revisions/${id}`)
    expect(shown.body.data.connections[0]).not.toHaveProperty('name')
  })
})

describe('with current credentials', () => {
  test('an earlier configuration serves with the current versions, or with the pinned ones by default', async () => {
    const place = await world.place()
    const credential = await world.credential('openai')
    const agent = await world.agent(place)
    const setting = { provider: 'openai', providerCredentialId: credential.id }
    await world.setting(place, agent.agentId, setting)
    await world.connection(place, { name: 'shop', providerCredentialId: credential.id })
    const releaseId = await world.release(place, [agent])
    const { id: configurationRevisionId } = await world.snapshot(place)
    await credential.rotate('hunter3-secret')
    const versions = async (credentials?: string) => {
      const { id, state } = await submit(place, { releaseId, configurationRevisionId, credentials })
      expect(state).toBe('ready')
      const shown = (await place.owner.get(`${place.path}/deployments/${id}`)).body.data
      expect(shown.credentials).toBe(credentials ?? 'pinned')
      const { agents, connections } = bundleOf(id)
      return [agents[0].setting.credential.version, connections[0].credential.version]
    }
    expect(await versions()).toEqual([1, 1])
    expect(await versions('pinned')).toEqual([1, 1])
    expect(await versions('current')).toEqual([2, 2])
  })

  test('a Connection has its current credential, which is then in use', async () => {
    const place = await world.place()
    const [old, today] = [await world.credential('custom'), await world.credential('custom')]
    const agent = await world.agent(place)
    const connection = await world.connection(place, { name: 'shop', providerCredentialId: old.id })
    const releaseId = await world.release(place, [agent])
    const { id: configurationRevisionId } = await world.snapshot(place)
    const version = { providerCredentialId: today.id }
    await place.owner.patch(`${place.path}/connections/${connection.id}`, { version })
    const { id } = await submit(place, { releaseId, configurationRevisionId, credentials: 'current' })
    expect(bundleOf(id).connections[0].credential).toEqual({ id: today.id, version: 1 })
    await world.activate(place, id, 0)
    expect((await world.owner.delete(today.path)).status).toBe(409)
  })

  test('a Connection that has no credential any more has none, even if the pinned one is deleted', async () => {
    const place = await world.place()
    const credential = await world.credential('custom')
    const bindings = [{ bindingKey: 'shop', kind: 'connection', required: true }]
    const agent = await world.agent(place, { bindings })
    const connection = await world.connection(place, { name: 'shop', providerCredentialId: credential.id })
    const releaseId = await world.release(place, [agent])
    const { id: configurationRevisionId } = await world.snapshot(place)
    const version = { providerCredentialId: null }
    const changed = await place.owner.patch(`${place.path}/connections/${connection.id}`, { version })
    expect(changed.status).toBe(200)
    expect((await world.owner.delete(credential.path)).status).toBe(200)
    const { id, state } = await submit(place, { releaseId, configurationRevisionId, credentials: 'current' })
    expect(state).toBe('ready')
    expect(bundleOf(id).connections[0].credential).toBeNull()
  })
})

test('equal contents have equal digests, whatever their ids; other contents have others', async () => {
  const place = await world.place()
  const agent = await world.agent(place, { metadata: { a: 1 } })
  const variable = await world.variable(place, { name: 'REGION' })
  const first = await submit(place, { releaseId: await world.release(place, [agent]) })
  const published = await place.owner.post(`${agent.path}/revisions`, {
    content: { metadata: { a: 1 }, instructions: 'Help.' },
  })
  const again = { ...agent, agentRevisionId: published.body.data.id }
  const second = await submit(place, { releaseId: await world.release(place, [again]) })
  expect(second.id).not.toBe(first.id)
  expect(second.digest).toBe(first.digest as string)
  await place.owner.patch(`${place.path}/variables/${variable.id}`, { value: 'another' })
  const third = await submit(place, { releaseId: second.releaseId })
  expect(third.digest).not.toBe(first.digest)
})
