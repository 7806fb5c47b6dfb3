/** Changes and deletion of provider settings; permissions and the audit log. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { eventually } from '../../support/process.ts'
import { issuesOf, tallyStatuses } from '../../support/world/replies.ts'
import { secretText } from '../connections/world.ts'
import { openai, openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

describe('a change', () => {
  test('of one field keeps the others', async () => {
    const { at, data } = await world.setting({ ...openai, settings: { temperature: 1 } })
    world.clock.advance(1000)
    const { status, body } = await world.owner.patch(at, { model: 'gpt-5' })
    expect(status).toBe(200)
    expect(body.data).toEqual({ ...data, model: 'gpt-5', updatedAt: new Date(world.clock.now()).toISOString() })
    expect((await world.owner.get(at)).body.data).toEqual(body.data)
  })

  test('of nothing is 200 and changes nothing', async () => {
    const { at, data } = await world.setting(openai)
    world.clock.advance(1000)
    const { status, body } = await world.owner.patch(at, {})
    expect([status, body.data]).toEqual([200, data])
  })

  test('to null removes a field', async () => {
    const { at } = await world.setting({ ...openai, providerCredentialId: await world.credential() })
    const nothing = { provider: null, model: null, providerCredentialId: null }
    expect((await world.owner.patch(at, nothing)).body.data).toMatchObject(nothing)
  })

  test('must be valid together with the unchanged fields', async () => {
    const { at } = await world.setting({ ...openai, providerCredentialId: await world.credential() })
    const other = await world.owner.patch(at, { provider: 'anthropic' })
    expect([other.status, issuesOf(other)]).toEqual([422, ['/body/model']])
    const withModel = await world.owner.patch(at, { provider: 'anthropic', model: 'claude-sonnet-5-5' })
    expect([withModel.status, issuesOf(withModel)]).toEqual([422, ['/body/providerCredentialId']])
    const providerCredentialId = await world.credential({ provider: 'anthropic' })
    const all = { provider: 'anthropic', model: 'claude-sonnet-5-5', providerCredentialId }
    expect((await world.owner.patch(at, all)).body.data).toMatchObject(all)
  })

  test('to another credential does not keep the version of the previous one', async () => {
    const [one, other] = [await world.credential(), await world.credential()]
    const { at } = await world.setting({ ...openai, providerCredentialId: one, providerCredentialVersion: 1 })
    const { body } = await world.owner.patch(at, { providerCredentialId: other })
    expect(body.data).toMatchObject({ providerCredentialId: other, providerCredentialVersion: null })
    const { body: none } = await world.owner.patch(at, { providerCredentialId: null })
    expect(none.data).toMatchObject({ providerCredentialId: null, providerCredentialVersion: null })
  })

  test('of other fields succeeds when the credential is gone', async () => {
    const providerCredentialId = await world.credential()
    const { at } = await world.setting({ ...openai, providerCredentialId })
    await world.owner.delete(`${world.credentialsPath}/${providerCredentialId}`)
    expect((await world.owner.patch(at, { settings: { temperature: 1 } })).status).toBe(200)
    expect((await world.owner.patch(at, { providerCredentialId })).status).toBe(404)
  })

  test('keeps both of two fields that are changed concurrently', async () => {
    const { at } = await world.setting(openai)
    const replies = await Promise.all([
      ...Array.from({ length: 4 }, (_, index) => world.owner.patch(at, { settings: { seed: index } })),
      world.owner.patch(at, { model: 'gpt-5' }),
    ])
    expect(tallyStatuses(replies)).toEqual({ 200: 5 })
    expect((await world.owner.get(at)).body.data).toMatchObject({
      model: 'gpt-5',
      settings: { seed: expect.anything() },
    })
  })
})

describe('deletion', () => {
  test('answers with the setting as it was, and makes room for another one', async () => {
    const { at, path, data } = await world.setting(openai)
    const { status, body } = await world.owner.delete(at)
    expect([status, body]).toEqual([200, { data }])
    expect((await world.owner.get(at)).status).toBe(404)
    expect((await world.owner.delete(at)).status).toBe(404)
    const again = await world.owner.post(path, {})
    expect(again.body.data.settingId).not.toBe(data.settingId)
  })

  test('of eight concurrent ones exactly one is 200', async () => {
    const { at } = await world.setting()
    const replies = await Promise.all(Array.from({ length: 8 }, () => world.owner.delete(at)))
    expect(tallyStatuses(replies)).toEqual({ 200: 1, 404: 7 })
  })

  test('of the Agent removes its setting', async () => {
    const { agentId, at } = await world.setting()
    await world.owner.delete(`${world.project.path}/agents/${agentId}`)
    await eventually('the removal of the setting', async () => {
      world.clock.advance(1000)
      return (await world.owner.get(at)).status === 404
    })
  })
})

test("another organization's, Environment's or Agent's setting and an unknown one are the same 404", async () => {
  const { agentId, at, settingId } = await world.setting()
  const foreigner = world.organization().owner
  const elsewhere = await world.newProject()
  const other = await world.agent()
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    const body = method === 'PATCH' ? {} : undefined
    const replies = [
      await foreigner.call(method, at, body),
      await world.owner.call(method, `${world.pathOf(agentId, world.otherPath)}/${settingId}`, body),
      await world.owner.call(method, `${world.pathOf(other)}/${settingId}`, body),
      await world.owner.call(
        method,
        `${world.pathOf(agentId, `${elsewhere.path}/environments/${elsewhere.environments[0]}`)}/${settingId}`,
        body,
      ),
      await world.owner.call(method, `${world.pathOf(newId('agt'))}/${settingId}`, body),
      ...(await Promise.all(
        [settingId + 9_999_999, 0, -1, '1.5', 'x', '9'.repeat(30)].map((id) =>
          world.owner.call(method, `${world.pathOf(agentId)}/${id}`, body),
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

test('reading requires projects:get, writing projects:update, and a key of another Agent has neither', async () => {
  const { at, path, agentId } = await world.setting()
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

test('every change is in the audit log under the setting, and no secret appears anywhere', async () => {
  const providerCredentialId = await world.credential()
  const { at, settingId } = await world.setting({ ...openai, providerCredentialId })
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
