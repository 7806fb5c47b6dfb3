/** A deleted Definition is gone for everybody at once; its revisions are removed in the background, one by one. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../../support/process.ts'
import { bothAtOnce, data, verdict } from '../../support/world/replies.ts'
import { type AgentPin, openWorld, type Workshop, type World, workshop } from '../releases/world.ts'
import { operation } from './sources.ts'

const minute = 60_000

let folder: string
let world: World
let shop: Workshop
let agent: AgentPin
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-definitions-'))
  world = await openWorld({ folder })
  shop = await workshop(world)
  agent = await shop.agent('desk', { tools: [] })
})
afterAll(async () => {
  await world?.stop()
  await rm(folder, { recursive: true, force: true })
})

const revisionsOf = (definitionId: string) =>
  world.rows('select id from definition_revisions where definition_id = ?', definitionId).length
const remains = (definitionId: string) =>
  revisionsOf(definitionId) + world.rows('select id from definitions where id = ?', definitionId).length
/** A Definition with this many revisions that nothing pins, and the path of its own. */
async function definition(name: string, revisions: number) {
  const pin = await shop.operations(name, 'find')
  const path = `${shop.path}/definitions/${pin.definitionId}`
  for (let count = 1; count < revisions; count += 1) {
    const source = { operations: [operation({ name: `find${count}` })] }
    await data(world.owner.post(`${path}/revisions`, { source }))
  }
  return { ...pin, path }
}

async function removed(definitionId: string) {
  await eventually(`a removal of ${definitionId}`, () => {
    world.clock.advance(minute)
    return remains(definitionId) === 0
  })
}

test('at once nothing finds it, and its name is free; then its revisions are removed', async () => {
  const { definitionId, definitionRevisionId, path } = await definition('orders', 12)
  const past = await data(shop.release({ agents: [agent], definitions: [{ definitionId, definitionRevisionId }] }))
  expect((await world.owner.delete(path)).status).toBe(204)
  expect(revisionsOf(definitionId)).toBe(12)

  const body = { source: { operations: [operation({ name: 'find' })] } }
  const requests = {
    again: world.owner.delete(path),
    itself: world.owner.get(path),
    revisions: world.owner.get(`${path}/revisions`),
    revision: world.owner.get(`${path}/revisions/${definitionRevisionId}`),
    change: world.owner.patch(path, { name: 'again' }),
    publication: world.owner.post(`${path}/revisions`, body),
    preview: world.owner.post(`${path}/revisions/preview`, body),
    byId: world.owner.get(`/api/v1/resources/${definitionId}`),
    byRevision: world.owner.get(`/api/v1/resources/${definitionRevisionId}`),
    release: shop.release({ agents: [agent], definitions: [{ definitionId, definitionRevisionId }] }),
  }
  for (const [what, request] of Object.entries(requests)) {
    expect([what, ...verdict(await request)]).toEqual([what, 404, 'not_found'])
  }
  const named = async (query: string) =>
    (await data<{ items: { id: string }[] }>(world.owner.get(`${shop.path}/definitions?${query}`))).items.map(
      ({ id }) => id,
    )
  expect([await named(''), await named('name=orders'), await named('search=orders')]).toEqual([[], [], []])
  const found = await data(world.owner.get('/api/v1/resources?search=operations'))
  expect(JSON.stringify(found)).not.toContain(definitionId)
  expect(await data(world.owner.get(`${shop.path}/releases/${past.id}`))).toEqual(past)

  const next = await shop.operations('orders', 'find')
  expect(await named('name=orders')).toEqual([next.definitionId])

  await removed(definitionId)
  expect(revisionsOf(next.definitionId)).toBe(1)
})

test('one without a revision is removed too', async () => {
  const { id } = await data(world.owner.post(`${shop.path}/definitions`, { name: 'empty', kind: 'entity' }))
  expect((await world.owner.delete(`${shop.path}/definitions/${id}`)).status).toBe(204)
  await removed(id)
})

test('beside publications it takes along those that were earlier, and later ones find nothing', async () => {
  for (let round = 0; round < 6; round += 1) {
    const { id } = await data(world.owner.post(`${shop.path}/definitions`, { name: 'raced', kind: 'operations' }))
    const path = `${shop.path}/definitions/${id}`
    const source = { operations: [operation({ name: 'find' })] }
    const [published, deleted] = await bothAtOnce(
      round,
      () => world.owner.post(`${path}/revisions`, { source }),
      () => world.owner.delete(path),
    )
    expect(deleted.status).toBe(204)
    expect([201, 404]).toContain(published.status)
    expect(revisionsOf(id)).toBe(published.status === 201 ? 1 : 0)
    expect((await world.owner.get(`${path}/revisions`)).status).toBe(404)
    await removed(id)
  }
})

test('deleted ones leave room for others', async () => {
  const project = await world.project()
  const at = Date.now()
  for (let count = 0; count < 1_000; count += 1)
    world.rows(
      `insert into definitions (id, organization_id, project_id, name, kind, status, created_at, updated_at)
       values (?, ?, ?, ?, 'entity', 'active', ?, ?)`,
      ...[`def_full${count}`, world.ours, project.id, `full${count}`, at, at],
    )
  const create = (name: string) => world.owner.post(`${project.path}/definitions`, { name, kind: 'entity' })
  expect(verdict(await create('more'))).toEqual([422, 'limit_exceeded'])
  const { id } = world.rows<{ id: string }>('select id from definitions where name = ?', 'full7')[0]!
  world.rows("update definitions set status = 'deleting', name = id || '/' where id = ?", id)
  expect((await create('more')).status).toBe(201)
})

test('what a stop leaves is removed by the next server', async () => {
  const { definitionId, path } = await definition('stopped', 5)
  expect((await world.owner.delete(path)).status).toBe(204)
  await world.stop()
  world = await openWorld({ folder })
  expect(remains(definitionId)).toBe(6)
  expect((await world.owner.get(path)).status).toBe(404)
  await removed(definitionId)
})
