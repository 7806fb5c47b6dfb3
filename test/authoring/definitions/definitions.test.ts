import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { tallyStatuses, walk } from '../../support/world/replies.ts'
import { openWorld, type World } from '../../support/world/world.ts'

let world: World
let project: Awaited<ReturnType<World['project']>>
let path: string
let count = 0

beforeAll(async () => {
  world = await openWorld()
  project = await world.project()
  path = `${project.path}/definitions`
})
afterAll(() => world?.stop())

const definition = async (body: object = {}) => {
  count += 1
  const reply = await world.owner.post(path, { name: `definition_${count}`, kind: 'operations', ...body })
  expect(reply.status).toBe(201)
  return reply.body.data as { id: string; name: string }
}
const issuesOf = (body: { error: { details: { issues: { path: string }[] } } }) =>
  body.error.details.issues.map(({ path: at }) => at)
const outcome = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [
  status,
  body?.error?.code,
]

test.each(['operations', 'workflow', 'entity'])(
  'a Definition of kind %s is created without a revision',
  async (kind) => {
    const { status, body } = await world.owner.post(path, { name: `My-${kind}_1`, kind, description: 'Some.' })
    expect(status).toBe(201)
    const { id, ...rest } = body.data
    expect(id).toMatch(/^def_/)
    const at = new Date(world.clock.now()).toISOString()
    expect(rest).toEqual({
      projectId: project.id,
      name: `My-${kind}_1`,
      kind,
      description: 'Some.',
      status: 'active',
      latestRevisionId: null,
      createdAt: at,
      updatedAt: at,
    })
    expect((await world.owner.get(`${path}/${id}`)).body.data).toEqual(body.data)
  },
)

test.each<[string, object, string[]]>([
  ['nothing', {}, ['/body/name', '/body/kind']],
  ['an empty name', { name: '', kind: 'entity' }, ['/body/name']],
  ['a name with a dot', { name: 'a.b', kind: 'entity' }, ['/body/name']],
  ['a name with a space', { name: 'a b', kind: 'entity' }, ['/body/name']],
  ['a name of 65 characters', { name: 'x'.repeat(65), kind: 'entity' }, ['/body/name']],
  ['a name that ends with a line break', { name: 'a\n', kind: 'entity' }, ['/body/name']],
  ['an unknown kind', { name: 'a', kind: 'table' }, ['/body/kind']],
  ['a long description', { name: 'a', kind: 'entity', description: 'x'.repeat(2001) }, ['/body/description']],
  ['an unknown field', { name: 'a', kind: 'entity', source: {} }, ['/body/source']],
])('creation rejects %s with 422', async (_, body, paths) => {
  const reply = await world.owner.post(path, body)
  expect(reply.status).toBe(422)
  expect(issuesOf(reply.body)).toEqual(paths)
})

test('a name that is taken in the Project returns 409, whatever the kind; in another Project it is free', async () => {
  const { name } = await definition()
  expect(outcome(await world.owner.post(path, { name, kind: 'entity' }))).toEqual([409, 'name_taken'])
  const other = await world.project()
  expect((await world.owner.post(`${other.path}/definitions`, { name, kind: 'entity' })).status).toBe(201)
})

test('of eight concurrent creations with one name, exactly one succeeds', async () => {
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => world.owner.post(path, { name: 'contested', kind: 'workflow' })),
  )
  expect(tallyStatuses(replies)).toEqual({ 201: 1, 409: 7 })
  for (const reply of replies.filter(({ status }) => status === 409)) {
    expect(reply.body.error.code).toBe('name_taken')
  }
})

test('the list is newest first, page by page', async () => {
  const other = await world.project()
  const ids: string[] = []
  for (let index = 0; index < 5; index += 1) {
    const { body } = await world.owner.post(`${other.path}/definitions`, { name: `d${index}`, kind: 'entity' })
    ids.unshift(body.data.id)
    world.clock.advance(1)
  }
  const { items, sizes } = await walk(world.owner, `${other.path}/definitions`, 2)
  expect(items.map(({ id }) => id)).toEqual(ids)
  expect(sizes).toEqual([2, 2, 1])
  const first = await world.owner.get(`${other.path}/definitions`, { query: { limit: 1 } })
  const cursor = first.body.pagination.nextCursor
  expect(outcome(await world.owner.get(path, { query: { cursor } }))).toEqual([422, 'invalid_cursor'])
})

describe('a change', () => {
  test('sets name and description, and null removes the description', async () => {
    const { id } = await definition({ description: 'Old.' })
    world.clock.advance(1000)
    const { status, body } = await world.owner.patch(`${path}/${id}`, { name: 'renamed', description: null })
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ id, name: 'renamed', description: null, kind: 'operations' })
    expect(body.data.updatedAt).toBe(new Date(world.clock.now()).toISOString())
    expect((await world.owner.get(`${path}/${id}`)).body.data).toEqual(body.data)
  })

  test('without fields returns 200 and changes nothing', async () => {
    const { id } = await definition()
    const before = (await world.owner.get(`${path}/${id}`)).body.data
    world.clock.advance(1000)
    const { status, body } = await world.owner.patch(`${path}/${id}`, {})
    expect([status, body.data]).toEqual([200, before])
  })

  test('to a name that is taken returns 409, to its own name 200', async () => {
    const [one, two] = [await definition(), await definition()]
    expect(outcome(await world.owner.patch(`${path}/${one.id}`, { name: two.name }))).toEqual([409, 'name_taken'])
    expect((await world.owner.patch(`${path}/${one.id}`, { name: one.name })).status).toBe(200)
  })

  test('of eight Definitions to one name concurrently, exactly one succeeds', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => definition()))
    const replies = await Promise.all(all.map(({ id }) => world.owner.patch(`${path}/${id}`, { name: 'the-one' })))
    expect(tallyStatuses(replies)).toEqual({ 200: 1, 409: 7 })
  })

  test.each<[string, object, string[]]>([
    ['another kind', { kind: 'entity' }, ['/body/kind']],
    ['a name with a space', { name: 'a b' }, ['/body/name']],
    ['a name that is null', { name: null }, ['/body/name']],
  ])('rejects %s with 422', async (_, body, paths) => {
    const { id } = await definition()
    const reply = await world.owner.patch(`${path}/${id}`, body)
    expect(reply.status).toBe(422)
    expect(issuesOf(reply.body)).toEqual(paths)
  })
})

