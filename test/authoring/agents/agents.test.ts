import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { tallyStatuses, walk } from '../../support/world/replies.ts'
import { openWorld, type World } from '../../support/world/world.ts'

let world: World
let project: Awaited<ReturnType<World['project']>>
let agentsPath: string
let count = 0

beforeAll(async () => {
  world = await openWorld()
  project = await world.project()
  agentsPath = `${project.path}/agents`
})
afterAll(() => world?.stop())

const agent = async (body: object = {}) => {
  count += 1
  const reply = await world.owner.post(agentsPath, { slug: `agent-${count}`, name: 'Agent', ...body })
  expect(reply.status).toBe(201)
  return reply.body.data as { id: string; slug: string }
}
const issuesOf = (body: { error: { details: { issues: { path: string }[] } } }) =>
  body.error.details.issues.map(({ path }) => path)

test('an Agent is created as an identity, without a revision', async () => {
  const { status, body } = await world.owner.post(agentsPath, { slug: 'first', name: '  First ', description: 'One.' })
  expect(status).toBe(201)
  const { id, ...rest } = body.data
  expect(id).toMatch(/^agt_/)
  const at = new Date(world.clock.now()).toISOString()
  expect(rest).toEqual({
    projectId: project.id,
    slug: 'first',
    name: 'First',
    description: 'One.',
    status: 'active',
    latestRevisionId: null,
    createdAt: at,
    updatedAt: at,
  })
  expect((await world.owner.get(`${agentsPath}/${id}`)).body.data).toEqual(body.data)
})

test('without a description it is null', async () => {
  const { id } = await agent()
  expect((await world.owner.get(`${agentsPath}/${id}`)).body.data.description).toBeNull()
})

test.each<[string, object, string[]]>([
  ['no slug', { name: 'A' }, ['/body/slug']],
  ['no name', { slug: 'a' }, ['/body/name']],
  ['nothing', {}, ['/body/slug', '/body/name']],
  ['a slug in capitals', { slug: 'Agent', name: 'A' }, ['/body/slug']],
  ['a slug that ends with a hyphen', { slug: 'agent-', name: 'A' }, ['/body/slug']],
  ['a slug of 64 characters', { slug: 'a'.repeat(64), name: 'A' }, ['/body/slug']],
  ['an empty name', { slug: 'a', name: '   ' }, ['/body/name']],
  ['a name of 201 characters', { slug: 'a', name: 'x'.repeat(201) }, ['/body/name']],
  ['a name with a line break', { slug: 'a', name: 'a\nb' }, ['/body/name']],
  ['a long description', { slug: 'a', name: 'A', description: 'x'.repeat(2001) }, ['/body/description']],
  ['a description that is null', { slug: 'a', name: 'A', description: null }, ['/body/description']],
  ['an unknown field', { slug: 'a', name: 'A', content: {} }, ['/body/content']],
])('creation rejects %s with 422', async (_, body, paths) => {
  const reply = await world.owner.post(agentsPath, body)
  expect(reply.status).toBe(422)
  expect(issuesOf(reply.body)).toEqual(paths)
})

test('a slug that is taken in the Project returns 409; in another Project it is free', async () => {
  const { slug } = await agent()
  const again = await world.owner.post(agentsPath, { slug, name: 'Again' })
  expect([again.status, again.body.error.code]).toEqual([409, 'slug_taken'])
  const other = await world.project()
  expect((await world.owner.post(`${other.path}/agents`, { slug, name: 'Other' })).status).toBe(201)
})

test('of eight concurrent creations with one slug, exactly one succeeds', async () => {
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => world.owner.post(agentsPath, { slug: 'contested', name: 'Contested' })),
  )
  expect(tallyStatuses(replies)).toEqual({ 201: 1, 409: 7 })
})

describe('a change', () => {
  test('of name and description changes nothing else', async () => {
    const { id, slug } = await agent({ description: 'Before.' })
    world.clock.advance(1000)
    const { status, body } = await world.owner.patch(`${agentsPath}/${id}`, { name: 'After', description: 'After.' })
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ id, slug, name: 'After', description: 'After.', latestRevisionId: null })
    expect(Date.parse(body.data.updatedAt) - Date.parse(body.data.createdAt)).toBe(1000)
    expect((await world.owner.get(`${agentsPath}/${id}`)).body.data).toEqual(body.data)
  })

  test('of one field keeps the other', async () => {
    const { id } = await agent({ description: 'Kept.' })
    const { body } = await world.owner.patch(`${agentsPath}/${id}`, { name: 'Renamed' })
    expect(body.data).toMatchObject({ name: 'Renamed', description: 'Kept.' })
  })

  test('to null removes the description', async () => {
    const { id } = await agent({ description: 'Gone soon.' })
    const { body } = await world.owner.patch(`${agentsPath}/${id}`, { description: null })
    expect(body.data.description).toBeNull()
  })

  test('without fields returns 200 and changes nothing', async () => {
    const { id } = await agent()
    const before = (await world.owner.get(`${agentsPath}/${id}`)).body.data
    world.clock.advance(1000)
    const { status, body } = await world.owner.patch(`${agentsPath}/${id}`, {})
    expect([status, body.data]).toEqual([200, before])
  })

  test('keeps both of two fields that are changed concurrently', async () => {
    const { id } = await agent()
    await Promise.all([
      world.owner.patch(`${agentsPath}/${id}`, { name: 'Both' }),
      world.owner.patch(`${agentsPath}/${id}`, { description: 'Both.' }),
    ])
    expect((await world.owner.get(`${agentsPath}/${id}`)).body.data).toMatchObject({
      name: 'Both',
      description: 'Both.',
    })
  })

  test.each<[string, object, string]>([
    ['the slug', { slug: 'other' }, '/body/slug'],
    ['the status', { status: 'deleting' }, '/body/status'],
    ['the name to null', { name: null }, '/body/name'],
    ['the name to an empty string', { name: '' }, '/body/name'],
    ['the description to 2,001 characters', { description: 'x'.repeat(2001) }, '/body/description'],
  ])('rejects %s with 422', async (_, body, path) => {
    const { id } = await agent()
    const reply = await world.owner.patch(`${agentsPath}/${id}`, body)
    expect([reply.status, issuesOf(reply.body)]).toEqual([422, [path]])
  })
})

describe('the list', () => {
  test('is newest first, page by page, without gaps and duplicates', async () => {
    const { path } = await world.project()
    const ids: string[] = []
    for (let index = 0; index < 5; index += 1) {
      world.clock.advance(1)
      ids.push((await world.owner.post(`${path}/agents`, { slug: `a-${index}`, name: 'A' })).body.data.id)
    }
    const { items, sizes } = await walk(world.owner, `${path}/agents`, 2)
    expect(items.map(({ id }) => id)).toEqual(ids.reverse())
    expect(sizes).toEqual([2, 2, 1])
  })

  test('of another Project rejects a cursor of this one with 422', async () => {
    const [one, other] = [await world.project(), await world.project()]
    for (const slug of ['a', 'b']) await world.owner.post(`${one.path}/agents`, { slug, name: 'A' })
    const { body } = await world.owner.get(`${one.path}/agents`, { query: { limit: 1 } })
    const cursor = body.pagination.nextCursor
    expect((await world.owner.get(`${one.path}/agents`, { query: { cursor } })).status).toBe(200)
    const foreign = await world.owner.get(`${other.path}/agents`, { query: { cursor } })
    expect([foreign.status, foreign.body.error.code]).toEqual([422, 'invalid_cursor'])
  })
})
