import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { openTroupe } from '../../support/troupe.ts'
import { issuesOf, openWorld, secretText, verdict, type World } from '../connections/world.ts'
import { tally } from '../projects/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.stop())

const pathOf = (agentId: string, at = world.path) => `${at}/agents/${agentId}/provider-settings`

/** An Agent with a setting. */
async function setting(body: object = {}) {
  const agentId = await world.agent()
  const path = pathOf(agentId)
  const reply = await world.owner.post(path, body)
  expect(reply.status).toBe(200)
  const { settingId } = reply.body.data
  return { agentId, path, settingId, at: `${path}/${settingId}`, data: reply.body.data }
}

const openai = { provider: 'openai', model: 'gpt-5.5' }

describe('creation', () => {
  test('answers the setting, which is then the only one of the Agent in the Environment', async () => {
    const providerCredentialId = await world.credential()
    const wanted = {
      ...openai,
      settings: { temperature: 0.2, maxTokens: 1 },
      providerCredentialId,
      providerCredentialVersion: 1,
    }
    const { agentId, path, at, data } = await setting(wanted)
    const now = new Date(world.clock.now()).toISOString()
    expect({ ...data, settingId: 0 }).toEqual({ settingId: 0, agentId, ...wanted, createdAt: now, updatedAt: now })
    expect(Number.isSafeInteger(data.settingId)).toBe(true)
    expect((await world.owner.get(at)).body.data).toEqual(data)
    const { body } = await world.owner.get(path)
    expect(body).toEqual({ data: { items: [data] }, pagination: { limit: 20, hasMore: false } })
  })

  test('takes nothing at all', async () => {
    expect((await setting()).data).toMatchObject({
      provider: null,
      model: null,
      settings: {},
      providerCredentialId: null,
      providerCredentialVersion: null,
    })
  })

  test('takes nulls as nothing', async () => {
    const nothing = { provider: null, model: null, providerCredentialId: null, providerCredentialVersion: null }
    expect((await setting(nothing)).data).toMatchObject(nothing)
  })

  test('numbers settings uniquely in the deployment', async () => {
    const settings = await Promise.all(Array.from({ length: 8 }, () => setting()))
    expect(new Set(settings.map(({ settingId }) => settingId)).size).toBe(8)
  })

  test('keeps an open version of the credential open', async () => {
    const { data } = await setting({ ...openai, providerCredentialId: await world.credential() })
    expect(data.providerCredentialVersion).toBeNull()
  })

  test('takes a credential that is disabled: it fails at use', async () => {
    const providerCredentialId = await world.credential()
    await world.owner.patch(`${world.credentialsPath}/${providerCredentialId}`, { status: 'disabled' })
    expect((await setting({ ...openai, providerCredentialId })).data).toMatchObject({ providerCredentialId })
  })

  test('a second one for the Agent in the Environment is 409; in another Environment it is not', async () => {
    const { agentId, path } = await setting()
    expect(verdict(await world.owner.post(path, openai))).toEqual([409, 'setting_exists'])
    expect((await world.owner.post(pathOf(agentId, world.otherPath), openai)).status).toBe(200)
  })

  test('of eight at once exactly one comes to be', async () => {
    const path = pathOf(await world.agent())
    const replies = await Promise.all(Array.from({ length: 8 }, () => world.owner.post(path, openai)))
    expect(tally(replies)).toEqual({ 200: 1, 409: 7 })
  })

  const crd = 'crd_01h455vb4pex5vsknk084sn02q'
  const refused: [string, object, string[]][] = [
    ['an unknown provider', { provider: 'acme' }, ['/body/provider']],
    ['the sandbox, which is no vendor', { provider: 'sandbox' }, ['/body/provider']],
    ['a model of another vendor', { provider: 'openai', model: 'claude-sonnet-5-5' }, ['/body/model']],
    ['a malformed model', { model: 'a model' }, ['/body/model']],
    ['an empty model', { provider: 'openai', model: '' }, ['/body/model']],
    ['a model of 201 characters', { model: 'x'.repeat(201) }, ['/body/model']],
    ['settings that are null', { settings: null }, ['/body/settings']],
    ['settings that are a list', { settings: [] }, ['/body/settings']],
    ['a version without a credential', { providerCredentialVersion: 1 }, ['/body/providerCredentialVersion']],
    ['version 0', { providerCredentialId: crd, providerCredentialVersion: 0 }, ['/body/providerCredentialVersion']],
    ['version 1.5', { providerCredentialId: crd, providerCredentialVersion: 1.5 }, ['/body/providerCredentialVersion']],
    ['a malformed credential', { providerCredentialId: 'x' }, ['/body/providerCredentialId']],
    ['an unknown field', { apiKey: 'x' }, ['/body/apiKey']],
    ['more than 16 KiB of settings', { settings: { text: 'x'.repeat(16 * 1024) } }, ['/body/settings']],
    ['an address with a password', { settings: { url: 'https://user:password@example.com' } }, ['/body/settings/url']],
    ...['apiKey', 'api_key', 'secret', 'token', 'authToken', 'password', 'Authorization'].map(
      (name): [string, object, string[]] => [
        `settings with ${name}`,
        { settings: { in: { [name]: 'x' } } },
        [`/body/settings/in/${name}`],
      ],
    ),
  ]
  test.each(refused)('refuses %s (422)', async (_, body, paths) => {
    const path = pathOf(await world.agent())
    const reply = await world.owner.post(path, body)
    expect([verdict(reply), issuesOf(reply.body)]).toEqual([[422, 'validation_failed'], paths])
    expect((await world.owner.get(path)).body.data.items).toEqual([])
  })

  test.each(refused)('a change refuses %s as well', async (_, body, paths) => {
    const { at, data } = await setting()
    const reply = await world.owner.patch(at, body)
    expect([verdict(reply), issuesOf(reply.body)]).toEqual([[422, 'validation_failed'], paths])
    expect((await world.owner.get(at)).body.data).toEqual(data)
  })

  test.each<[string, object, object]>([
    ['of another vendor', { provider: 'anthropic' }, openai],
    ['for Connections only', { provider: 'custom' }, openai],
    ['without a provider', {}, {}],
  ])('refuses a credential %s (422)', async (_, credential, body) => {
    const providerCredentialId = await world.credential(credential)
    const reply = await world.owner.post(pathOf(await world.agent()), { ...body, providerCredentialId })
    expect([verdict(reply), issuesOf(reply.body)]).toEqual([[422, 'validation_failed'], ['/body/providerCredentialId']])
  })

  const missing: [string, () => Promise<object>][] = [
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
  ]
  test.each(missing)('answers 404 for %s', async (_, body) => {
    const reply = await world.owner.post(pathOf(await world.agent()), { ...openai, ...(await body()) })
    expect(verdict(reply)).toEqual([404, 'not_found'])
  })

  test.each(missing)('a change answers 404 for %s as well', async (_, body) => {
    const { at, data } = await setting(openai)
    expect(verdict(await world.owner.patch(at, { model: 'gpt-5', ...(await body()) }))).toEqual([404, 'not_found'])
    expect((await world.owner.get(at)).body.data).toEqual(data)
  })
})

