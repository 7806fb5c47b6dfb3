/** Projects are read, changed and listed. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { tallyStatuses, walk } from '../../support/world/replies.ts'
import { openWorld, type World } from '../../support/world/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

describe('reading a Project', () => {
  test.each(['prj_1', 'nothing', '%00', '%ff', 'a'.repeat(300), 'PRJ_01h455vb4pex5vsknk084sn02q'])(
    'answers 404 for the malformed id %s, for any operation',
    async (id) => {
      const path = `/api/v1/projects/${id}`
      expect((await world.owner.get(path, { unchecked: true })).status).toBe(404)
      expect((await world.owner.patch(path, {}, { unchecked: true })).status).toBe(404)
      expect((await world.owner.get(`${path}/environments`, { unchecked: true })).status).toBe(404)
      expect((await world.owner.get(`${path}/access-grants`, { unchecked: true })).status).toBe(404)
    },
  )

  test("answers for another organization's Project exactly as for an unknown one", async () => {
    const foreign = await world.project(world.organization().owner)
    const headers = { 'x-request-id': 'the-same' }
    for (const suffix of ['', '/environments', `/environments/${foreign.environments[0]}`, '/access-grants']) {
      const missing = await world.owner.get(`/api/v1/projects/${newId('prj')}${suffix}`, { headers })
      const hidden = await world.owner.get(`${foreign.path}${suffix}`, { headers })
      expect(missing.status).toBe(404)
      expect(hidden).toMatchObject({ status: 404, body: missing.body })
    }
    expect((await world.owner.patch(foreign.path, { name: 'Mine' })).status).toBe(404)
  })

  test('answers 403 for a member without a grant', async () => {
    const { path } = await world.project()
    const member = world.keyOf(world.user('member'))
    const { status, body } = await member.get(path)
    expect([status, body.error.details]).toEqual([403, { permission: 'projects:get' }])
  })
})

describe('changing a Project', () => {
  test.each([
    ['its name', { name: 'Another name' }],
    ['its slug', { slug: 'another-slug' }],
    ['its status', { status: 'paused' }],
    ['all fields', { name: 'All', slug: 'all-of-it', status: 'paused' }],
  ])('changes %s and nothing else', async (_, changes) => {
    const { path } = await world.project()
    const before = (await world.owner.get(path)).body.data
    world.clock.advance(1_000)
    const { status, body } = await world.owner.patch(path, changes)
    expect(status).toBe(200)
    const updatedAt = new Date(world.clock.now()).toISOString()
    expect(body.data).toEqual({ ...before, ...changes, updatedAt })
    expect((await world.owner.get(path)).body).toEqual(body)
  })

  test.each([
    ['nothing', {}],
    ['the current values', { name: 'Project', status: 'active' }],
  ])('answers 200 and changes nothing for %s', async (_, changes) => {
    const { path, slug } = await world.project()
    const before = (await world.owner.get(path)).body
    world.clock.advance(1_000)
    const { status, body } = await world.owner.patch(path, { ...changes, ...('name' in changes ? { slug } : {}) })
    expect([status, body]).toEqual([200, before])
  })

  test('moves to paused and back', async () => {
    const { path } = await world.project()
    for (const status of ['paused', 'active', 'active', 'paused', 'paused']) {
      expect(await world.owner.patch(path, { status })).toMatchObject({ status: 200, body: { data: { status } } })
    }
  })

  test.each([
    ['the status deleting', { status: 'deleting' }, '/body/status'],
    ['an unknown status', { status: 'archived' }, '/body/status'],
    ['an invalid slug', { slug: 'Not a slug' }, '/body/slug'],
    ['an empty name', { name: '' }, '/body/name'],
    ['a null name', { name: null }, '/body/name'],
    ['a template', { templateId: 'tpl_x' }, '/body/templateId'],
    ['an unknown field', { id: 'prj_x' }, '/body/id'],
  ])('answers 422 for %s', async (_, changes, path) => {
    const project = await world.project()
    const { status, body } = await world.owner.patch(project.path, changes)
    expect([status, body.error.code]).toEqual([422, 'validation_failed'])
    expect(body.error.details.issues).toMatchObject([{ path }])
  })

  test("answers 422 slug_taken for another Project's slug; the old one is free again", async () => {
    const [one, other] = [await world.project(), await world.project()]
    const { status, body } = await world.owner.patch(one.path, { slug: other.slug, name: 'Never' })
    expect([status, body.error.code]).toEqual([422, 'slug_taken'])
    expect((await world.owner.get(one.path)).body.data).toMatchObject({ slug: one.slug, name: 'Project' })
    expect((await world.owner.patch(one.path, { slug: 'moved-away' })).status).toBe(200)
    expect((await world.owner.patch(other.path, { slug: one.slug })).status).toBe(200)
  })

  test('of 8 Projects that request the same slug at once, one gets it and the others get 422', async () => {
    const projects = await Promise.all(Array.from({ length: 8 }, () => world.project()))
    const replies = await Promise.all(projects.map(({ path }) => world.owner.patch(path, { slug: 'wanted' })))
    expect(tallyStatuses(replies)).toEqual({ 200: 1, 422: 7 })
  })

  test('concurrent changes are all kept', async () => {
    const { path } = await world.project()
    const changes = [{ name: 'Both' }, { slug: 'both-of-them' }, { status: 'paused' }, {}, { name: 'Both' }]
    const replies = await Promise.all(changes.map((change) => world.owner.patch(path, change)))
    expect(tallyStatuses(replies)).toEqual({ 200: 5 })
    expect((await world.owner.get(path)).body.data).toMatchObject({
      name: 'Both',
      slug: 'both-of-them',
      status: 'paused',
    })
  })

  test('a Project that is being deleted can be read, and changes are refused as if it were gone', async () => {
    const { id, path, environments } = await world.project()
    world.rows("update projects set status = 'deleting' where id = ?", id)
    expect((await world.owner.get(path)).body.data.status).toBe('deleting')
    expect((await world.owner.get(`${path}/environments`)).status).toBe(200)
    expect((await world.owner.patch(path, { status: 'active' })).status).toBe(404)
    const activation = { lifecycle: 'active', expectedLifecycle: 'provisioning' }
    const { status, body } = await world.owner.patch(`${path}/environments/${environments[0]}`, activation)
    expect([status, body.error.code]).toEqual([409, 'deletion_in_progress'])
    const grant = { subject: { type: 'user', id: world.ownerId }, permissions: ['projects:get'] }
    expect((await world.owner.post(`${path}/access-grants`, grant)).status).toBe(404)
  })
})

describe('listing Projects', () => {
  test('shows those of the organization, newest first, in pages', async () => {
    const { owner } = world.organization()
    const made: string[] = []
    for (let index = 0; index < 7; index += 1) {
      made.unshift((await world.project(owner)).id)
      world.clock.advance(1)
    }
    for (const [limit, sizes] of [
      [3, [3, 3, 1]],
      [7, [7]],
      [100, [7]],
      [1, [1, 1, 1, 1, 1, 1, 1]],
    ] as const) {
      const walked = await walk(owner, '/api/v1/projects', limit)
      expect(walked.items.map(({ id }) => id)).toEqual(made)
      expect(walked.sizes).toEqual([...sizes])
    }
  })

  test('of an organization without Projects is empty', async () => {
    const { body } = await world.organization().owner.get('/api/v1/projects')
    expect(body).toEqual({ data: { items: [] }, pagination: { limit: 20, hasMore: false } })
  })

  test.each([{ limit: 0 }, { limit: 101 }, { limit: 'many' }, { cursor: 'nonsense' }, { cursor: '' }])(
    'answers 422 for %p',
    async (query) => {
      expect((await world.owner.get('/api/v1/projects', { query })).status).toBe(422)
    },
  )

  test("answers 422 for a cursor of another list or another organization's", async () => {
    const { owner } = world.organization()
    for (let index = 0; index < 2; index += 1) await world.project(owner)
    const { path } = await world.project(owner)
    const cursorOf = async (list: string) =>
      (await owner.get(list, { query: { limit: 1 } })).body.pagination.nextCursor as string
    const cursor = await cursorOf('/api/v1/projects')
    for (const reply of [
      await world.owner.get('/api/v1/projects', { query: { cursor } }),
      await owner.get(`${path}/environments`, { query: { cursor } }),
      await owner.get('/api/v1/projects', { query: { cursor: await cursorOf(`${path}/environments`) } }),
    ]) {
      expect([reply.status, reply.body.error.code]).toEqual([422, 'invalid_cursor'])
    }
  })

  test('shows all of the organization to a member, whose role may list them', async () => {
    const { id, owner } = world.organization()
    const first = await world.project(owner)
    world.clock.advance(1)
    const second = await world.project(owner)
    const member = world.keyOf(world.user('member', id), { organizationId: id })
    const { items } = (await member.get('/api/v1/projects')).body.data
    expect(items.map((item: { id: string }) => item.id)).toEqual([second.id, first.id])
  })

  test('shows a bound key only its own Project, on one page', async () => {
    const [one, other] = [await world.project(), await world.project()]
    for (const scope of [
      { projectId: one.id },
      { projectId: one.id, environmentId: one.environments[1] },
      { projectId: one.id, agentId: newId('agt') },
    ]) {
      const bound = world.keyOf(world.ownerId, scope)
      const { body } = await bound.get('/api/v1/projects', { query: { limit: 1 } })
      expect(body.data.items.map(({ id }: { id: string }) => id)).toEqual([one.id])
      expect(body.pagination).toEqual({ limit: 1, hasMore: false })
      expect((await bound.get(other.path)).status).toBe(404)
    }
  })

  test('answers 403 without the permission', async () => {
    const { status, body } = await world.keyOf(world.ownerId, { operations: ['projects:get'] }).get('/api/v1/projects')
    expect([status, body.error.details]).toEqual([403, { permission: 'projects:list' }])
  })
})

describe('a key that is bound to a part of a Project', () => {
  test.each(['environment', 'agent'] as const)(
    'that is an %s reads the Project and may not change it',
    async (part) => {
      const { id, path, environments } = await world.project()
      const bound = world.keyOf(world.ownerId, {
        projectId: id,
        ...(part === 'environment' ? { environmentId: environments[0] } : { agentId: newId('agt') }),
      })
      expect((await bound.get(path)).status).toBe(200)
      const { status, body } = await bound.patch(path, { name: 'Mine' })
      expect([status, body.error.code]).toEqual([403, 'permission_denied'])
      expect((await bound.get(`${path}/access-grants`)).status).toBe(200)
      const grant = { subject: { type: 'user', id: world.ownerId }, permissions: ['projects:get'] }
      expect((await bound.post(`${path}/access-grants`, grant)).status).toBe(403)
    },
  )

  test('that is the whole Project may change it', async () => {
    const { id, path } = await world.project()
    expect((await world.keyOf(world.ownerId, { projectId: id }).patch(path, { name: 'Mine' })).status).toBe(200)
  })
})
