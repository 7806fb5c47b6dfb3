import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { verdict } from '../../support/world/replies.ts'
import { httpSettings, openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

interface Bound {
  id: string
  kind: string
  settings: object
  currentVersion: { id: string }
}

const declared = (bindingKey: string, more: object = {}) => ({
  bindingKey,
  kind: 'connection',
  required: true,
  ...more,
})
const agent = (agentId: string, bindings?: object[]) => ({ agentId, content: { instructions: 'Help.', bindings } })
const bundled = (connection: Bound, agentId: string, bindingKey: string, credential: object | null = null) => ({
  connectionId: connection.id,
  connectionVersionId: connection.currentVersion.id,
  kind: connection.kind,
  settings: connection.settings,
  credential,
  agentId,
  bindingKey,
})

/** The health of an Environment with this active Deployment. */
async function healthOf(agents: object[], connections: object[]) {
  world.activate({ agents, connections }, world.environmentId)
  const { status, body } = await world.owner.get(`${world.connectionsPath}/health`)
  expect(status).toBe(200)
  return body.data.items
}

/** The state of one binding to a Connection with this credential. */
async function stateOf(connection: Bound, credential: object | null = null) {
  const agentId = newId('agt')
  const [item] = await healthOf(
    [agent(agentId, [declared('shop')])],
    [bundled(connection, agentId, 'shop', credential)],
  )
  expect(item.connectionId).toBe(connection.id)
  return item.state
}

test('without an active Deployment there is none: 409', async () => {
  expect(verdict(await world.owner.get(`${world.otherPath}/connections/health`))).toEqual([409, 'no_active_deployment'])
})

test('lists the declared Connections of the Agents in order, also missing ones', async () => {
  const [one, other, quiet] = [newId('agt'), newId('agt'), newId('agt')]
  const [shop, files] = [await world.connection(), await world.connection({ kind: 'custom', settings: {} })]
  const items = await healthOf(
    [
      agent(one, [
        declared('shop'),
        { bindingKey: 'RATE', kind: 'variable', required: true },
        declared('files', { required: false }),
      ]),
      agent(quiet),
      agent(other, [declared('shop'), declared('files', { connectionKind: 'custom' })]),
    ],
    [bundled(shop, one, 'shop'), bundled(files, other, 'files'), bundled(files, quiet, 'files')],
  )
  expect(items).toEqual([
    { bindingKey: 'shop', agentId: one, required: true, connectionId: shop.id, state: 'healthy' },
    { bindingKey: 'files', agentId: one, required: false, connectionId: null, state: 'missing' },
    { bindingKey: 'shop', agentId: other, required: true, connectionId: null, state: 'missing' },
    { bindingKey: 'files', agentId: other, required: true, connectionId: files.id, state: 'healthy' },
  ])
})

test('a Connection of another kind than declared counts as missing', async () => {
  const agentId = newId('agt')
  const connection = await world.connection()
  const wanted = [agent(agentId, [declared('shop', { connectionKind: 'database' })])]
  const items = await healthOf(wanted, [bundled(connection, agentId, 'shop')])
  expect(items).toMatchObject([{ connectionId: null, state: 'missing' }])
})

describe('a binding is', () => {
  test('healthy with the pinned version of its credential, also with newer ones of both', async () => {
    const id = await world.credential()
    const connection = await world.connection({ providerCredentialId: id })
    await world.owner.post(`${world.credentialsPath}/${id}/versions`, { secret: 'another' })
    await world.owner.patch(`${world.connectionsPath}/${connection.id}`, { version: { providerCredentialId: null } })
    expect(await stateOf(connection, { id, version: 1 })).toBe('healthy')
  })

  test('disabled while the Connection is', async () => {
    const connection = await world.connection()
    const path = `${world.connectionsPath}/${connection.id}`
    await world.owner.patch(path, { status: 'disabled' })
    expect(await stateOf(connection)).toBe('disabled')
    await world.owner.patch(path, { status: 'active' })
    expect(await stateOf(connection)).toBe('healthy')
  })

  test('disabled while its credential is', async () => {
    const id = await world.credential()
    const connection = await world.connection({ providerCredentialId: id })
    await world.owner.patch(`${world.credentialsPath}/${id}`, { status: 'disabled' })
    expect(await stateOf(connection, { id, version: 1 })).toBe('disabled')
  })

  test('expired from the expiry of its credential on', async () => {
    const end = world.clock.now() + 60_000
    const id = await world.credential({ expiresAt: new Date(end).toISOString() })
    const connection = await world.connection({ providerCredentialId: id })
    world.clock.advance(59_999)
    expect(await stateOf(connection, { id, version: 1 })).toBe('healthy')
    world.clock.advance(1)
    expect(await stateOf(connection, { id, version: 1 })).toBe('expired')
  })

  test('version_unavailable without the version of the credential, the credential, or the Connection', async () => {
    const id = await world.credential()
    const connection = await world.connection({ providerCredentialId: id })
    expect(await stateOf(connection, { id, version: 2 })).toBe('version_unavailable')
    expect(await stateOf(connection, { id: newId('crd'), version: 1 })).toBe('version_unavailable')
    expect(await stateOf({ ...connection, currentVersion: { id: newId('cnv') } })).toBe('version_unavailable')
    await world.owner.delete(`${world.connectionsPath}/${connection.id}`)
    expect(await stateOf(connection)).toBe('version_unavailable')
  })

  test('version_unavailable once the pinned version of its credential is revoked', async () => {
    const id = await world.credential()
    const connection = await world.connection({ providerCredentialId: id })
    await world.owner.post(`${world.credentialsPath}/${id}/versions`, { secret: 'another' })
    await world.owner.post(`${world.credentialsPath}/${id}/versions/1/revoke`)
    expect(await stateOf(connection, { id, version: 1 })).toBe('version_unavailable')
    expect(await stateOf(connection, { id, version: 2 })).toBe('healthy')
  })

  test('version_unavailable without a credential only if its settings send one', async () => {
    const sending = await world.connection({ settings: { ...httpSettings, auth: 'bearer' } })
    expect(await stateOf(sending)).toBe('version_unavailable')
    const custom = await world.connection({ kind: 'custom', settings: { auth: 'bearer' } })
    expect(await stateOf(custom)).toBe('healthy')
  })

  test("version_unavailable with another organization's credential or another Environment's Connection", async () => {
    const { id: organizationId, owner: client } = world.organization()
    const id = await world.credential({}, { client, organizationId })
    expect(await stateOf(await world.connection(), { id, version: 1 })).toBe('version_unavailable')
    expect(await stateOf(await world.connection({}, `${world.otherPath}/connections`))).toBe('version_unavailable')
  })
})

test("an Agent's key sees the bindings of that Agent", async () => {
  const [own, other] = [await world.agent(), await world.agent()]
  world.activate(
    { agents: [agent(own, [declared('a')]), agent(other, [declared('b')])], connections: [] },
    world.environmentId,
  )
  const key = world.keyOf(world.ownerId, { projectId: world.project.id, agentId: own })
  const { body } = await key.get(`${world.connectionsPath}/health`)
  expect(body.data.items).toMatchObject([{ agentId: own, bindingKey: 'a' }])
})

test('it requires connections:list, within the organization', async () => {
  const path = `${world.connectionsPath}/health`
  const allowed = world.keyOf(world.ownerId, { operations: ['connections:list'] })
  const denied = world.keyOf(world.ownerId, { operations: ['connections:get'] })
  expect((await allowed.get(path)).status).toBe(200)
  expect((await denied.get(path)).body.error.details).toEqual({ permission: 'connections:list' })
  expect((await world.organization().owner.get(path)).status).toBe(404)
})