describe('a change', () => {
  test('of one field leaves the others', async () => {
    const { at, data } = await setting({ ...openai, settings: { temperature: 1 } })
    world.clock.advance(1000)
    const { status, body } = await world.owner.patch(at, { model: 'gpt-5' })
    expect(status).toBe(200)
    expect(body.data).toEqual({ ...data, model: 'gpt-5', updatedAt: new Date(world.clock.now()).toISOString() })
    expect((await world.owner.get(at)).body.data).toEqual(body.data)
  })

  test('of nothing is 200 and changes nothing', async () => {
    const { at, data } = await setting(openai)
    world.clock.advance(1000)
    const { status, body } = await world.owner.patch(at, {})
    expect([status, body.data]).toEqual([200, data])
  })

  test('to null takes away', async () => {
    const { at } = await setting({ ...openai, providerCredentialId: await world.credential() })
    const nothing = { provider: null, model: null, providerCredentialId: null }
    expect((await world.owner.patch(at, nothing)).body.data).toMatchObject(nothing)
  })

  test('must be valid together with what stays', async () => {
    const { at } = await setting({ ...openai, providerCredentialId: await world.credential() })
    const other = await world.owner.patch(at, { provider: 'anthropic' })
    expect([other.status, issuesOf(other.body)]).toEqual([422, ['/body/model']])
    const withModel = await world.owner.patch(at, { provider: 'anthropic', model: 'claude-sonnet-5-5' })
    expect([withModel.status, issuesOf(withModel.body)]).toEqual([422, ['/body/providerCredentialId']])
    const providerCredentialId = await world.credential({ provider: 'anthropic' })
    const all = { provider: 'anthropic', model: 'claude-sonnet-5-5', providerCredentialId }
    expect((await world.owner.patch(at, all)).body.data).toMatchObject(all)
  })

  test('to another credential does not keep the version of the one before', async () => {
    const [one, other] = [await world.credential(), await world.credential()]
    const { at } = await setting({ ...openai, providerCredentialId: one, providerCredentialVersion: 1 })
    const { body } = await world.owner.patch(at, { providerCredentialId: other })
    expect(body.data).toMatchObject({ providerCredentialId: other, providerCredentialVersion: null })
    const { body: none } = await world.owner.patch(at, { providerCredentialId: null })
    expect(none.data).toMatchObject({ providerCredentialId: null, providerCredentialVersion: null })
  })

  test('of something else goes through when the credential is gone', async () => {
    const providerCredentialId = await world.credential()
    const { at } = await setting({ ...openai, providerCredentialId })
    await world.owner.delete(`${world.credentialsPath}/${providerCredentialId}`)
    expect((await world.owner.patch(at, { settings: { temperature: 1 } })).status).toBe(200)
    expect((await world.owner.patch(at, { providerCredentialId })).status).toBe(404)
  })

  test('keeps both of two fields that are changed at once', async () => {
    const { at } = await setting(openai)
    const replies = await Promise.all([
      ...Array.from({ length: 4 }, (_, index) => world.owner.patch(at, { settings: { index } })),
      world.owner.patch(at, { model: 'gpt-5' }),
    ])
    expect(tally(replies)).toEqual({ 200: 5 })
    expect((await world.owner.get(at)).body.data).toMatchObject({
      model: 'gpt-5',
      settings: { index: expect.anything() },
    })
  })
})

