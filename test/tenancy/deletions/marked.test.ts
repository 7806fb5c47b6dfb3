/**
 * Deleted variables, Connections and organization variables are gone for everybody at once; their versions are removed
 * in the background, one by one. Source: contract 9, "Background work".
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId } from '../../../storage/ids.ts'
import type { Tables } from '../../../storage/tables.ts'
import { eventually } from '../../support/process.ts'
import { data, verdict } from '../../support/world/replies.ts'
import { openWorld, type World } from '../../support/world/world.ts'

const minute = 60_000
const versionsOfEach = 12

let folder: string
let world: World
// each test begins with a clock that stands, and so without a sweep
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-marked-'))
  world = await openWorld({ folder, environment: { TROUPE_RUNNER: 'none' } })
})
afterEach(async () => {
  await world?.stop()
  await rm(folder, { recursive: true, force: true })
})

type Project = Awaited<ReturnType<World['project']>>

interface Kind {
  what: string
  collection(project: Project): string
  body: object
  /** A change that makes another version. */
  change: object
  /** The tables of the resources and of their versions, with the columns that identify a version. */
  tables: [parent: keyof Tables, versions: keyof Tables, of: string, number: string]
  /** The status of the answer to its DELETE. */
  answer: number
  /** The column of its place, and how many of them a place may have. */
  owner: 'environment_id' | 'organization_id'
  max: number
}

const inEnvironment = (name: string) => (project: Project) =>
  `${project.path}/environments/${project.environments[0]}/${name}`
const http = { kind: 'http', settings: { baseUrl: 'https://api.example.com' } }
const kinds: readonly Kind[] = [
  {
    what: 'variable',
    collection: inEnvironment('variables'),
    body: { value: 'hunter2' },
    change: { value: 'hunter3' },
    tables: ['variables', 'variable_versions', 'variable_id', 'version'],
    answer: 200,
    owner: 'environment_id',
    max: 1_000,
  },
  {
    what: 'Connection',
    collection: inEnvironment('connections'),
    body: http,
    change: { version: { settings: http.settings } },
    tables: ['connections', 'connection_versions', 'connection_id', 'number'],
    answer: 204,
    owner: 'environment_id',
    max: 200,
  },
  {
    what: 'organization variable',
    collection: () => `/api/v1/organizations/${world.ours}/variables`,
    body: { value: 'hunter2' },
    change: { value: 'hunter3' },
    tables: ['organization_variables', 'organization_variable_versions', 'variable_id', 'version'],
    answer: 204,
    owner: 'organization_id',
    max: 1_000,
  },
]
const [variables, connections, organizationVariables] = kinds as [Kind, Kind, Kind]

/** One with this many versions, and its path. */
async function resource(kind: Kind, project: Project, more: object, versions = versionsOfEach) {
  const collection = kind.collection(project)
  const { id } = await data(world.owner.post(collection, { ...kind.body, ...more }))
  const path = `${collection}/${id}`
  for (let count = 1; count < versions; count += 1) await data(world.owner.patch(path, kind.change))
  return { id: id as string, path, collection }
}
const versionsOf = ({ tables: [, versions, of] }: Kind, id: string) =>
  world.rows(`select ${of} from ${versions} where ${of} = ?`, id).length
const remains = (kind: Kind, id: string) =>
  versionsOf(kind, id) + world.rows(`select id from ${kind.tables[0]} where id = ?`, id).length
async function removed(kind: Kind, id: string) {
  await eventually(`a removal of ${id}`, () => {
    world.clock.advance(minute)
    return remains(kind, id) === 0
  })
}
const agentIn = async (project: Project, slug: string): Promise<string> =>
  (await data(world.owner.post(`${project.path}/agents`, { slug, name: slug }))).id

describe.each(kinds)('a deleted $what', (kind) => {
  test('is found by nobody at once, and its name and key are free; then its versions are removed', async () => {
    const project = await world.project()
    const bound =
      kind.owner === 'environment_id' ? { agentId: await agentIn(project, 'bound'), bindingKey: 'shop' } : {}
    const given = { name: 'SHOP', ...bound }
    const { id, path, collection } = await resource(kind, project, given)
    const idOfVersion = world.rows<{ id: string }>('select id from connection_versions where connection_id = ?', id)[0]
    expect((await world.owner.delete(path)).status).toBe(kind.answer)
    expect(versionsOf(kind, id)).toBe(versionsOfEach)

    const requests = {
      again: world.owner.delete(path),
      itself: world.owner.get(path),
      change: world.owner.patch(path, kind.change),
      state: world.owner.patch(path, { status: 'disabled' }),
      byId: world.owner.get(`/api/v1/resources/${id}`),
      byVersion: world.owner.get(`/api/v1/resources/${idOfVersion?.id ?? id}`),
    }
    for (const [what, request] of Object.entries(requests)) {
      expect([what, ...verdict(await request)]).toEqual([what, 404, 'not_found'])
    }
    const listed = async (query = '') =>
      (await data<{ items: { id: string }[] }>(world.owner.get(`${collection}${query}`))).items.map((each) => each.id)
    expect([await listed(), await listed('?name=SHOP')]).toEqual([[], []])

    const next = await resource(kind, project, given, 1)
    expect(await listed('?name=SHOP')).toEqual([next.id])
    await removed(kind, id)
    expect(remains(kind, next.id)).toBe(2)
    await world.owner.delete(next.path)
    await removed(kind, next.id)
  })

  test('leaves room for others', async () => {
    const [parent] = kind.tables
    const { id, collection } = await resource(kind, await world.project(), { name: 'FIRST' }, 1)
    const [row] = world.rows<object>(`select * from ${parent} where id = ?`, id)
    const others = Object.keys(row as object).filter((name) => name !== 'id' && name !== 'name')
    const prefix = newId('var')
    world.rows(
      `insert into ${parent} (id, name, ${others})
       with recursive n(value) as (
         select (select count(*) from ${parent} as one join ${parent} as other using (${kind.owner}) where one.id = ?)
         union all select value + 1 from n where value < ${kind.max} - 1
       ) select ? || value, 'N' || value, ${others} from n, ${parent} where id = ?`,
      ...[id, prefix, id],
    )
    const create = (name: string) => world.owner.post(collection, { ...kind.body, name })
    expect(verdict(await create('MORE'))).toEqual([422, 'limit_exceeded'])
    world.rows(`update ${parent} set status = 'deleting' where id = ?`, `${prefix}${kind.max - 1}`)
    expect((await create('MORE')).status).toBeLessThan(300)
  })
})

