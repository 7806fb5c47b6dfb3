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
const patch = (id: string, body: object) => world.owner.patch(`${world.connectionsPath}/${id}`, body)

describe('a change', () => {
  test('of the name keeps everything else, and makes no version', async () => {
    const before = await world.connection()
    world.clock.advance(1000)
    const { status, body } = await patch(before.id, { name: 'Renamed' })
    expect(status).toBe(200)
    expect(body.data).toEqual({
      ...before,
      name: 'Renamed',
      updatedAt: new Date(world.clock.now()).toISOString(),
    })
    expect(world.versions(before.id)).toHaveLength(1)
  })

  test('of nothing is 200 and changes nothing', async () => {
    const before = await world.connection()
    world.clock.advance(1000)
    const { status, body } = await patch(before.id, {})
    expect([status, body.data]).toEqual([200, before])
  })

  test('disables and activates', async () => {
    const { id } = await world.connection()
    expect((await patch(id, { status: 'disabled' })).body.data.status).toBe('disabled')
    expect((await patch(id, { status: 'disabled' })).status).toBe(200)
    expect((await patch(id, { status: 'active' })).body.data.status).toBe('active')
  })

  test('to active clears the reason why it was disabled', async () => {
    const { id } = await world.connection()
    world.rows("update connections set status = 'disabled', status_reason = 'invalid_grant' where id = ?", id)
    expect(await get(id)).toMatchObject({ status: 'disabled', statusReason: 'invalid_grant' })
    expect((await patch(id, { name: 'Still disabled' })).body.data.statusReason).toBe('invalid_grant')
    expect((await patch(id, { status: 'active' })).body.data).toMatchObject({ status: 'active', statusReason: null })
  })

  test('binds, rebinds and unbinds', async () => {
    const { id } = await world.connection()
    const [one, other] = [await world.agent(), await world.agent()]
    for (const [agentId, bindingKey] of [
      [one, 'shop'],
      [other, 'store'],
      [null, null],
    ]) {
      expect((await patch(id, { agentId, bindingKey })).body.data).toMatchObject({ agentId, bindingKey })
    }
  })

  test('of the settings needs no credential', async () => {
    const settings = { baseUrl: 'https://other.example.com' }
    const plain = await world.connection()
    const changed = await patch(plain.id, { version: { settings } })
    expect(changed.body.data).toMatchObject({ settings, currentVersion: { number: 2 } })
    await patch(plain.id, { version: { providerCredentialId: await world.credential() } })
    const refused = await patch(plain.id, { version: { settings: httpSettings } })
    expect(verdict(refused)).toEqual([422, 'validation_failed'])
    expect(issuesOf(refused)).toEqual(['/body/version/providerCredentialId'])
  })

  test('of the version keeps the settings unless others are given', async () => {
    const { id, currentVersion } = await world.connection()
    const providerCredentialId = await world.credential()
    const second = await patch(id, { version: { providerCredentialId, providerCredentialVersion: 1 } })
    expect(second.body.data).toMatchObject({ settings: httpSettings, currentVersion: { number: 2 } })
    expect(second.body.data.currentVersion.id).not.toBe(currentVersion.id)
    const settings = { baseUrl: 'https://other.example.com' }
    const third = await patch(id, { version: { providerCredentialId: null, settings } })
    expect(third.body.data).toMatchObject({ settings, currentVersion: { number: 3 } })
    expect(await get(id)).toEqual(third.body.data)
    expect(world.versions(id)).toEqual([
      {
        number: 1,
        settings: JSON.stringify(httpSettings),
        credential: null,
        version: null,
      },
      {
        number: 2,
        settings: JSON.stringify(httpSettings),
        credential: providerCredentialId,
        version: 1,
      },
      {
        number: 3,
        settings: JSON.stringify(settings),
        credential: null,
        version: null,
      },
    ])
  })

  test.each<[string, object, string[]]>([
    ['the kind', { kind: 'custom' }, ['/body/kind']],
    ['settings without a version', { settings: {} }, ['/body/settings']],
    ['the status to deleting', { status: 'deleting' }, ['/body/status']],
    ['the name to null', { name: null }, ['/body/name']],
    ['the Agent alone', { agentId: 'agt_01h455vb4pex5vsknk084sn02q' }, ['/body/bindingKey']],
    ['the key alone', { bindingKey: 'a' }, ['/body/agentId']],
    ['the Agent alone to null', { agentId: null }, ['/body/bindingKey']],
    ['one of the two to null', { agentId: null, bindingKey: 'a' }, ['/body/agentId']],
    ['the version to null', { version: null }, ['/body/version']],
    [
      'to a version without a credential',
      { version: { providerCredentialId: null, providerCredentialVersion: 1 } },
      ['/body/version/providerCredentialVersion'],
    ],
    [
      'to settings of another kind',
      { version: { providerCredentialId: null, settings: { engine: 'postgres' } } },
      ['/body/version/settings/baseUrl', '/body/version/settings/engine'],
    ],
  ])('refuses to change %s (422)', async (_, body, paths) => {
    const before = await world.connection()
    const reply = await patch(before.id, body)
    expect(verdict(reply)).toEqual([422, 'validation_failed'])
    expect(issuesOf(reply)).toEqual(paths)
    expect(await get(before.id)).toEqual(before)
  })

  test('to a forbidden address is 422 and makes no version', async () => {
    const { id } = await world.connection()
    const version = { providerCredentialId: null, settings: { baseUrl: 'https://169.254.169.254' } }
    const reply = await patch(id, { version })
    expect([verdict(reply), issuesOf(reply)]).toEqual([[422, 'url_not_allowed'], ['/body/version/settings/baseUrl']])
    expect(world.versions(id)).toHaveLength(1)
  })

  test.each<[string, () => Promise<object>]>([
    ['an unknown credential', async () => ({ version: { providerCredentialId: newId('crd') } })],
    [
      'an unknown version',
      async () => ({ version: { providerCredentialId: await world.credential(), providerCredentialVersion: 9 } }),
    ],
    ['an unknown Agent', async () => ({ agentId: newId('agt'), bindingKey: 'a' })],
    [
      'an Agent of another Project',
      async () => ({ agentId: await world.agent((await world.newProject()).path), bindingKey: 'a' }),
    ],
  ])('answers 404 for %s and changes nothing', async (_, body) => {
    const before = await world.connection()
    expect(verdict(await patch(before.id, { name: 'Changed', ...(await body()) }))).toEqual([404, 'not_found'])
    expect(await get(before.id)).toEqual(before)
  })

  test('to a taken name or key is 422 and changes nothing', async () => {
    const agentId = await world.agent()
    const other = await world.connection({ agentId, bindingKey: 'shop' })
    const before = await world.connection()
    expect(verdict(await patch(before.id, { name: other.name, status: 'disabled' }))).toEqual([422, 'name_taken'])
    expect(verdict(await patch(before.id, { agentId, bindingKey: 'shop' }))).toEqual([422, 'binding_taken'])
    expect(await get(before.id)).toEqual(before)
    expect((await patch(other.id, { name: other.name, agentId, bindingKey: 'shop' })).status).toBe(200)
  })

  test('eight concurrent versions are numbered without gaps, and the last one is current', async () => {
    const { id } = await world.connection()
    const providerCredentialId = await world.credential()
    const replies = await Promise.all(Array.from({ length: 8 }, () => patch(id, { version: { providerCredentialId } })))
    expect(tallyStatuses(replies)).toEqual({ 200: 8 })
    expect(world.versions(id).map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect((await get(id)).currentVersion.number).toBe(9)
  })

  test('of the settings alone never drops a credential that is set at the same time', async () => {
    const providerCredentialId = await world.credential()
    const settings = { baseUrl: 'https://other.example.com' }
    for (let time = 0; time < 20; time += 1) {
      const { id } = await world.connection()
      const [setting, changing] = await Promise.all([
        patch(id, { version: { providerCredentialId } }),
        patch(id, { version: { settings } }),
      ])
      expect(setting.status).toBe(200)
      expect([200, 422]).toContain(changing.status)
      expect(world.versions(id).at(-1)).toMatchObject({ credential: providerCredentialId })
      expect((await get(id)).settings).toEqual(changing.status === 200 ? settings : httpSettings)
    }
  })

  test('of eight that take the same key at once exactly one gets it', async () => {
    const agentId = await world.agent()
    const connections = await Promise.all(Array.from({ length: 8 }, () => world.connection()))
    const replies = await Promise.all(connections.map(({ id }) => patch(id, { agentId, bindingKey: 'one' })))
    expect(tallyStatuses(replies)).toEqual({ 200: 1, 422: 7 })
  })

  test('keeps both of two fields that are changed concurrently', async () => {
    const { id } = await world.connection()
    await Promise.all([patch(id, { name: 'Both at once' }), patch(id, { status: 'disabled' })])
    expect(await get(id)).toMatchObject({ name: 'Both at once', status: 'disabled' })
  })
})

describe('a credential reaches another address', () => {
  const elsewhere = { baseUrl: 'https://elsewhere.example.com/v1' }
  const updating = () => world.keyOf(world.ownerId, { operations: ['connections:update'] })
  const creating = () => world.keyOf(world.ownerId, { operations: ['connections:update', 'connections:create'] })
  type Start = { providerCredentialId?: string; settings?: object }

  test.each<[string, (credentials: [string, string]) => [Start, object]]>([
    ['by a new host', ([one]) => [{ providerCredentialId: one }, { providerCredentialId: one, settings: elsewhere }]],
    [
      'by a new port',
      ([one]) => [
        { providerCredentialId: one, settings: { baseUrl: 'https://api.example.com:443/v1' } },
        { providerCredentialId: one, settings: { baseUrl: 'https://api.example.com:8443/v1' } },
      ],
    ],
    [
      'of a database',
      ([one]) => [
        {
          providerCredentialId: one,
          kind: 'database',
          settings: { engine: 'postgres', host: 'db.example.com', port: 5432, database: 'shop' },
        },
        {
          providerCredentialId: one,
          settings: { engine: 'postgres', host: 'other.example.com', port: 5432, database: 'shop' },
        },
      ],
    ],
    ['of a Connection that had none', ([one]) => [{ settings: elsewhere }, { providerCredentialId: one }]],
    ['in place of another one', ([one, other]) => [{ providerCredentialId: one }, { providerCredentialId: other }]],
  ])('%s only with the permission to create Connections', async (_, versions) => {
    const [start, version] = versions([await world.credential(), await world.credential()])
    const { id, currentVersion } = await world.connection(start)
    const path = `${world.connectionsPath}/${id}`
    const { status, body } = await updating().patch(path, { version })
    expect([status, body.error.code, body.error.details.permission]).toEqual([
      403,
      'permission_denied',
      'connections:create',
    ])
    expect((await get(id)).currentVersion).toEqual(currentVersion)
    expect((await creating().patch(path, { version })).status).toBe(200)
  })

  test.each<[string, (credential: string) => object]>([
    ['a new path', (one) => ({ providerCredentialId: one, settings: { baseUrl: 'https://api.example.com/v2' } })],
    ['the same credential again', (one) => ({ providerCredentialId: one })],
    ['no credential any more', () => ({ providerCredentialId: null, settings: elsewhere })],
  ])('not by %s, which takes the permission to change Connections alone', async (_, version) => {
    const credential = await world.credential()
    const { id } = await world.connection({ providerCredentialId: credential })
    expect((await updating().patch(`${world.connectionsPath}/${id}`, { version: version(credential) })).status).toBe(
      200,
    )
  })

  test('never in two steps either', async () => {
    const credential = await world.credential()
    const { id } = await world.connection({ providerCredentialId: credential })
    const path = `${world.connectionsPath}/${id}`
    const away = { providerCredentialId: null, settings: elsewhere }
    expect((await updating().patch(path, { version: away })).status).toBe(200)
    expect((await updating().patch(path, { version: { providerCredentialId: credential } })).status).toBe(403)
  })
})