describe('deletion', () => {
  test('answers the setting as it was, and makes room for another one', async () => {
    const { at, path, data } = await setting(openai)
    const { status, body } = await world.owner.delete(at)
    expect([status, body]).toEqual([200, { data }])
    expect((await world.owner.get(at)).status).toBe(404)
    expect((await world.owner.delete(at)).status).toBe(404)
    const again = await world.owner.post(path, {})
    expect(again.body.data.settingId).not.toBe(data.settingId)
  })

  test('of eight at once exactly one is 200', async () => {
    const { at } = await setting()
    const replies = await Promise.all(Array.from({ length: 8 }, () => world.owner.delete(at)))
    expect(tally(replies)).toEqual({ 200: 1, 404: 7 })
  })

  test('of the Agent takes its setting along', async () => {
    const { agentId, at } = await setting()
    await world.owner.delete(`${world.project.path}/agents/${agentId}`)
    const gone = async () => (await world.owner.get(at)).status === 404
    for (let tries = 0; tries < 200 && !(await gone()); tries += 1) world.clock.advance(1000)
    expect((await world.owner.get(at)).status).toBe(404)
  })
})

test('where the deployment overrides the address of a vendor, a model only needs the form of a name', async () => {
  const troupe = await openTroupe({ environment: { TROUPE_OPENAI_BASE_URL: 'http://localhost:11434/v1' } })
  try {
    const project = (await troupe.owner.post('/api/v1/projects', { slug: 'project', name: 'Project' })).body.data
    const base = `/api/v1/projects/${project.id}`
    const [environment] = (await troupe.owner.get(`${base}/environments`)).body.data.items
    const agent = (await troupe.owner.post(`${base}/agents`, { slug: 'agent', name: 'Agent' })).body.data
    const path = pathOf(agent.id, `${base}/environments/${environment.id}`)
    const { status, body } = await troupe.owner.post(path, { provider: 'openai', model: 'llama3.2:3b' })
    expect(status).toBe(200)
    const other = await troupe.owner.patch(`${path}/${body.data.settingId}`, { provider: 'anthropic' })
    expect(issuesOf(other.body)).toEqual(['/body/model'])
  } finally {
    await troupe.stop()
  }
})

