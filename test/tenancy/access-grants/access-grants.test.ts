import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { tallyStatuses, walk } from '../../support/world/replies.ts'
import { openWorld, type World } from '../../support/world/world.ts'

let world: World
let project: Awaited<ReturnType<World['project']>>
let grants: string
beforeAll(async () => {
  world = await openWorld()
  project = await world.project()
  grants = `${project.path}/access-grants`
})
afterAll(() => world?.stop())

const toUser = (id: string) => ({ type: 'user', id })
const toGroup = (id: string) => ({ type: 'userGroup', id })
const give = (subject: object, permissions: unknown, path = grants) => world.owner.post(path, { subject, permissions })

describe('granting access', () => {
  test('answers 201 with the grant', async () => {
    const userId = world.user('member')
    const { status, body } = await give(toUser(userId), ['projects:get', 'agents:list'])
    expect(status).toBe(201)
    expect(body).toEqual({
      data: {
        id: expect.stringMatching(/^grt_/),
        projectId: project.id,
        subject: toUser(userId),
        permissions: ['agents:list', 'projects:get'],
        createdBy: { type: 'apiKey', id: expect.stringMatching(/^key_/) },
        createdAt: new Date(world.clock.now()).toISOString(),
      },
    })
    expect((await world.owner.get(grants)).body.data.items).toContainEqual(body.data)
    const groupId = world.group([userId])
    expect(await give(toGroup(groupId), ['agents:get'])).toMatchObject({
      status: 201,
      body: { data: { subject: toGroup(groupId) } },
    })
  })

  // in the order of requirement 5.8, whatever the order of the request
  test.each([
    ['a repeated name', ['agents:get', 'agents:get'], ['agents:get']],
    [
      'names in another order',
      ['agent-runs:get', 'agents:list', 'agents:get'],
      ['agents:get', 'agents:list', 'agent-runs:get'],
    ],
    [
      'a family with only Project-wide names',
      ['definitions:*'],
      ['definitions:list', 'definitions:get', 'definitions:create', 'definitions:update', 'definitions:delete'],
    ],
    [
      'projects:*, without the names for all Projects',
      ['projects:*'],
      [
        'projects:get',
        'projects:update',
        'projects:delete',
        'projects:read-runtime-data',
        'projects:manage-access-grants',
      ],
    ],
    [
      'connections:*, without the presets, and one of its names',
      ['connections:list', 'connections:*'],
      ['list', 'get', 'create', 'update', 'delete', 'start-oauth'].map((verb) => `connections:${verb}`),
    ],
  ])('expands %s', async (_, given, stored) => {
    const { status, body } = await give(toUser(world.user('member')), given)
    expect([status, body.data.permissions]).toEqual([201, stored])
  })

  test('expands * to every permission of a Project, and none of the organization', async () => {
    const { body } = await give(toUser(world.user('member')), ['*'])
    const given: string[] = body.data.permissions
    expect(given).toContain('projects:get')
    expect(given).toContain('env:variables:update')
    expect(given).toContain('agent-runs:attempts:heartbeat')
    const families = /^(organizations|organization-\w+|api-keys|provider-credentials|templates|billing):/
    expect(given.filter((name) => families.test(name))).toEqual([])
    for (const name of ['projects:list', 'projects:create', 'connections:presets:list'])
      expect(given).not.toContain(name)
    expect(new Set(given).size).toBe(given.length)
  })

  test.each([
    ['an unknown name', ['projects:get', 'projects:fly'], ['/body/permissions/1']],
    ['an unknown family', ['nothing:*'], ['/body/permissions/0']],
    ['a name of the organization', ['organizations:update'], ['/body/permissions/0']],
    ['a family of the organization', ['billing:*', 'api-keys:*'], ['/body/permissions/0', '/body/permissions/1']],
    [
      'what is about all Projects',
      ['projects:create', 'agents:get', 'projects:list'],
      ['/body/permissions/0', '/body/permissions/2'],
    ],
    ['an empty name', [''], ['/body/permissions/0']],
    ['a number', [7], ['/body/permissions/0']],
    ['no names', [], ['/body/permissions']],
    ['201 names', Array.from({ length: 201 }, () => 'agents:get'), ['/body/permissions']],
    ['no list', 'agents:get', ['/body/permissions']],
  ])('answers 422 with one issue per mistake: %s', async (_, permissions, paths) => {
    const { status, body } = await give(toUser(world.user('member')), permissions)
    expect([status, body.error.code]).toEqual([422, 'validation_failed'])
    expect(body.error.details.issues.map(({ path }: { path: string }) => path)).toEqual(paths)
  })

  test.each([
    ['no subject', { permissions: ['agents:get'] }],
    ['no permissions', { subject: { type: 'user', id: 'usr_1' } }],
    ['another type of subject', { subject: { type: 'apiKey', id: 'key_1' }, permissions: ['agents:get'] }],
    ['a subject without id', { subject: { type: 'user' }, permissions: ['agents:get'] }],
    ['an unknown field', { subject: { type: 'user', id: 'usr_1' }, permissions: ['agents:get'], note: 'x' }],
    [
      'an unknown field of the subject',
      { subject: { type: 'user', id: 'usr_1', name: 'x' }, permissions: ['agents:get'] },
    ],
  ])('answers 422 for %s', async (_, body) => {
    expect((await world.owner.post(grants, body)).status).toBe(422)
  })

  test('answers 404 for a subject outside of the organization, and grants nothing', async () => {
    const foreign = world.organization()
    const before = (await walk(world.owner, grants, 100)).items.length
    const subjects = [
      toUser(foreign.userId),
      toUser(newId('usr')),
      toUser('nobody'),
      toGroup(world.group([foreign.userId], foreign.id)),
      toGroup(newId('ugr')),
      toGroup(world.user('member')),
      toUser(world.group([])),
    ]
    for (const subject of subjects) {
      const { status, body } = await give(subject, ['agents:get'])
      expect([status, body.error.code]).toEqual([404, 'not_found'])
    }
    expect((await walk(world.owner, grants, 100)).items).toHaveLength(before)
  })

  test("answers 404 in a Project that is missing or another organization's", async () => {
    const userId = world.user('member')
    const foreign = await world.project(world.organization().owner)
    expect((await give(toUser(userId), ['agents:get'], `${foreign.path}/access-grants`)).status).toBe(404)
    expect((await give(toUser(userId), ['agents:get'], `/api/v1/projects/${newId('prj')}/access-grants`)).status).toBe(
      404,
    )
  })

  test('requires projects:manage-access-grants', async () => {
    const without = world.keyOf(world.ownerId, { operations: ['projects:get', 'projects:update'] })
    const permission = { permission: 'projects:manage-access-grants' }
    expect((await without.get(grants)).body.error.details).toEqual(permission)
    expect((await without.post(grants, {})).body.error.details).toEqual(permission)
    expect((await without.delete(`${grants}/${newId('grt')}`)).body.error.details).toEqual(permission)
    expect((await world.keyOf(world.user('member')).get(grants)).status).toBe(403)
    expect((await world.keyOf(world.user('admin')).get(grants)).status).toBe(200)
  })
})