test('a source is free with the variables that take their value from it, and is removed after them', async () => {
  const project = await world.project()
  const source = await resource(organizationVariables, project, { name: 'SOURCE' }, 3)
  const taking = { sourceVariableId: source.id, sourceVersion: 1 }
  const collection = variables.collection(project)
  const { id } = await data(world.owner.post(collection, { name: 'TAKING', ...taking }))
  await data(world.owner.patch(`${collection}/${id}`, taking))
  const remove = () => world.owner.delete(source.path)
  expect(verdict(await remove())).toEqual([409, 'variable_in_use'])
  expect((await world.owner.delete(`${collection}/${id}`)).status).toBe(200)
  expect((await remove()).status).toBe(204)
  expect(verdict(await world.owner.post(collection, { name: 'TAKING', ...taking }))).toEqual([404, 'not_found'])
  await removed(organizationVariables, source.id)
  expect(remains(variables, id)).toBe(0)
})

test('what is bound to a deleted Agent is deleted like that, and the rest stays', async () => {
  const project = await world.project()
  const [agentId, other] = [await agentIn(project, 'leaving'), await agentIn(project, 'staying')]
  const bound = [variables, connections].map(async (kind) => ({
    kind,
    gone: await resource(kind, project, { name: 'SHOP', agentId, bindingKey: 'shop' }),
    kept: await resource(
      kind,
      project,
      { name: kind === variables ? 'SHOP' : 'OTHER', agentId: other, bindingKey: 'shop' },
      2,
    ),
  }))
  const resources = await Promise.all(bound)
  expect((await world.owner.delete(`${project.path}/agents/${agentId}`)).status).toBe(202)
  // one by one while the Agent is there, and never with it
  await eventually('the end of the Agent', async () => {
    world.clock.advance(1_000)
    return (await world.owner.get(`${project.path}/agents/${agentId}`)).status === 404
  })
  for (const { kind, gone, kept } of resources) {
    expect((await world.owner.get(gone.path)).status).toBe(404)
    await removed(kind, gone.id)
    expect(versionsOf(kind, kept.id)).toBe(2)
    expect((await world.owner.get(kept.path)).body.data.agentId).toBe(other)
  }
})

test.each(['Project', 'organization'])('a deletion of the %s removes them too', async (target) => {
  const { id: organizationId, owner } = world.organization()
  const { id: projectId, path, environments } = await world.project(owner)
  const collections = [
    [variables, `${path}/environments/${environments[0]}/variables`],
    [connections, `${path}/environments/${environments[0]}/connections`],
    [organizationVariables, `/api/v1/organizations/${organizationId}/variables`],
  ] as const
  const ids: [Kind, string][] = []
  for (const [kind, collection] of collections) {
    const { id } = await data(owner.post(collection, { name: 'SHOP', ...kind.body }))
    for (let count = 1; count < 4; count += 1) await data(owner.patch(`${collection}/${id}`, kind.change))
    expect((await owner.delete(`${collection}/${id}`)).status).toBe(kind.answer)
    ids.push([kind, id])
  }
  const doomed = target === 'Project' ? path : `/api/v1/organizations/${organizationId}`
  expect((await owner.delete(doomed)).status).toBe(202)
  const table = `${target.toLowerCase()}s`
  await eventually(`the end of the ${target}`, () => {
    world.clock.advance(1_000)
    return (
      world.rows(`select id from ${table} where id = ?`, target === 'Project' ? projectId : organizationId).length === 0
    )
  })
  for (const [kind, id] of ids) await removed(kind, id)
})

test('what a stop leaves is removed by the next server', async () => {
  const project = await world.project()
  const deleted: { kind: Kind; id: string; path: string }[] = []
  for (const kind of kinds) {
    const { id, path } = await resource(kind, project, { name: 'STOPPED' }, 5)
    expect((await world.owner.delete(path)).status).toBe(kind.answer)
    deleted.push({ kind, id, path })
  }
  await world.stop()
  world = await openWorld({ folder, environment: { TROUPE_RUNNER: 'none' } })
  for (const { kind, id, path } of deleted) {
    expect(remains(kind, id)).toBe(6)
    expect((await world.owner.get(path)).status).toBe(404)
  }
  for (const { kind, id } of deleted) await removed(kind, id)
})
