import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { verdict, walk } from '../../support/world/replies.ts'
import { openWorld, secretText, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

const get = async (id: string) => (await world.owner.get(`${world.connectionsPath}/${id}`)).body.data
const patch = (id: string, body: object) => world.owner.patch(`${world.connectionsPath}/${id}`, body)

describe('the list', () => {
  test('is newest first, in pages, without gaps and repeats', async () => {
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

  test('refuses the cursor of another Environment (422)', async () => {
    await Promise.all([world.connection(), world.connection()])
    const { body } = await world.owner.get(world.connectionsPath, { query: { limit: 1 } })
    const cursor = body.pagination.nextCursor
    expect((await world.owner.get(world.connectionsPath, { query: { cursor } })).status).toBe(200)
    const foreign = await world.owner.get(`${world.otherPath}/connections`, { query: { cursor } })
    expect(verdict(foreign)).toEqual([422, 'invalid_cursor'])
  })

  test("shows an Agent's key its own Connections and the unbound ones", async () => {
    const { path, id: projectId, environments } = await world.newProject()
    const at = `${path}/environments/${environments[0]}/connections`
    const [own, other] = [await world.agent(path), await world.agent(path)]
    const nobodys = await world.connection({}, at)
    const mine = await world.connection({ agentId: own, bindingKey: 'a' }, at)
    const foreign = await world.connection({ agentId: other, bindingKey: 'a' }, at)
    const key = world.keyOf(world.ownerId, { projectId, agentId: own })
    const { body } = await key.get(at)
    expect(body.data.items.map(({ id }: { id: string }) => id).sort()).toEqual([mine.id, nobodys.id].sort())
    expect((await key.get(`${at}/${mine.id}`)).status).toBe(200)
    expect((await key.get(`${at}/${foreign.id}`)).status).toBe(404)
    expect((await key.patch(`${at}/${mine.id}`, { name: 'Mine' })).status).toBe(403)
  })
})

describe("another organization's, another Environment's and an unknown one are the same 404", () => {
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

test('every change is in the audit log, with names of fields and no values', async () => {
  const { id } = await world.connection({ settings: { baseUrl: 'https://audited.example.com' } })
  world.clock.advance(1)
  await patch(id, { status: 'disabled' })
  world.clock.advance(1)
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

test('the secrets of credentials are in no table, answer or log line', async () => {
  const providerCredentialId = await world.credential()
  const { id } = await world.connection({ providerCredentialId })
  await patch(id, { version: { providerCredentialId, providerCredentialVersion: 1 } })
  for (const { name } of world.rows<{ name: string }>("select name from sqlite_master where type = 'table'")) {
    expect(JSON.stringify(world.rows(`select * from ${name}`))).not.toContain(secretText)
  }
  expect(JSON.stringify((await world.owner.get(world.connectionsPath)).body)).not.toContain(secretText)
  expect(JSON.stringify(world.lines)).not.toContain(secretText)
})