describe('a grant', () => {
  test("applies from the next request of the member's key, only in its Project, and ends with its removal", async () => {
    const userId = world.user('member')
    const key = world.keyOf(userId)
    const elsewhere = await world.project()
    expect((await key.get(project.path)).status).toBe(403)
    const { body } = await give(toUser(userId), ['projects:get'])
    expect((await key.get(project.path)).status).toBe(200)
    expect((await key.patch(project.path, {})).status).toBe(403)
    expect((await key.get(elsewhere.path)).status).toBe(403)
    expect((await key.get(`/api/v1/actors/environment/${project.environments[0]}`)).status).toBe(200)
    expect((await key.get(`/api/v1/actors/environment/${elsewhere.environments[0]}`)).status).toBe(404)
    expect((await world.owner.delete(`${grants}/${body.data.id}`)).status).toBe(204)
    expect((await key.get(project.path)).status).toBe(403)
  })

  test('applies through a group to its members only', async () => {
    const [inside, outside] = [world.user('member'), world.user('member')]
    const [insider, outsider] = [world.keyOf(inside), world.keyOf(outside)]
    const groupId = world.group([inside])
    expect([(await insider.get(project.path)).status, (await outsider.get(project.path)).status]).toEqual([403, 403])
    const { body } = await give(toGroup(groupId), ['projects:*'])
    expect([(await insider.get(project.path)).status, (await outsider.get(project.path)).status]).toEqual([200, 403])
    expect((await insider.patch(project.path, {})).status).toBe(200)
    expect((await insider.get(grants)).status).toBe(200)
    await world.owner.delete(`${grants}/${body.data.id}`)
    expect((await insider.get(project.path)).status).toBe(403)
  })

  test('adds to others; removing one keeps the others', async () => {
    const userId = world.user('member')
    const key = world.keyOf(userId)
    const one = await give(toUser(userId), ['projects:get'])
    const other = await give(toGroup(world.group([userId])), ['projects:get', 'projects:update'])
    expect((await key.patch(project.path, {})).status).toBe(200)
    await world.owner.delete(`${grants}/${other.body.data.id}`)
    expect([(await key.get(project.path)).status, (await key.patch(project.path, {})).status]).toEqual([200, 403])
    await world.owner.delete(`${grants}/${one.body.data.id}`)
    expect((await key.get(project.path)).status).toBe(403)
  })

  test('gives a key no more than its own operations', async () => {
    const userId = world.user('member')
    const key = world.keyOf(userId, { operations: ['projects:get'] })
    await give(toUser(userId), ['*'])
    expect([(await key.get(project.path)).status, (await key.patch(project.path, {})).status]).toEqual([200, 403])
  })
})