test('another organization, Environment, Agent, and an id that never was are the same 404', async () => {
  const { agentId, at, settingId } = await setting()
  const foreigner = world.organization().owner
  const elsewhere = await world.newProject()
  const other = await world.agent()
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    const body = method === 'PATCH' ? {} : undefined
    const replies = [
      await foreigner.call(method, at, body),
      await world.owner.call(method, `${pathOf(agentId, world.otherPath)}/${settingId}`, body),
      await world.owner.call(method, `${pathOf(other)}/${settingId}`, body),
      await world.owner.call(
        method,
        `${pathOf(agentId, `${elsewhere.path}/environments/${elsewhere.environments[0]}`)}/${settingId}`,
        body,
      ),
      await world.owner.call(method, `${pathOf(newId('agt'))}/${settingId}`, body),
      ...(await Promise.all(
        [settingId + 9_999_999, 0, -1, '1.5', 'x', '9'.repeat(30)].map((id) =>
          world.owner.call(method, `${pathOf(agentId)}/${id}`, body),
        ),
      )),
    ]
    const texts = replies.map(({ status, body: answer }) =>
      JSON.stringify([status, { ...answer.error, requestId: '' }]),
    )
    expect(new Set(texts).size).toBe(1)
    expect(replies[0]?.status).toBe(404)
  }
  expect((await world.owner.get(at)).status).toBe(200)
})

test('reading takes projects:get, writing projects:update, and a key of another Agent gets neither', async () => {
  const { at, path, agentId } = await setting()
  const reader = world.keyOf(world.ownerId, { operations: ['projects:get'] })
  const writer = world.keyOf(world.ownerId, { operations: ['projects:update'] })
  for (const place of [path, at]) {
    expect((await reader.get(place)).status).toBe(200)
    expect((await writer.get(place)).body.error.details).toEqual({ permission: 'projects:get' })
  }
  for (const reply of [await reader.post(path, {}), await reader.patch(at, {}), await reader.delete(at)]) {
    expect([reply.status, reply.body.error.details]).toEqual([403, { permission: 'projects:update' }])
  }
  expect((await writer.patch(at, {})).status).toBe(200)
  const [projectId, environmentId] = [world.project.id, world.environmentId]
  const own = world.keyOf(world.ownerId, { projectId, environmentId, agentId })
  expect((await own.patch(at, {})).status).toBe(200)
  const other = world.keyOf(world.ownerId, { projectId, agentId: await world.agent() })
  expect([(await other.get(at)).status, (await other.patch(at, {})).status]).toEqual([404, 404])
})

test('every change leaves its line in the audit log under the setting, and no secret is anywhere', async () => {
  const providerCredentialId = await world.credential()
  const { at, settingId } = await setting({ ...openai, providerCredentialId })
  world.clock.advance(1)
  await world.owner.patch(at, { settings: { temperature: 1 } })
  world.clock.advance(1)
  await world.owner.delete(at)
  const lines = world.rows<{ operation: string; changed: string }>(
    "select operation, changed from audit_events where resource_type = 'providerSetting' and resource_id = ? order by id",
    String(settingId),
  )
  expect(lines).toEqual([
    { operation: 'createProviderSetting', changed: '["model","provider","providerCredentialId"]' },
    { operation: 'updateProviderSetting', changed: '["settings"]' },
    { operation: 'deleteProviderSetting', changed: '[]' },
  ])
  for (const { name } of world.rows<{ name: string }>("select name from sqlite_master where type = 'table'")) {
    expect(JSON.stringify(world.rows(`select * from ${name}`))).not.toContain(secretText)
  }
  expect(JSON.stringify(world.lines)).not.toContain(secretText)
})
