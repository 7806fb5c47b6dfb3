import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { tally, walk } from '../projects/world.ts'
import { httpSettings, issuesOf, openWorld, secretText, verdict, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.stop())

const get = async (id: string) => (await world.owner.get(`${world.connectionsPath}/${id}`)).body.data
const patch = (id: string, body: object) => world.owner.patch(`${world.connectionsPath}/${id}`, body)
const versions = (id: string) =>
  world.rows<{ number: number; settings: string; provider_credential_id: string; provider_credential_version: number }>(
    `select number, settings, provider_credential_id, provider_credential_version
     from connection_versions where connection_id = ? order by number`,
    id,
  )

describe('creation', () => {
  test('answers the Connection with its first version, and no word about the credential', async () => {
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

  test('needs neither a credential nor an Agent; null is as good as leaving it out', async () => {
    const nothing = { providerCredentialId: null, providerCredentialVersion: null, agentId: null, bindingKey: null }
    expect(await world.connection(nothing)).toMatchObject({ agentId: null, bindingKey: null })
  })

  test('keeps an open version of the credential open', async () => {
    const { id } = await world.connection({ providerCredentialId: await world.credential() })
    expect(versions(id)[0]?.provider_credential_version).toBeNull()
  })

  test('takes a credential that is disabled: it fails at use', async () => {
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
      'an Agent with a key that is null',
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
    expect(issuesOf(reply.body)).toEqual(paths)
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
    expect([verdict(again), issuesOf(again.body)]).toEqual([[422, 'binding_taken'], ['/body/bindingKey']])
    await world.connection({ agentId: other, bindingKey: 'shop' })
    await world.connection({ agentId, bindingKey: 'shop' }, `${world.otherPath}/connections`)
  })

  test('of eight that take a name at once exactly one gets it', async () => {
    const body = { name: 'Contested', kind: 'http', settings: httpSettings }
    const replies = await Promise.all(Array.from({ length: 8 }, () => world.owner.post(world.connectionsPath, body)))
    expect(tally(replies)).toEqual({ 200: 1, 422: 7 })
  })

  test('an Environment has at most 200, also when many come at once', async () => {
    const { path, environments } = await world.newProject()
    const at = `${path}/environments/${environments[0]}/connections`
    for (let index = 0; index < 196; index += 1) await world.connection({}, at)
    const body = { kind: 'http', settings: httpSettings }
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, index) => world.owner.post(at, { name: `last ${index}`, ...body })),
    )
    expect(tally(replies)).toEqual({ 200: 4, 422: 4 })
    expect(verdict(await world.owner.post(at, { name: 'more', ...body }))).toEqual([422, 'limit_exceeded'])
  }, 20_000)
})