describe('revoking access', () => {
  test('answers 204, and 404 from then on', async () => {
    const { body } = await give(toUser(world.user('member')), ['agents:get'])
    const path = `${grants}/${body.data.id}`
    const { status, requestId } = await world.owner.delete(path)
    expect(status).toBe(204)
    const [line] = world.rows('select * from audit_events where request_id = ?', requestId)
    expect(line).toMatchObject({
      operation: 'deleteAccessGrant',
      resource_type: 'accessGrant',
      resource_id: body.data.id,
      outcome: 'allowed',
    })
    expect((await world.owner.delete(path)).status).toBe(404)
    expect((await walk(world.owner, grants, 100)).items.map(({ id }) => id)).not.toContain(body.data.id)
  })

  test('of 8 concurrent revocations one is 204 and the others are 404', async () => {
    const { body } = await give(toUser(world.user('member')), ['agents:get'])
    const replies = await Promise.all(Array.from({ length: 8 }, () => world.owner.delete(`${grants}/${body.data.id}`)))
    expect(tallyStatuses(replies)).toEqual({ 204: 1, 404: 7 })
  })

  test('answers 404 for a malformed, missing or foreign grant, or one of another Project', async () => {
    const foreign = world.organization()
    const theirs = await world.project(foreign.owner)
    const ofOthers = await foreign.owner.post(`${theirs.path}/access-grants`, {
      subject: toUser(foreign.userId),
      permissions: ['agents:get'],
    })
    const another = await world.project()
    const elsewhere = await give(toUser(world.ownerId), ['agents:get'], `${another.path}/access-grants`)
    for (const id of ['nothing', 'grt_1', newId('grt'), ofOthers.body.data.id, elsewhere.body.data.id]) {
      expect((await world.owner.delete(`${grants}/${id}`)).status).toBe(404)
    }
    expect((await world.owner.get(`${another.path}/access-grants`)).body.data.items).toHaveLength(1)
    expect((await foreign.owner.get(`${theirs.path}/access-grants`)).body.data.items).toHaveLength(1)
  })
})

describe('listing grants', () => {
  test('shows those of the Project, newest first, in pages', async () => {
    const { path } = await world.project()
    const made: string[] = []
    for (let index = 0; index < 5; index += 1) {
      const { body } = await give(toUser(world.ownerId), ['agents:get'], `${path}/access-grants`)
      made.unshift(body.data.id)
      world.clock.advance(1)
    }
    const walked = await walk(world.owner, `${path}/access-grants`, 2)
    expect(walked.items.map(({ id }) => id)).toEqual(made)
    expect(walked.sizes).toEqual([2, 2, 1])
    const first = await world.owner.get(`${path}/access-grants`, { query: { limit: 1 } })
    const { status } = await world.owner.get(grants, { query: { cursor: first.body.pagination.nextCursor } })
    expect(status).toBe(422)
  })

  test('a member who leaves loses their grants', async () => {
    const { path } = await world.project()
    const userId = world.user('member')
    await give(toUser(userId), ['agents:get'], `${path}/access-grants`)
    world.rows('delete from memberships where user_id = ?', userId)
    expect((await world.owner.get(`${path}/access-grants`)).body.data.items).toEqual([])
  })
})
