import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { issuesOf, tallyStatuses, verdict } from '../../support/world/replies.ts'
import { httpSettings, openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

const get = async (id: string) => (await world.owner.get(`${world.connectionsPath}/${id}`)).body.data

describe('creation', () => {
  test('answers with the Connection and its first version, without the credential', async () => {
    const [agentId, providerCredentialId] = [await world.agent(), await world.credential({ provider: 'custom' })]
    const { status, body } = await world.owner.post(world.connectionsPath, {
      name: '  Shop ',
      kind: 'http',
      settings: { ...httpSettings, auth: 'bearer' },
      providerCredentialId,
      providerCredentialVersion: 1,
      agentId,
      bindingKey: 'shop',
    })
    expect(status).toBe(200)
    const { id, currentVersion, ...rest } = body.data
    const at = new Date(world.clock.now()).toISOString()
    expect(id).toMatch(/^con_/)
    expect(rest).toEqual({
      environmentId: world.environmentId,
      name: 'Shop',
      kind: 'http',
      status: 'active',
      statusReason: null,
      settings: { ...httpSettings, auth: 'bearer' },
      agentId,
      bindingKey: 'shop',
      createdAt: at,
      updatedAt: at,
    })
    expect({ ...currentVersion, id: '' }).toEqual({ id: '', number: 1, createdAt: at })
    expect(currentVersion.id).toMatch(/^cnv_/)
    expect(await get(id)).toEqual(body.data)
    expect(JSON.stringify(body)).not.toContain(providerCredentialId)
  })

  test('requires neither a credential nor an Agent; null equals omission', async () => {
    const nothing = { providerCredentialId: null, providerCredentialVersion: null, agentId: null, bindingKey: null }
    expect(await world.connection(nothing)).toMatchObject({ agentId: null, bindingKey: null })
  })

  test('keeps an open version of the credential open', async () => {
    const { id } = await world.connection({ providerCredentialId: await world.credential() })
    expect(world.versions(id)[0]?.version).toBeNull()
  })

  test('accepts a disabled credential: it fails when used', async () => {
    const providerCredentialId = await world.credential()
    await world.owner.patch(`${world.credentialsPath}/${providerCredentialId}`, { status: 'disabled' })
    expect(await world.connection({ providerCredentialId })).toMatchObject({ status: 'active' })
  })

  const agentId = 'agt_01h455vb4pex5vsknk084sn02q'
  test.each<[string, object, string[]]>([
    ['nothing', {}, ['/body/name', '/body/kind', '/body/settings']],
    ['an empty name', { name: ' ', kind: 'http', settings: httpSettings }, ['/body/name']],
    ['a name of 201 characters', { name: 'x'.repeat(201), kind: 'http', settings: httpSettings }, ['/body/name']],
    ['an unknown kind', { name: 'A', kind: 'ftp', settings: {} }, ['/body/kind']],
    ['settings that are a list', { name: 'A', kind: 'custom', settings: [] }, ['/body/settings']],
    ['settings that are null', { name: 'A', kind: 'custom', settings: null }, ['/body/settings']],
    ['an unknown field', { name: 'A', kind: 'custom', settings: {}, secret: 'x' }, ['/body/secret']],
    ['a status', { name: 'A', kind: 'custom', settings: {}, status: 'disabled' }, ['/body/status']],
    ['an Agent without a key', { name: 'A', kind: 'custom', settings: {}, agentId }, ['/body/bindingKey']],
    ['a key without an Agent', { name: 'A', kind: 'custom', settings: {}, bindingKey: 'a' }, ['/body/agentId']],
    [
      'an Agent with a null key',
      { name: 'A', kind: 'custom', settings: {}, agentId, bindingKey: null },
      ['/body/bindingKey'],
    ],
    [
      'a malformed Agent',
      { name: 'A', kind: 'custom', settings: {}, agentId: 'x', bindingKey: 'a' },
      ['/body/agentId'],
    ],
    ['a malformed key', { name: 'A', kind: 'custom', settings: {}, agentId, bindingKey: 'a b' }, ['/body/bindingKey']],
    [
      'a key of 65 characters',
      { name: 'A', kind: 'custom', settings: {}, agentId, bindingKey: 'a'.repeat(65) },
      ['/body/bindingKey'],
    ],
    [
      'a version without a credential',
      { name: 'A', kind: 'custom', settings: {}, providerCredentialVersion: 1 },
      ['/body/providerCredentialVersion'],
    ],
    [
      'version 0',
      { name: 'A', kind: 'custom', settings: {}, providerCredentialVersion: 0 },
      ['/body/providerCredentialVersion'],
    ],
    [
      'a malformed credential',
      { name: 'A', kind: 'custom', settings: {}, providerCredentialId: 'x' },
      ['/body/providerCredentialId'],
    ],
  ])('refuses %s (422)', async (_, body, paths) => {
    const reply = await world.owner.post(world.connectionsPath, body)
    expect(verdict(reply)).toEqual([422, 'validation_failed'])
    expect(issuesOf(reply)).toEqual(paths)
  })

  test.each<[string, () => Promise<object>]>([
    ['an unknown credential', async () => ({ providerCredentialId: newId('crd') })],
    [
      'an unknown version',
      async () => ({ providerCredentialId: await world.credential(), providerCredentialVersion: 2 }),
    ],
    [
      "another organization's credential",
      async () => {
        const { id: organizationId, owner: client } = world.organization()
        return { providerCredentialId: await world.credential({}, { client, organizationId }) }
      },
    ],
    ['an unknown Agent', async () => ({ agentId: newId('agt'), bindingKey: 'a' })],
    [
      'an Agent that is being deleted',
      async () => {
        const agentId = await world.agent()
        world.rows("update agents set status = 'deleting' where id = ?", agentId)
        return { agentId, bindingKey: 'a' }
      },
    ],
    [
      'an Agent of another Project',
      async () => ({ agentId: await world.agent((await world.newProject()).path), bindingKey: 'a' }),
    ],
  ])('answers 404 for %s', async (_, body) => {
    const reply = await world.owner.post(world.connectionsPath, {
      name: 'Nowhere',
      kind: 'http',
      settings: httpSettings,
      ...(await body()),
    })
    expect(verdict(reply)).toEqual([404, 'not_found'])
    expect(world.rows("select 1 from connections where name = 'Nowhere'")).toEqual([])
  })

  test('a name that is taken in the Environment is 422; in another Environment it is free', async () => {
    const { name } = await world.connection()
    const again = await world.owner.post(world.connectionsPath, { name, kind: 'custom', settings: {} })
    expect(verdict(again)).toEqual([422, 'name_taken'])
    const message = 'The name is already used by another Connection of the Environment; choose another one.'
    expect(again.body.error).toMatchObject({ message, details: { issues: [{ path: '/body/name', message }] } })
    await world.connection({ name }, `${world.otherPath}/connections`)
  })

  test('a key that is taken for the Agent is 422; for another Agent and in another Environment it is free', async () => {
    const [agentId, other] = [await world.agent(), await world.agent()]
    await world.connection({ agentId, bindingKey: 'shop' })
    const again = await world.owner.post(world.connectionsPath, {
      name: 'Again',
      kind: 'http',
      settings: httpSettings,
      agentId,
      bindingKey: 'shop',
    })
    expect([verdict(again), issuesOf(again)]).toEqual([[422, 'binding_taken'], ['/body/bindingKey']])
    await world.connection({ agentId: other, bindingKey: 'shop' })
    await world.connection({ agentId, bindingKey: 'shop' }, `${world.otherPath}/connections`)
  })

  test('of eight with the same name at once exactly one gets it', async () => {
    const body = { name: 'Contested', kind: 'http', settings: httpSettings }
    const replies = await Promise.all(Array.from({ length: 8 }, () => world.owner.post(world.connectionsPath, body)))
    expect(tallyStatuses(replies)).toEqual({ 200: 1, 422: 7 })
  })

  test('an Environment has at most 200, also under concurrent requests', async () => {
    const { path, environments } = await world.newProject()
    const at = `${path}/environments/${environments[0]}/connections`
    for (let index = 0; index < 196; index += 1) await world.connection({}, at)
    const body = { kind: 'http', settings: httpSettings }
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, index) => world.owner.post(at, { name: `last ${index}`, ...body })),
    )
    expect(tallyStatuses(replies)).toEqual({ 200: 4, 422: 4 })
    expect(verdict(await world.owner.post(at, { name: 'more', ...body }))).toEqual([422, 'limit_exceeded'])
  })
})