describe('a change', () => {
  test('of the name leaves everything else, and makes no version', async () => {
    const before = await world.connection()
    world.clock.advance(1000)
    const { status, body } = await patch(before.id, { name: 'Renamed' })
    expect(status).toBe(200)
    expect(body.data).toEqual({
      ...before,
      name: 'Renamed',
      updatedAt: new Date(world.clock.now()).toISOString(),
    })
    expect(versions(before.id)).toHaveLength(1)
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

  test('to active takes the reason away for which it was disabled', async () => {
    const { id } = await world.connection()
    world.rows("update connections set status = 'disabled', status_reason = 'invalid_grant' where id = ?", id)
    expect(await get(id)).toMatchObject({ status: 'disabled', statusReason: 'invalid_grant' })
    expect((await patch(id, { name: 'Still disabled' })).body.data.statusReason).toBe('invalid_grant')
    expect((await patch(id, { status: 'active' })).body.data).toMatchObject({ status: 'active', statusReason: null })
  })

  test('binds, binds to another and unbinds', async () => {
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

  test('to a new version keeps the settings unless others are given', async () => {
    const { id, currentVersion } = await world.connection()
    const providerCredentialId = await world.credential()
    const second = await patch(id, { version: { providerCredentialId, providerCredentialVersion: 1 } })
    expect(second.body.data).toMatchObject({ settings: httpSettings, currentVersion: { number: 2 } })
    expect(second.body.data.currentVersion.id).not.toBe(currentVersion.id)
    const settings = { baseUrl: 'https://other.example.com' }
    const third = await patch(id, { version: { providerCredentialId: null, settings } })
    expect(third.body.data).toMatchObject({ settings, currentVersion: { number: 3 } })
    expect(await get(id)).toEqual(third.body.data)
    expect(versions(id)).toEqual([
      {
        number: 1,
        settings: JSON.stringify(httpSettings),
        provider_credential_id: null,
        provider_credential_version: null,
      },
      {
        number: 2,
        settings: JSON.stringify(httpSettings),
        provider_credential_id: providerCredentialId,
        provider_credential_version: 1,
      },
      {
        number: 3,
        settings: JSON.stringify(settings),
        provider_credential_id: null,
        provider_credential_version: null,
      },
    ] as never)
  })

  test.each<[string, object, string[]]>([
    ['the kind', { kind: 'custom' }, ['/body/kind']],
    ['settings without a version', { settings: {} }, ['/body/settings']],
    ['the status to deleting', { status: 'deleting' }, ['/body/status']],
    ['the name to null', { name: null }, ['/body/name']],
    ['the Agent alone', { agentId: 'agt_01h455vb4pex5vsknk084sn02q' }, ['/body/bindingKey']],
    ['the key alone', { bindingKey: 'a' }, ['/body/agentId']],
    ['the Agent alone to null', { agentId: null }, ['/body/bindingKey']],
    ['one of both to null', { agentId: null, bindingKey: 'a' }, ['/body/agentId']],
    ['the version to null', { version: null }, ['/body/version']],
    ['to an empty version', { version: {} }, ['/body/version/providerCredentialId']],
    [
      'to a version without a word about the credential',
      { version: { settings: httpSettings } },
      ['/body/version/providerCredentialId'],
    ],
    [
      'to the version of no credential',
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
    expect(issuesOf(reply.body)).toEqual(paths)
    expect(await get(before.id)).toEqual(before)
  })

  test('to an address that is not allowed is 422 and makes no version', async () => {
    const { id } = await world.connection()
    const version = { providerCredentialId: null, settings: { baseUrl: 'https://169.254.169.254' } }
    const reply = await patch(id, { version })
    expect([verdict(reply), issuesOf(reply.body)]).toEqual([
      [422, 'url_not_allowed'],
      ['/body/version/settings/baseUrl'],
    ])
    expect(versions(id)).toHaveLength(1)
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

  test('to a name or a key that is taken is 422 and changes nothing', async () => {
    const agentId = await world.agent()
    const other = await world.connection({ agentId, bindingKey: 'shop' })
    const before = await world.connection()
    expect(verdict(await patch(before.id, { name: other.name, status: 'disabled' }))).toEqual([422, 'name_taken'])
    expect(verdict(await patch(before.id, { agentId, bindingKey: 'shop' }))).toEqual([422, 'binding_taken'])
    expect(await get(before.id)).toEqual(before)
    expect((await patch(other.id, { name: other.name, agentId, bindingKey: 'shop' })).status).toBe(200)
  })

  test('eight versions at once get the numbers without gaps, and the last one is the current one', async () => {
    const { id } = await world.connection()
    const providerCredentialId = await world.credential()
    const replies = await Promise.all(Array.from({ length: 8 }, () => patch(id, { version: { providerCredentialId } })))
    expect(tally(replies)).toEqual({ 200: 8 })
    expect(versions(id).map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect((await get(id)).currentVersion.number).toBe(9)
  })

  test('of eight that take the same key at once exactly one gets it', async () => {
    const agentId = await world.agent()
    const connections = await Promise.all(Array.from({ length: 8 }, () => world.connection()))
    const replies = await Promise.all(connections.map(({ id }) => patch(id, { agentId, bindingKey: 'one' })))
    expect(tally(replies)).toEqual({ 200: 1, 422: 7 })
  })

  test('keeps both of two fields that are changed at once', async () => {
    const { id } = await world.connection()
    await Promise.all([patch(id, { name: 'Both at once' }), patch(id, { status: 'disabled' })])
    expect(await get(id)).toMatchObject({ name: 'Both at once', status: 'disabled' })
  })
})

describe('deletion', () => {
  test('is 204, takes the versions along, and frees name and key', async () => {
    const agentId = await world.agent()
    const { id, name } = await world.connection({ agentId, bindingKey: 'shop' })
    expect((await world.owner.delete(`${world.connectionsPath}/${id}`)).status).toBe(204)
    expect((await world.owner.get(`${world.connectionsPath}/${id}`)).status).toBe(404)
    expect((await world.owner.delete(`${world.connectionsPath}/${id}`)).status).toBe(404)
    expect(versions(id)).toEqual([])
    await world.connection({ name, agentId, bindingKey: 'shop' })
  })

  test('is 409 while a Configuration Revision of the Environment holds it', async () => {
    const [held, neighbour] = [await world.connection(), await world.connection()]
    world.snapshot([])
    world.snapshot([newId('con'), held.id])
    world.snapshot([])
    const reply = await world.owner.delete(`${world.connectionsPath}/${held.id}`)
    expect(verdict(reply)).toEqual([409, 'connection_retained'])
    expect(await get(held.id)).toEqual(held)
    expect((await patch(held.id, { status: 'disabled' })).status).toBe(200)
    expect((await world.owner.delete(`${world.connectionsPath}/${neighbour.id}`)).status).toBe(204)
  })

  test('is not kept from by the id anywhere else in a revision', async () => {
    const { id } = await world.connection()
    world.rows(
      `insert into configuration_revisions select ?, organization_id, environment_id, 999, null,
       json_set(content, '$.providerSettings', json_array(json_object('settings', json_object('connectionId', ?)))),
       digest, null, created_by_type, created_by_id, created_at from configuration_revisions where number = 0 and environment_id = ?`,
      newId('cfr'),
      id,
      world.environmentId,
    )
    expect((await world.owner.delete(`${world.connectionsPath}/${id}`)).status).toBe(204)
  })

  test('of eight at once exactly one is 204', async () => {
    const { id } = await world.connection()
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => world.owner.delete(`${world.connectionsPath}/${id}`)),
    )
    expect(tally(replies)).toEqual({ 204: 1, 404: 7 })
  })

  test('beside changes leaves nothing half-written', async () => {
    const { id } = await world.connection()
    const [deleted, ...changed] = await Promise.all([
      world.owner.delete(`${world.connectionsPath}/${id}`),
      ...Array.from({ length: 4 }, () => patch(id, { version: { providerCredentialId: null } })),
    ])
    expect(deleted?.status).toBe(204)
    for (const { status } of changed) expect([200, 404]).toContain(status)
    expect(versions(id)).toEqual([])
  })

  test('of a credential leaves the Connections that refer to it as they are', async () => {
    const providerCredentialId = await world.credential()
    const before = await world.connection({ providerCredentialId })
    expect((await world.owner.delete(`${world.credentialsPath}/${providerCredentialId}`)).status).toBe(200)
    expect(await get(before.id)).toEqual(before)
    expect(verdict(await patch(before.id, { version: { providerCredentialId } }))).toEqual([404, 'not_found'])
  })
})

describe('the list', () => {
  test('is newest first, page by page, without gaps and repeats', async () => {
    const { path, environments } = await world.newProject()
    const at = `${path}/environments/${environments[1]}/connections`
    const ids: string[] = []
    for (let index = 0; index < 5; index += 1) {
      world.clock.advance(1)
      ids.push((await world.connection({}, at)).id)
    }
    const { items, sizes } = await walk(world.owner, at, 2)
    expect([items.map(({ id }) => id), sizes]).toEqual([ids.reverse(), [2, 2, 1]])
    expect(items[0]).toEqual((await world.owner.get(`${at}/${ids[0]}`)).body.data)
  })

  test('takes no cursor of another Environment (422)', async () => {
    await Promise.all([world.connection(), world.connection()])
    const { body } = await world.owner.get(world.connectionsPath, { query: { limit: 1 } })
    const cursor = body.pagination.nextCursor
    expect((await world.owner.get(world.connectionsPath, { query: { cursor } })).status).toBe(200)
    const foreign = await world.owner.get(`${world.otherPath}/connections`, { query: { cursor } })
    expect(verdict(foreign)).toEqual([422, 'invalid_cursor'])
  })

  test("shows a key of an Agent its own Connections and those that are nobody's", async () => {
    const { path, id: projectId, environments } = await world.newProject()
    const at = `${path}/environments/${environments[0]}/connections`
    const [own, other] = [await world.agent(path), await world.agent(path)]
    const nobodys = await world.connection({}, at)
    const mine = await world.connection({ agentId: own, bindingKey: 'a' }, at)
    const foreign = await world.connection({ agentId: other, bindingKey: 'a' }, at)
    const key = world.keyOf(world.ownerId, { projectId, agentId: own })
    const { body } = await key.get(at)
    expect(body.data.items.map(({ id }: { id: string }) => id)).toEqual([mine.id, nobodys.id])
    expect((await key.get(`${at}/${mine.id}`)).status).toBe(200)
    expect((await key.get(`${at}/${foreign.id}`)).status).toBe(404)
    expect((await key.patch(`${at}/${mine.id}`, { name: 'Mine' })).status).toBe(403)
  })
})

describe('another organization, another Environment and an id that never was are the same 404', () => {
  test.each([
    ['GET', {}],
    ['PATCH', { name: 'Mine' }],
    ['DELETE', {}],
  ])('%s', async (method, body) => {
    const { id } = await world.connection()
    const foreigner = world.organization().owner
    const sent = method === 'PATCH' ? body : undefined
    const replies = [
      await foreigner.call(method, `${world.connectionsPath}/${id}`, sent),
      await world.owner.call(method, `${world.otherPath}/connections/${id}`, sent),
      await world.owner.call(method, `${world.connectionsPath}/${newId('con')}`, sent),
      await world.owner.call(method, `${world.connectionsPath}/nonsense`, sent),
    ]
    const texts = replies.map(({ status, body: answer }) =>
      JSON.stringify([status, { ...answer.error, requestId: '' }]),
    )
    expect(new Set(texts).size).toBe(1)
    expect(replies[0]?.status).toBe(404)
    expect((await get(id)).id).toBe(id)
  })
})

test('every change leaves its line in the audit log, with names of fields and no values', async () => {
  const { id } = await world.connection({ settings: { baseUrl: 'https://audited.example.com' } })
  await patch(id, { status: 'disabled' })
  await world.owner.delete(`${world.connectionsPath}/${id}`)
  const lines = world.rows<{ operation: string; changed: string }>(
    "select operation, changed from audit_events where resource_type = 'connection' and resource_id = ? order by id",
    id,
  )
  expect(lines).toEqual([
    { operation: 'createConnection', changed: '["kind","name","settings"]' },
    { operation: 'updateConnection', changed: '["status"]' },
    { operation: 'deleteConnection', changed: '[]' },
  ])
})

test('the secrets of credentials are in no table, no answer and no log line', async () => {
  const providerCredentialId = await world.credential()
  const { id } = await world.connection({ providerCredentialId })
  await patch(id, { version: { providerCredentialId, providerCredentialVersion: 1 } })
  for (const { name } of world.rows<{ name: string }>("select name from sqlite_master where type = 'table'")) {
    expect(JSON.stringify(world.rows(`select * from ${name}`))).not.toContain(secretText)
  }
  expect(JSON.stringify((await world.owner.get(world.connectionsPath)).body)).not.toContain(secretText)
  expect(JSON.stringify(world.lines)).not.toContain(secretText)
})
