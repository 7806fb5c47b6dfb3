import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { atOnce, outcome, tally } from '../../support/world/replies.ts'
import { signIn } from '../sessions/browser.ts'
import { openWorld, organizationsPath, ours, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

const create = (body: object, by = world.owner) => by.post(organizationsPath, body)

describe('creating an organization', () => {
  test('returns an active team, in the shape of the contract', async () => {
    const now = new Date(world.clock.now()).toISOString()
    const { status, body } = await create({ name: '  Acme & Sons  ', slug: 'acme' })
    expect(status).toBe(200)
    const { id, ...rest } = body.data
    expect(id).toMatch(/^org_/)
    expect(rest).toEqual({
      slug: 'acme',
      name: 'Acme & Sons',
      kind: 'team',
      status: 'active',
      createdAt: now,
      updatedAt: now,
    })
  })

  test("makes the credential's user its owner, who can read it at once", async () => {
    const session = await signIn(world.troupe)
    const { body } = await create({ name: 'Ours', slug: 'ours' })
    const path = `${organizationsPath}/${body.data.id}`
    expect((await session.get(path)).body).toEqual(body)
    expect((await session.get(`${organizationsPath}/ours`)).body).toEqual(body)
    const members = await session.get(`${path}/members`)
    expect(members.body.data.items).toMatchObject([{ userId: world.ownerId, role: 'owner' }])
  })

  test('does not change the organization of the key', async () => {
    const { body } = await create({ name: 'Silent', slug: 'silent' })
    expect(outcome(await world.owner.get(`${organizationsPath}/${body.data.id}`))).toBe('404 not_found')
    expect(outcome(await world.owner.get(`${organizationsPath}/silent`))).toBe('404 not_found')
  })

  test('is possible for members and owners, by session and by key', async () => {
    expect(outcome(await create({ name: 'By a member', slug: 'by-a-member' }, world.person('member').client))).toBe(200)
    const session = await signIn(world.troupe)
    expect(outcome(await session.post(organizationsPath, { name: 'By session', slug: 'by-session' }))).toBe(200)
  })

  test('answers 403 to a bound key, and 401 without a credential', async () => {
    const project = world.tenancy.project(world.organizationId)
    const bound = world.keyOf(world.organizationId, world.ownerId, undefined, { project_id: project })
    expect(outcome(await create({ name: 'Bound', slug: 'bound' }, bound.client))).toBe('403 permission_denied')
    expect(outcome(await create({ name: 'Bound', slug: 'bound' }, world.as(null)))).toBe('401 unauthenticated')
    expect(outcome(await create({ name: 'Bound', slug: 'bound' }))).toBe(200)
  })

  test('answers 400 for a slug of any other organization', async () => {
    const foreign = world.elsewhere()
    const { body } = await foreign.owner.client.get(foreign.path)
    expect(outcome(await create({ name: 'Mine', slug: body.data.slug }))).toBe('400 slug_taken')
    expect(outcome(await create({ name: 'Mine', slug: 'default' }))).toBe('400 slug_taken')
  })

  test('eight times at once with one slug creates one', async () => {
    expect(tally(await atOnce(8, () => create({ name: 'Race', slug: 'race' })))).toEqual({
      200: 1,
      '400 slug_taken': 7,
    })
  })
})

describe('listing organizations', () => {
  test('shows a session all organizations of the user, newest first', async () => {
    const session = await signIn(world.troupe)
    world.elsewhere()
    const { body } = await session.get(organizationsPath, { query: { limit: 100 } })
    const ids = body.data.items.map(({ id }: { id: string }) => id)
    const memberships = world.tenancy.all<{ id: string }>(
      'select organization_id as id from memberships where user_id = ?',
      world.ownerId,
    )
    expect(ids).toEqual(
      memberships
        .map(({ id }) => id)
        .sort()
        .reverse(),
    )
    expect(ids.length).toBeGreaterThan(1)
  })

  test('shows a key its own one, whatever its operations and scope', async () => {
    const project = world.tenancy.project(world.organizationId)
    const keys = [
      world.owner,
      world.keyOf(world.organizationId, world.ownerId, ['agents:get']).client,
      world.keyOf(world.organizationId, world.ownerId, undefined, { project_id: project }).client,
    ]
    for (const key of keys) {
      const { body } = await key.get(organizationsPath)
      expect(body.data.items.map(({ id }: { id: string }) => id)).toEqual([world.organizationId])
      expect(body.pagination).toEqual({ limit: 20, hasMore: false })
    }
  })

  test('answers 401 without a credential', async () => {
    expect(outcome(await world.as(null).get(organizationsPath))).toBe('401 unauthenticated')
  })
})

describe('getting an organization', () => {
  test('works by id and by slug, for every member', async () => {
    const member = world.person('member').client
    const byId = await member.get(`${organizationsPath}/${world.organizationId}`)
    expect(byId.body.data).toMatchObject({ id: world.organizationId, slug: 'default', kind: 'team' })
    expect((await member.get(ours)).body).toEqual(byId.body)
  })

  test('answers for another one exactly as for an unknown one', async () => {
    const foreign = world.elsewhere()
    const strip = ({ status, body }: { status: number; body: { error: { requestId: string } } }) => ({
      status,
      error: { ...body.error, requestId: '' },
    })
    const missing = strip(await world.owner.get(`${organizationsPath}/org_01h455vb4pex5vsknk084sn02q`))
    expect(missing.status).toBe(404)
    expect(strip(await world.owner.get(foreign.path))).toEqual(missing)
    expect(strip(await world.owner.get(`${organizationsPath}/nobody`))).toEqual(missing)
    const session = await signIn(world.troupe)
    expect(strip(await session.get(foreign.path))).toEqual(missing)
  })

  test('answers 403 to a key without the permission, and to a bound one', async () => {
    const weak = world.keyOf(world.organizationId, world.ownerId, ['agents:get']).client
    const refused = await weak.get(ours)
    expect(outcome(refused)).toBe('403 permission_denied')
    expect(refused.body.error.details).toEqual({ permission: 'organizations:get' })
    const project = world.tenancy.project(world.organizationId)
    const bound = world.keyOf(world.organizationId, world.ownerId, undefined, { project_id: project }).client
    expect(outcome(await bound.get(ours))).toBe('403 permission_denied')
    expect(outcome(await bound.patch(ours, { name: 'Bound' }))).toBe('403 permission_denied')
  })
})

describe('changing an organization', () => {
  test('renames it, and keeps the slug', async () => {
    const { path, owner } = world.elsewhere()
    const before = (await owner.client.get(path)).body.data
    world.clock.advance(1_000)
    const { status, body } = await owner.client.patch(path, { name: ' New name ' })
    expect(status).toBe(200)
    expect(body.data).toEqual({ ...before, name: 'New name', updatedAt: new Date(world.clock.now()).toISOString() })
    expect((await owner.client.get(path)).body).toEqual(body)
  })

  test('without fields answers 200, and changes nothing', async () => {
    const { path, owner } = world.elsewhere()
    const before = await owner.client.get(path)
    world.clock.advance(1_000)
    expect((await owner.client.patch(path, {})).body).toEqual(before.body)
  })

  test('changes the slug, from the next request on, and frees the old one', async () => {
    const { id, owner } = world.elsewhere()
    const { slug } = (await owner.client.get(`${organizationsPath}/${id}`)).body.data
    expect(outcome(await owner.client.patch(`${organizationsPath}/${slug}`, { slug: 'moved' }))).toBe(200)
    expect(outcome(await owner.client.get(`${organizationsPath}/moved`))).toBe(200)
    expect(outcome(await owner.client.get(`${organizationsPath}/${slug}`))).toBe('404 not_found')
    expect(outcome(await create({ name: 'Next', slug }))).toBe(200)
    expect(outcome(await owner.client.get(`${organizationsPath}/${slug}`))).toBe('404 not_found')
  })

  test('applies in an active session, too', async () => {
    const session = await signIn(world.troupe)
    const { body } = await session.post(organizationsPath, { name: 'Moving', slug: 'before' })
    expect(outcome(await session.get(`${organizationsPath}/before`))).toBe(200)
    await session.patch(`${organizationsPath}/before`, { slug: 'after' })
    expect((await session.get(`${organizationsPath}/after`)).body.data.id).toBe(body.data.id)
    expect(outcome(await session.get(`${organizationsPath}/before`))).toBe('404 not_found')
  })

  test('answers 409 for a slug that is taken, and 200 for its own', async () => {
    const { path, owner } = world.elsewhere()
    const { slug } = (await owner.client.get(path)).body.data
    expect(outcome(await owner.client.patch(path, { slug: 'default' }))).toBe('409 slug_taken')
    expect((await owner.client.get(path)).body.data.slug).toBe(slug)
    expect(outcome(await owner.client.patch(path, { slug }))).toBe(200)
  })

  test('eight organizations that request one slug at once: one gets it', async () => {
    const rivals = Array.from({ length: 8 }, () => world.elsewhere())
    const replies = await Promise.all(rivals.map(({ path, owner }) => owner.client.patch(path, { slug: 'wanted' })))
    expect(tally(replies)).toEqual({ 200: 1, '409 slug_taken': 7 })
  })

  test('concurrent changes of name and slug are both kept', async () => {
    const { path, owner } = world.elsewhere()
    await Promise.all([owner.client.patch(path, { name: 'Both' }), owner.client.patch(path, { slug: 'both' })])
    expect((await owner.client.get(path)).body.data).toMatchObject({ name: 'Both', slug: 'both' })
  })

  test.each([
    ['owner', 200],
    ['admin', 200],
    ['member', '403 permission_denied'],
  ] as const)('answers to %s: %s', async (role, expected) => {
    expect(outcome(await world.person(role).client.patch(ours, { name: 'Default' }))).toBe(expected)
  })
})
