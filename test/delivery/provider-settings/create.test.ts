/** Valid provider settings of an Agent; changes have the same rules. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { openTroupe } from '../../support/troupe.ts'
import { issuesOf, tallyStatuses, verdict } from '../../support/world/replies.ts'
import { openai, openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

describe('creation', () => {
  test("answers with the setting, which is then the Agent's only one in the Environment", async () => {
    const providerCredentialId = await world.credential()
    const wanted = {
      ...openai,
      settings: { temperature: 0.2, maxOutputTokens: 1 },
      providerCredentialId,
      providerCredentialVersion: 1,
    }
    const { agentId, path, at, data } = await world.setting(wanted)
    const now = new Date(world.clock.now()).toISOString()
    expect({ ...data, settingId: 0 }).toEqual({ settingId: 0, agentId, ...wanted, createdAt: now, updatedAt: now })
    expect(Number.isSafeInteger(data.settingId)).toBe(true)
    expect((await world.owner.get(at)).body.data).toEqual(data)
    const { body } = await world.owner.get(path)
    expect(body).toEqual({ data: { items: [data] }, pagination: { limit: 20, hasMore: false } })
  })

  test('accepts an empty setting', async () => {
    expect((await world.setting()).data).toMatchObject({
      provider: null,
      model: null,
      settings: {},
      providerCredentialId: null,
      providerCredentialVersion: null,
    })
  })

  test('treats nulls as omitted', async () => {
    const nothing = { provider: null, model: null, providerCredentialId: null, providerCredentialVersion: null }
    expect((await world.setting(nothing)).data).toMatchObject(nothing)
  })

  test('numbers settings uniquely in the deployment', async () => {
    const settings = await Promise.all(Array.from({ length: 8 }, () => world.setting()))
    expect(new Set(settings.map(({ settingId }) => settingId)).size).toBe(8)
  })

  test('keeps an open version of the credential open', async () => {
    const { data } = await world.setting({ ...openai, providerCredentialId: await world.credential() })
    expect(data.providerCredentialVersion).toBeNull()
  })

  test('accepts a disabled credential: it fails when used', async () => {
    const providerCredentialId = await world.credential()
    await world.owner.patch(`${world.credentialsPath}/${providerCredentialId}`, { status: 'disabled' })
    expect((await world.setting({ ...openai, providerCredentialId })).data).toMatchObject({ providerCredentialId })
  })

  test('a second one for the Agent in the Environment is 409; in another Environment it is not', async () => {
    const { agentId, path } = await world.setting()
    expect(verdict(await world.owner.post(path, openai))).toEqual([409, 'setting_exists'])
    expect((await world.owner.post(world.pathOf(agentId, world.otherPath), openai)).status).toBe(200)
  })

  test('of eight concurrent ones exactly one succeeds', async () => {
    const path = world.pathOf(await world.agent())
    const replies = await Promise.all(Array.from({ length: 8 }, () => world.owner.post(path, openai)))
    expect(tallyStatuses(replies)).toEqual({ 200: 1, 409: 7 })
  })

  const crd = 'crd_01h455vb4pex5vsknk084sn02q'
  const refused: [string, object, string[]][] = [
    ['an unknown provider', { provider: 'acme' }, ['/body/provider']],
    ['the sandbox, which is not a vendor', { provider: 'sandbox' }, ['/body/provider']],
    ['a model of another vendor', { provider: 'openai', model: 'claude-sonnet-5-5' }, ['/body/model']],
    ['a malformed model', { model: 'a model' }, ['/body/model']],
    ['an empty model', { provider: 'openai', model: '' }, ['/body/model']],
    ['a model of 201 characters', { model: 'x'.repeat(201) }, ['/body/model']],
    ['null settings', { settings: null }, ['/body/settings']],
    ['settings that are a list', { settings: [] }, ['/body/settings']],
    ['a version without a credential', { providerCredentialVersion: 1 }, ['/body/providerCredentialVersion']],
    ['version 0', { providerCredentialId: crd, providerCredentialVersion: 0 }, ['/body/providerCredentialVersion']],
    ['version 1.5', { providerCredentialId: crd, providerCredentialVersion: 1.5 }, ['/body/providerCredentialVersion']],
    ['a malformed credential', { providerCredentialId: 'x' }, ['/body/providerCredentialId']],
    ['an unknown field', { apiKey: 'x' }, ['/body/apiKey']],
    ['an unknown setting', { settings: { maxTokens: 5 } }, ['/body/settings/maxTokens']],
    ['an address with a password', { settings: { url: 'https://user:password@example.com' } }, ['/body/settings/url']],
    ...['apiKey', 'api_key', 'secret', 'token', 'authToken', 'password', 'Authorization'].map(
      (name): [string, object, string[]] => [
        `settings with ${name}`,
        { settings: { in: { [name]: 'x' } } },
        ['/body/settings/in'],
      ],
    ),
  ]
  test.each(refused)('refuses %s (422)', async (_, body, paths) => {
    const path = world.pathOf(await world.agent())
    const reply = await world.owner.post(path, body)
    expect([verdict(reply), issuesOf(reply)]).toEqual([[422, 'validation_failed'], paths])
    expect((await world.owner.get(path)).body.data.items).toEqual([])
  })

  test.each(refused)('a change refuses %s too', async (_, body, paths) => {
    const { at, data } = await world.setting()
    const reply = await world.owner.patch(at, body)
    expect([verdict(reply), issuesOf(reply)]).toEqual([[422, 'validation_failed'], paths])
    expect((await world.owner.get(at)).body.data).toEqual(data)
  })

  test.each<[string, object, object]>([
    ['of another vendor', { provider: 'anthropic' }, openai],
    ['for Connections only', { provider: 'custom' }, openai],
    ['without a provider', {}, {}],
  ])('refuses a credential %s (422)', async (_, credential, body) => {
    const providerCredentialId = await world.credential(credential)
    const reply = await world.owner.post(world.pathOf(await world.agent()), { ...body, providerCredentialId })
    expect([verdict(reply), issuesOf(reply)]).toEqual([[422, 'validation_failed'], ['/body/providerCredentialId']])
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
    const reply = await world.owner.post(world.pathOf(await world.agent()), { ...openai, ...(await body()) })
    expect(verdict(reply)).toEqual([404, 'not_found'])
  })

  test.each(missing)('a change answers 404 for %s too', async (_, body) => {
    const { at, data } = await world.setting(openai)
    expect(verdict(await world.owner.patch(at, { model: 'gpt-5', ...(await body()) }))).toEqual([404, 'not_found'])
    expect((await world.owner.get(at)).body.data).toEqual(data)
  })
})

test('if the server overrides the address of a vendor, any well-formed model name is accepted', async () => {
  const troupe = await openTroupe({ environment: { TROUPE_OPENAI_BASE_URL: 'http://localhost:11434/v1' } })
  try {
    const project = (await troupe.owner.post('/api/v1/projects', { slug: 'project', name: 'Project' })).body.data
    const base = `/api/v1/projects/${project.id}`
    const [environment] = (await troupe.owner.get(`${base}/environments`)).body.data.items
    const agent = (await troupe.owner.post(`${base}/agents`, { slug: 'agent', name: 'Agent' })).body.data
    const path = world.pathOf(agent.id, `${base}/environments/${environment.id}`)
    const { status, body } = await troupe.owner.post(path, { provider: 'openai', model: 'llama3.2:3b' })
    expect(status).toBe(200)
    const other = await troupe.owner.patch(`${path}/${body.data.settingId}`, { provider: 'anthropic' })
    expect(issuesOf(other)).toEqual(['/body/model'])
  } finally {
    await troupe.stop()
  }
})
