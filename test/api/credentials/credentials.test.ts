/** Provider credentials. Source: requirement 4.7; contract 4. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { openWorld, type World } from '../projects/world.ts'
import { activate, atOnce, credentialsPath, deactivate, issuesOf, outcome, tally } from './world.ts'

let world: World
const day = 86_400_000

beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.stop())

const body = (changes: object = {}) => ({
  label: 'Production',
  provider: 'openai',
  credentialType: 'api_key',
  secret: 'sk-hunter2',
  ...changes,
})
const inDays = (days: number) => new Date(world.clock.now() + days * day).toISOString()
const credential = async (changes: object = {}) => {
  const reply = await world.owner.post(credentialsPath, body(changes))
  expect(reply.status).toBe(200)
  const { id } = reply.body.data as { id: string }
  return { id, path: `${credentialsPath}/${id}` }
}

describe('a new credential', () => {
  test('is shown without its secret, at version 1', async () => {
    const { status, body: answer } = await world.owner.post(credentialsPath, body({ label: '  Mine ' }))
    expect(status).toBe(200)
    const { id, ...rest } = answer.data
    expect(id).toMatch(/^crd_/)
    const at = new Date(world.clock.now()).toISOString()
    expect(rest).toEqual({
      label: 'Mine',
      provider: 'openai',
      credentialType: 'api_key',
      status: 'active',
      expiresAt: null,
      currentVersion: 1,
      versions: [{ version: 1, createdAt: at }],
      createdAt: at,
      updatedAt: at,
    })
    expect((await world.owner.get(`${credentialsPath}/${id}`)).body).toEqual(answer)
  })

  test.each([
    ['anthropic'],
    ['openai'],
    ['google'],
    ['mistral'],
    ['xai'],
    ['groq'],
    ['deepseek'],
    ['cohere'],
    ['custom'],
  ])('may be for %s', async (provider) => {
    expect((await world.owner.post(credentialsPath, body({ provider }))).body.data.provider).toBe(provider)
  })

  test.each([['api_key'], ['oauth'], ['service_account'], ['connection_string']])(
    'may be a %s',
    async (credentialType) => {
      const reply = await world.owner.post(credentialsPath, body({ credentialType }))
      expect(reply.body.data.credentialType).toBe(credentialType)
    },
  )

  test.each([
    ['one character', 'x'],
    ['65,536 characters', 'x'.repeat(65_536)],
    ['65,536 characters outside the basic plane', '𝄞'.repeat(65_536)],
    ['line breaks', '{"private_key":"-----BEGIN\\n"}\r\n\t'],
  ])('may have a secret of %s', async (_, secret) => {
    expect(outcome(await world.owner.post(credentialsPath, body({ secret })))).toBe('200')
  })

  test('may end in the future, or not at all', async () => {
    const reply = await world.owner.post(credentialsPath, body({ expiresAt: inDays(1) }))
    expect(reply.body.data.expiresAt).toBe(inDays(1))
    expect((await world.owner.post(credentialsPath, body({ expiresAt: null }))).body.data.expiresAt).toBeNull()
  })

  const refused: [string, () => object, string[]][] = [
    ['nothing', () => ({}), ['/body/label', '/body/provider', '/body/credentialType', '/body/secret']],
    ['no secret', () => ({ ...body(), secret: undefined }), ['/body/secret']],
    ['an empty secret', () => body({ secret: '' }), ['/body/secret']],
    ['a secret of 65,537 characters', () => body({ secret: 'x'.repeat(65_537) }), ['/body/secret']],
    ['a secret of 100,000 characters', () => body({ secret: 'x'.repeat(100_000) }), ['/body/secret']],
    ['a secret that is a number', () => body({ secret: 12345 }), ['/body/secret']],
    ['a secret that is null', () => body({ secret: null }), ['/body/secret']],
    ['an empty label', () => body({ label: ' ' }), ['/body/label']],
    ['a label of 201 characters', () => body({ label: 'x'.repeat(201) }), ['/body/label']],
    ['an unknown vendor', () => body({ provider: 'oracle' }), ['/body/provider']],
    ['a vendor in capitals', () => body({ provider: 'OpenAI' }), ['/body/provider']],
    ['the sandbox', () => body({ provider: 'sandbox' }), ['/body/provider']],
    ['an unknown type', () => body({ credentialType: 'password' }), ['/body/credentialType']],
    ['an end that is now', () => body({ expiresAt: inDays(0) }), ['/body/expiresAt']],
    ['an end in the past', () => body({ expiresAt: inDays(-1) }), ['/body/expiresAt']],
    ['an end that is no instant', () => body({ expiresAt: 'tomorrow' }), ['/body/expiresAt']],
    ['an end on a day that there is not', () => body({ expiresAt: '2099-02-30T00:00:00Z' }), ['/body/expiresAt']],
    ['an end in the year 10000', () => body({ expiresAt: '9999-12-31T23:59:59-01:00' }), ['/body/expiresAt']],
    ['a status', () => body({ status: 'active' }), ['/body/status']],
    ['an unknown field', () => body({ value: 'sk' }), ['/body/value']],
  ]
  test.each(refused)('with %s is refused (422)', async (_, given, paths) => {
    const reply = await world.owner.post(credentialsPath, given())
    expect([outcome(reply), issuesOf(reply)]).toEqual(['422 validation_failed', paths])
  })
})

describe('a change', () => {
  test('of label, status and end leaves the secret as it is', async () => {
    const { path } = await credential()
    world.clock.advance(1000)
    const changes = { label: 'Other', status: 'disabled', expiresAt: inDays(2) }
    const { status, body: answer } = await world.owner.patch(path, changes)
    expect(status).toBe(200)
    expect({ ...answer.data }).toMatchObject({ ...changes, currentVersion: 1 })
    expect(Date.parse(answer.data.updatedAt) - Date.parse(answer.data.createdAt)).toBe(1000)
    expect((await world.owner.get(path)).body).toEqual(answer)
  })

  test('to null ends the end, and leaving it out does not', async () => {
    const { path } = await credential({ expiresAt: inDays(1) })
    expect((await world.owner.patch(path, { label: 'Kept' })).body.data.expiresAt).toBe(inDays(1))
    expect((await world.owner.patch(path, { expiresAt: null })).body.data.expiresAt).toBeNull()
  })

  test('goes from active to disabled and back, and to where it is', async () => {
    const { path } = await credential()
    const seen: string[] = []
    for (const status of ['active', 'disabled', 'disabled', 'active']) {
      seen.push((await world.owner.patch(path, { status })).body.data.status)
    }
    expect(seen).toEqual(['active', 'disabled', 'disabled', 'active'])
  })

  test('of nothing is 200 and changes nothing', async () => {
    const { path } = await credential()
    const before = (await world.owner.get(path)).body
    world.clock.advance(1000)
    const { status, body: after } = await world.owner.patch(path, {})
    expect([status, after]).toEqual([200, before])
  })

  test('of two fields at once by two keeps both', async () => {
    const { path } = await credential()
    await Promise.all([
      world.owner.patch(path, { label: 'Both' }),
      world.owner.patch(path, { status: 'disabled' }),
      world.owner.post(`${path}/versions`, { secret: 'sk-2' }),
    ])
    const { data } = (await world.owner.get(path)).body
    expect({ ...data }).toMatchObject({ label: 'Both', status: 'disabled', currentVersion: 2 })
  })

  const refused: [string, () => object, string][] = [
    ['the status to deleting', () => ({ status: 'deleting' }), '/body/status'],
    ['the status to null', () => ({ status: null }), '/body/status'],
    ['the status to expired', () => ({ status: 'expired' }), '/body/status'],
    ['the end to the past', () => ({ expiresAt: inDays(-1) }), '/body/expiresAt'],
    ['the end to no instant', () => ({ expiresAt: '' }), '/body/expiresAt'],
    ['the label to nothing', () => ({ label: '' }), '/body/label'],
    ['the provider', () => ({ provider: 'xai' }), '/body/provider'],
    ['the type', () => ({ credentialType: 'oauth' }), '/body/credentialType'],
    ['the secret', () => ({ secret: 'sk-3' }), '/body/secret'],
    ['the version', () => ({ currentVersion: 1 }), '/body/currentVersion'],
  ]
  test.each(refused)('refuses %s (422)', async (_, changes, issue) => {
    const { path } = await credential()
    const reply = await world.owner.patch(path, changes())
    expect([reply.status, issuesOf(reply)]).toEqual([422, [issue]])
  })
})

describe('another secret', () => {
  test('is the next version; the earlier ones stay', async () => {
    const { path } = await credential()
    const first = new Date(world.clock.now()).toISOString()
    world.clock.advance(1000)
    const second = new Date(world.clock.now()).toISOString()
    const { status, body: answer } = await world.owner.post(`${path}/versions`, { secret: 'sk-2' })
    expect(status).toBe(200)
    expect(answer.data.currentVersion).toBe(2)
    expect(answer.data.versions).toEqual([
      { version: 1, createdAt: first },
      { version: 2, createdAt: second },
    ])
    expect(answer.data.updatedAt).toBe(second)
    expect((await world.owner.get(path)).body).toEqual(answer)
  })

  test('given by eight at once makes eight versions without gaps', async () => {
    const { path } = await credential()
    const replies = await atOnce(8, (index) => world.owner.post(`${path}/versions`, { secret: `sk-${index}` }))
    expect(tally(replies)).toEqual({ 200: 8 })
    const numbers = replies.map((reply) => reply.body.data.currentVersion).sort((one, other) => one - other)
    expect(numbers).toEqual([2, 3, 4, 5, 6, 7, 8, 9])
    const { data } = (await world.owner.get(path)).body
    expect(data.versions.map(({ version }: { version: number }) => version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  test.each<[string, object, string]>([
    ['no secret', {}, '/body/secret'],
    ['an empty secret', { secret: '' }, '/body/secret'],
    ['65,537 characters', { secret: 'x'.repeat(65_537) }, '/body/secret'],
    ['100,000 characters', { secret: 'x'.repeat(100_000) }, '/body/secret'],
  ])('with %s is refused (422)', async (_, given, issue) => {
    const { path } = await credential()
    const reply = await world.owner.post(`${path}/versions`, given)
    expect([reply.status, issuesOf(reply)]).toEqual([422, [issue]])
  })

  test('after the hundredth is refused (422)', async () => {
    const { id, path } = await credential()
    for (let version = 2; version <= 99; version += 1) {
      world.rows('insert into provider_credential_versions values (?, ?, ?, 0)', id, version, 'sealed')
    }
    world.rows('update provider_credentials set current_version = 99 where id = ?', id)
    const replies = await atOnce(4, () => world.owner.post(`${path}/versions`, { secret: 'sk' }))
    expect(tally(replies)).toEqual({ 200: 1, '422 limit_exceeded': 3 })
    expect((await world.owner.get(path)).body.data.versions).toHaveLength(100)
  })
})

describe('the list', () => {
  test('has all of the organization, newest first, with their versions', async () => {
    const { id: organizationId, owner } = world.organization()
    const path = `/api/v1/organizations/${organizationId}/provider-credentials`
    expect((await owner.get(path)).body).toEqual({ data: { items: [] } })
    for (const label of ['first', 'second', 'third']) {
      world.clock.advance(1)
      const { body: made } = await owner.post(path, body({ label }))
      await owner.post(`${path}/${made.data.id}/versions`, { secret: 'sk-2' })
    }
    const { items } = (await owner.get(path)).body.data
    expect(items.map(({ label }: { label: string }) => label)).toEqual(['third', 'second', 'first'])
    for (const item of items) {
      expect(item).toEqual((await owner.get(`${path}/${item.id}`)).body.data)
      expect(item.versions).toHaveLength(2)
    }
  })

  test('ends at 200: one more is refused (422), of eight at once too', async () => {
    const { id: organizationId, owner } = world.organization()
    const path = `/api/v1/organizations/${organizationId}/provider-credentials`
    for (let count = 0; count < 197; count += 1) {
      const id = newId('crd')
      world.rows(
        "insert into provider_credentials values (?, ?, 'x', 'openai', 'api_key', 'active', null, 1, 0, 0)",
        id,
        organizationId,
      )
      world.rows("insert into provider_credential_versions values (?, 1, '', 0)", id)
    }
    const replies = await atOnce(8, () => owner.post(path, body()))
    expect(tally(replies)).toEqual({ 200: 3, '422 limit_exceeded': 5 })
    const refusal = replies.find(({ status }) => status === 422)
    expect(refusal?.body.error.details.issues[0].message).toContain('200')
    const { items } = (await owner.get(path)).body.data
    expect(items).toHaveLength(200)
    expect((await owner.delete(`${path}/${items[0].id}`)).status).toBe(200)
    expect(outcome(await owner.post(path, body()))).toBe('200')
  })
})

describe('a deletion', () => {
  test('answers 200 without a body, and then there is nothing', async () => {
    const { id, path } = await credential()
    await world.owner.post(`${path}/versions`, { secret: 'sk-2' })
    const { status, body: answer } = await world.owner.delete(path)
    expect([status, answer]).toEqual([200, undefined])
    expect(outcome(await world.owner.get(path))).toBe('404 not_found')
    expect(outcome(await world.owner.delete(path))).toBe('404 not_found')
    expect(world.rows('select * from provider_credential_versions where credential_id = ?', id)).toEqual([])
  })

  test('asked by eight at once is done once', async () => {
    const { path } = await credential()
    const replies = await atOnce(8, () => world.owner.delete(path))
    expect(tally(replies)).toEqual({ 200: 1, '404 not_found': 7 })
  })

  test('at the moment of changes never fails otherwise than with 404', async () => {
    const { path } = await credential()
    const replies = await Promise.all([
      world.owner.patch(path, { label: 'Late' }),
      world.owner.post(`${path}/versions`, { secret: 'sk' }),
      world.owner.delete(path),
      world.owner.patch(path, { status: 'disabled' }),
      world.owner.post(`${path}/versions`, { secret: 'sk' }),
    ])
    for (const reply of replies) expect(['200', '404 not_found']).toContain(outcome(reply))
    expect(replies[2]?.status).toBe(200)
  })

  describe('while an active Deployment pins it is 409', () => {
    test('by a provider setting', async () => {
      const { id, path } = await credential()
      const { environments } = await world.project()
      const setting = { settingId: 1, providerCredentialId: id, providerCredentialVersion: 1 }
      activate(world, environments[1], { providerSettings: [{ settingId: 2, providerCredentialId: null }, setting] })
      expect(outcome(await world.owner.delete(path))).toBe('409 credential_in_use')
      expect((await world.owner.get(path)).status).toBe(200)
      deactivate(world, environments[1])
      expect(outcome(await world.owner.delete(path))).toBe('200')
    })

    test('by a Connection version', async () => {
      const { id, path } = await credential({ provider: 'custom' })
      const { environments } = await world.project()
      const connectionId = newId('con')
      const connectionVersionId = newId('cnv')
      world.rows(
        "insert into connections (id, organization_id, environment_id, name, kind, status, current_version_id, created_at, updated_at) values (?, ?, ?, 'Shop', 'http', 'active', ?, 0, 0)",
        connectionId,
        world.ours,
        environments[0],
        connectionVersionId,
      )
      world.rows(
        "insert into connection_versions values (?, ?, ?, 1, '{}', ?, 1, 0)",
        connectionVersionId,
        world.ours,
        connectionId,
        id,
      )
      expect((await world.owner.get(path)).status).toBe(200)
      activate(world, environments[0], { connections: [{ connectionId, connectionVersionId }] })
      expect(outcome(await world.owner.delete(path))).toBe('409 credential_in_use')
    })
  })

  test('is not kept by another credential, a snapshot that is not active, or another organization', async () => {
    const [one, other] = [await credential(), await credential()]
    const { environments } = await world.project()
    activate(world, environments[0], { providerSettings: [{ providerCredentialId: one.id }] })
    activate(world, environments[0], { providerSettings: [{ providerCredentialId: other.id }] })
    expect(outcome(await world.owner.delete(one.path))).toBe('200')
    const foreign = world.organization()
    const theirs = await world.project(foreign.owner)
    activate(world, theirs.environments[0], { providerSettings: [{ providerCredentialId: other.id }] })
    deactivate(world, environments[0])
    expect(outcome(await world.owner.delete(other.path))).toBe('200')
  })
})

describe('who may', () => {
  const commands: [string, string, string, object | undefined][] = [
    ['list', 'GET', '', undefined],
    ['create', 'POST', '', {}],
    ['get', 'GET', '/:id', undefined],
    ['update', 'PATCH', '/:id', {}],
    ['delete', 'DELETE', '/:id', undefined],
    ['versions:create', 'POST', '/:id/versions', {}],
  ]
  test.each(commands)('without provider-credentials:%s: %s %s is 404, as for a stranger', async (...row) => {
    const [verb, method, below, sent] = row
    const { path } = await credential()
    const target = below === '' ? credentialsPath : below.replace('/:id', path)
    const all = ['list', 'get', 'create', 'update', 'delete', 'versions:create']
    const operations = all.filter((each) => each !== verb).map((each) => `provider-credentials:${each}`)
    const lacking = world.keyOf(world.user('admin'), { operations })
    const foreigner = world.organization().owner
    const refused = await lacking.call(method, target, sent)
    expect(outcome(refused)).toBe('404 not_found')
    const strange = await foreigner.call(method, target, sent)
    expect({ ...strange.body.error, requestId: '' }).toEqual({ ...refused.body.error, requestId: '' })
    expect((await world.owner.get(path)).status).toBe(200)
  })

  test('a member and a key that is bound to a Project hear 404', async () => {
    const { id } = await world.project()
    expect((await world.keyOf(world.user('member')).get(credentialsPath)).status).toBe(404)
    expect((await world.keyOf(world.ownerId, { projectId: id }).get(credentialsPath)).status).toBe(404)
  })

  test('an admin may, with the key of an admin', async () => {
    expect((await world.keyOf(world.user('admin')).get(credentialsPath)).status).toBe(200)
  })

  test.each<[string, string, object | undefined]>([
    ['GET', '', undefined],
    ['PATCH', '', { label: 'Mine' }],
    ['DELETE', '', undefined],
    ['POST', '/versions', { secret: 'mine' }],
  ])('%s %s of a foreign and of a missing one are the same 404', async (method, below, sent) => {
    const { id } = await credential()
    const { id: theirs, owner } = world.organization()
    const under = `/api/v1/organizations/${theirs}/provider-credentials`
    const replies = [
      await owner.call(method, `${under}/${id}${below}`, sent),
      await owner.call(method, `${under}/${newId('crd')}${below}`, sent),
      await owner.call(method, `${under}/nonsense${below}`, sent),
    ]
    const texts = replies.map((reply) => JSON.stringify([reply.status, { ...reply.body.error, requestId: '' }]))
    expect(new Set(texts).size).toBe(1)
    expect(replies[0]?.status).toBe(404)
  })
})

test('the audit log names the credential and the fields', async () => {
  const { id: organizationId, owner } = world.organization()
  const path = `/api/v1/organizations/${organizationId}/provider-credentials`
  const { id } = (await owner.post(path, body())).body.data
  world.clock.advance(1)
  await owner.patch(`${path}/${id}`, { status: 'disabled' })
  world.clock.advance(1)
  await owner.post(`${path}/${id}/versions`, { secret: 'sk-2' })
  world.clock.advance(1)
  await owner.delete(`${path}/${id}`)
  const lines = world.rows<{ operation: string; changed: string; resource_type: string; resource_id: string }>(
    "select operation, changed, resource_type, resource_id from audit_events where organization_id = ? and outcome = 'allowed' order by id",
    organizationId,
  )
  const resource = { resource_type: 'providerCredential', resource_id: id }
  expect(lines).toEqual([
    { operation: 'createProviderCredential', changed: '["credentialType","label","provider","secret"]', ...resource },
    { operation: 'updateProviderCredential', changed: '["status"]', ...resource },
    { operation: 'createProviderCredentialVersion', changed: '["secret"]', ...resource },
    { operation: 'deleteProviderCredential', changed: '[]', ...resource },
  ])
})