describe('a deletion', () => {
  test('hides the revisions too, and the name is free again', async () => {
    const { id, name } = await definition()
    const source = { operations: [echo] }
    const revision = (await world.owner.post(`${path}/${id}/revisions`, { source })).body.data
    const { status, body } = await world.owner.delete(`${path}/${id}`)
    expect([status, body]).toEqual([204, undefined])
    for (const gone of [`${path}/${id}`, `${path}/${id}/revisions`, `${path}/${id}/revisions/${revision.id}`]) {
      expect((await world.owner.get(gone)).status).toBe(404)
    }
    expect((await world.owner.post(path, { name, kind: 'entity' })).status).toBe(201)
  })

  test('requested eight times concurrently succeeds exactly once', async () => {
    const { id } = await definition()
    const replies = await Promise.all(Array.from({ length: 8 }, () => world.owner.delete(`${path}/${id}`)))
    expect(tallyStatuses(replies)).toEqual({ 204: 1, 404: 7 })
  })
})

describe('a missing Definition', () => {
  test.each(['', '/revisions', `/revisions/${newId('dfr')}`])('GET …/{definitionId}%s returns 404', async (rest) => {
    for (const id of [newId('def'), 'nonsense']) {
      expect(outcome(await world.owner.get(`${path}/${id}${rest}`))).toEqual([404, 'not_found'])
    }
  })

  test('the Definition of another Project or organization is not found by any operation', async () => {
    const { id } = await definition()
    const stranger = world.organization()
    const [other, foreign] = [await world.project(), await world.project(stranger.owner)]
    const places: [typeof world.owner, string][] = [
      [world.owner, `${other.path}/definitions/${id}`],
      [stranger.owner, `${foreign.path}/definitions/${id}`],
      [stranger.owner, `${path}/${id}`],
    ]
    for (const [client, at] of places) {
      const replies = [
        await client.get(at),
        await client.patch(at, { name: 'stolen' }),
        await client.get(`${at}/revisions`),
        await client.post(`${at}/revisions`, { source: { operations: [echo] } }),
        await client.delete(at),
      ]
      expect(replies.map(outcome)).toEqual(replies.map(() => [404, 'not_found']))
    }
    expect((await world.owner.get(`${path}/${id}`)).status).toBe(200)
  })
})

describe('a key needs', () => {
  const source = { operations: [{ ...echoOperation() }] }
  test.each<[string, string, (id: string) => [string, string, object?], number]>([
    ['definitions:list', 'list', () => ['GET', ''], 200],
    ['definitions:create', 'create', () => ['POST', '', { name: `k${newId('def')}`, kind: 'entity' }], 201],
    ['definitions:get', 'read', (id) => ['GET', `/${id}`], 200],
    ['definitions:get', 'list the revisions of', (id) => ['GET', `/${id}/revisions`], 200],
    ['definitions:update', 'change', (id) => ['PATCH', `/${id}`, { description: 'New.' }], 200],
    ['definitions:update', 'publish a revision of', (id) => ['POST', `/${id}/revisions`, { source }], 201],
    ['definitions:delete', 'delete', (id) => ['DELETE', `/${id}`], 204],
  ])('%s to %s Definitions, and no other permission suffices', async (permission, _, request, status) => {
    const { id } = await definition()
    const [method, rest, body] = request(id)
    const all = ['list', 'get', 'create', 'update', 'delete'].map((verb) => `definitions:${verb}`)
    const without = world.keyOf(world.ownerId, { operations: all.filter((each) => each !== permission) })
    const refused = await without.call(method, path + rest, body)
    expect([refused.status, refused.body.error.details]).toEqual([403, { permission }])
    const withIt = world.keyOf(world.ownerId, { operations: [permission] })
    expect((await withIt.call(method, path + rest, body)).status).toBe(status)
  })

  test('to be unbound, or bound to the Project, for a change; a key bound to an Environment can read', async () => {
    const { id } = await definition()
    const [environmentId] = project.environments
    const bound = world.keyOf(world.ownerId, { projectId: project.id, environmentId })
    expect((await bound.get(`${path}/${id}`)).status).toBe(200)
    expect((await bound.patch(`${path}/${id}`, { description: 'x' })).status).toBe(403)
    const ofProject = world.keyOf(world.ownerId, { projectId: project.id })
    expect((await ofProject.patch(`${path}/${id}`, { description: 'x' })).status).toBe(200)
  })
})

function echoOperation() {
  return {
    name: 'echo',
    description: 'Says it again.',
    inputSchema: { type: 'object' },
    effect: 'read',
    idempotent: true,
    approval: 'never',
    handler: { type: 'echo' },
  }
}
const echo = echoOperation()
