import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { templates } from '../../../src/templates/catalogue.ts'
import { newId } from '../../../storage/ids.ts'
import { openWorld, tally, type World, walk } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.stop())

const create = (body: unknown) => world.owner.post('/api/v1/projects', body)
const count = (table: string) => world.rows<{ n: number }>(`select count(*) as n from ${table}`)[0]!.n

// RFC 8785 of the empty configuration, digested by hand
const emptyDigest = `sha256:${new Bun.CryptoHasher('sha256')
  .update('{"connections":[],"providerSettings":[],"variables":[]}')
  .digest('hex')}`

describe('creating a Project', () => {
  test('answers 201 with the Project', async () => {
    const { status, body } = await create({ slug: 'support', name: '  Support desk ' })
    expect(status).toBe(201)
    expect(body).toEqual({
      data: {
        id: expect.stringMatching(/^prj_/),
        organizationId: world.ours,
        slug: 'support',
        name: 'Support desk',
        templateId: null,
        status: 'active',
        createdAt: '2026-01-31T12:00:00.000Z',
        updatedAt: '2026-01-31T12:00:00.000Z',
      },
    })
    expect(await world.owner.get(`/api/v1/projects/${body.data.id}`)).toMatchObject({ status: 200, body })
  })

  test('creates Development, Preview and Production in provisioning, each with an empty configuration', async () => {
    const { id, path } = await world.project()
    const { items } = (await world.owner.get(`${path}/environments`)).body.data
    const born = {
      id: expect.stringMatching(/^env_/),
      projectId: id,
      lifecycle: 'provisioning',
      generation: 0,
      configurationHead: { revisionId: expect.stringMatching(/^cfr_/), number: 0 },
      activeDeploymentId: null,
      createdAt: '2026-01-31T12:00:00.000Z',
      updatedAt: '2026-01-31T12:00:00.000Z',
    }
    expect(items).toEqual([
      { ...born, kind: 'development', name: 'Development' },
      { ...born, kind: 'preview', name: 'Preview' },
      { ...born, kind: 'production', name: 'Production' },
    ])
    for (const { id: environmentId } of (await world.owner.get(`${path}/environments`)).body.data.items) {
      const head = (await world.owner.get(`${path}/environments/${environmentId}`)).body.data.configurationHead
      expect(world.rows('select * from configuration_revisions where environment_id = ?', environmentId)).toEqual([
        expect.objectContaining({
          id: head.revisionId,
          organization_id: world.ours,
          number: 0,
          parent_id: null,
          digest: emptyDigest,
          created_by_type: 'apiKey',
        }),
      ])
    }
  })

  test.each([
    ['no slug', { name: 'Name' }, ['/body/slug']],
    ['no name', { slug: 'slug' }, ['/body/name']],
    ['neither', {}, ['/body/slug', '/body/name']],
    ['an empty slug', { slug: '', name: 'Name' }, ['/body/slug']],
    ['capital letters', { slug: 'Slug', name: 'Name' }, ['/body/slug']],
    ['a hyphen in front', { slug: '-slug', name: 'Name' }, ['/body/slug']],
    ['a hyphen at the end', { slug: 'slug-', name: 'Name' }, ['/body/slug']],
    ['a space', { slug: 'a slug', name: 'Name' }, ['/body/slug']],
    ['a letter beyond ASCII', { slug: 'slüg', name: 'Name' }, ['/body/slug']],
    ['a line break behind the slug', { slug: 'slug\n', name: 'Name' }, ['/body/slug']],
    ['a slug of 64 characters', { slug: 's'.repeat(64), name: 'Name' }, ['/body/slug']],
    ['a slug that is a number', { slug: 7, name: 'Name' }, ['/body/slug']],
    ['an empty name', { slug: 'slug', name: '' }, ['/body/name']],
    ['a name of white space', { slug: 'slug', name: '   ' }, ['/body/name']],
    ['a name of 201 characters', { slug: 'slug', name: 'n'.repeat(201) }, ['/body/name']],
    ['a name with a control character', { slug: 'slug', name: 'a\u0000b' }, ['/body/name']],
    ['a name with a line break', { slug: 'slug', name: 'a\nb' }, ['/body/name']],
    ['a name that is null', { slug: 'slug', name: null }, ['/body/name']],
    ['an empty template', { slug: 'slug', name: 'Name', templateId: '' }, ['/body/templateId']],
    ['an unknown field', { slug: 'slug', name: 'Name', color: 'red' }, ['/body/color']],
    ['a status', { slug: 'slug', name: 'Name', status: 'paused' }, ['/body/status']],
  ])('answers 422 for %s', async (_, body, paths) => {
    const before = count('projects')
    const reply = await create(body)
    expect([reply.status, reply.body.error.code]).toEqual([422, 'validation_failed'])
    expect(reply.body.error.details.issues.map(({ path }: { path: string }) => path)).toEqual(paths)
    expect(count('projects')).toBe(before)
  })

  test.each(['a', '7', 'a'.repeat(63), 'a--b', '0-0'])('takes the slug %s', async (slug) => {
    expect((await create({ slug, name: 'n'.repeat(200) })).status).toBe(201)
  })

  test('answers 404 for a template that there is not, and creates nothing', async () => {
    const before = count('projects')
    for (const templateId of ['tpl_none', newId('tpl')]) {
      const { status, body } = await create({ slug: 'of-template', name: 'Name', templateId })
      expect([status, body.error.code]).toEqual([404, 'not_found'])
    }
    expect(count('projects')).toBe(before)
  })

  test.each(templates.map(({ id, agents }) => ({ id, agents: agents.map(({ slug }) => slug).sort() })))(
    'from the template $id brings its Agents along, each with revision 1; a taken slug leaves none',
    async ({ id: templateId, agents }) => {
      const slug = templateId.replace('_', '-')
      const { status, body } = await create({ slug, name: 'Of a template', templateId })
      expect([status, body.data.templateId]).toEqual([201, templateId])
      const made = world.rows(
        `select agents.slug, agent_revisions.number from agents join agent_revisions
         on agent_revisions.agent_id = agents.id and agent_revisions.id = agents.latest_revision_id
         where agents.project_id = ? order by agents.slug`,
        body.data.id,
      )
      expect(made).toEqual(agents.map((name) => ({ slug: name, number: 1 })))
      const before = [count('agents'), count('agent_revisions')]
      expect((await create({ slug, name: 'Again', templateId })).status).toBe(409)
      expect([count('agents'), count('agent_revisions')]).toEqual(before)
    },
  )

  test('answers 409 for a slug that another Project of the organization has', async () => {
    const { slug } = await world.project()
    const before = [count('projects'), count('environments')]
    const { status, body } = await create({ slug, name: 'Another' })
    expect([status, body.error.code]).toEqual([409, 'slug_taken'])
    expect([count('projects'), count('environments')]).toEqual(before)
    const elsewhere = await world.organization().owner.post('/api/v1/projects', { slug, name: 'Elsewhere' })
    expect(elsewhere.status).toBe(201)
  })

  test('of 8 equal requests at once one is 201 and the others are 409', async () => {
    const replies = await Promise.all(Array.from({ length: 8 }, () => create({ slug: 'race', name: 'Race' })))
    expect(tally(replies)).toEqual({ 201: 1, 409: 7 })
    expect(count("projects where slug = 'race'")).toBe(1)
  })

  test('no Project has other than three Environments, three configurations and three journals', () => {
    expect(count('projects')).toBeGreaterThan(5)
    expect(count('environments')).toBe(3 * count('projects'))
    expect(count('configuration_revisions')).toBe(count('environments'))
    expect(count("transitions where kind = 'environment' and sequence = 1")).toBe(count('environments'))
    const odd = world.rows(
      `select projects.id, count(distinct environments.kind) as n from projects
       left join environments on environments.project_id = projects.id group by projects.id having n <> 3`,
    )
    expect(odd).toEqual([])
  })

  test('leaves one line in the audit log, committed with it', async () => {
    const { body, requestId } = await create({ slug: 'audited', name: 'Audited' })
    const [line] = world.rows('select * from audit_events where request_id = ?', requestId)
    expect(line).toMatchObject({
      operation: 'createProject',
      resource_type: 'project',
      resource_id: body.data.id,
      outcome: 'allowed',
      changed: '["name","slug"]',
    })
  })

  test('answers 403 for a member, and for a key that is bound to a Project', async () => {
    const { id } = await world.project()
    const callers = [
      world.keyOf(world.user('member')),
      world.keyOf(world.ownerId, { operations: ['projects:list'] }),
      world.keyOf(world.ownerId, { projectId: id }),
    ]
    for (const caller of callers) {
      const { status, body } = await caller.post('/api/v1/projects', { slug: 'forbidden', name: 'Name' })
      expect([status, body.error.details]).toEqual([403, { permission: 'projects:create' }])
    }
    expect((await world.as(null).post('/api/v1/projects', {})).status).toBe(401)
  })

  test('answers 409 while the organization is being deleted, whatever the server remembers of it', async () => {
    const { id, owner } = world.organization()
    expect((await owner.get('/api/v1/projects')).status).toBe(200)
    world.rows("update organizations set status = 'deleting' where id = ?", id)
    for (let time = 1; time <= 2; time += 1) {
      const { status, body } = await owner.post('/api/v1/projects', { slug: 'late', name: 'Late' })
      expect([status, body.error.code]).toEqual([409, 'deletion_in_progress'])
      world.clock.advance(3_000)
    }
    expect(count(`projects where organization_id = '${id}'`)).toBe(0)
  })
})

describe('reading a Project', () => {
  test.each(['prj_1', 'nothing', '%00', '%ff', 'a'.repeat(300), 'PRJ_01h455vb4pex5vsknk084sn02q'])(
    'answers 404 for the malformed id %s, whatever is asked of it',
    async (id) => {
      const path = `/api/v1/projects/${id}`
      expect((await world.owner.get(path, { unchecked: true })).status).toBe(404)
      expect((await world.owner.patch(path, {}, { unchecked: true })).status).toBe(404)
      expect((await world.owner.get(`${path}/environments`, { unchecked: true })).status).toBe(404)
      expect((await world.owner.get(`${path}/access-grants`, { unchecked: true })).status).toBe(404)
    },
  )

  test("answers for another organization's Project exactly as for one that never existed", async () => {
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
    ['all of it', { name: 'All', slug: 'all-of-it', status: 'paused' }],
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
    ['what it is already', { name: 'Project', status: 'active' }],
  ])('answers 200 and leaves it as it is for %s', async (_, changes) => {
    const { path, slug } = await world.project()
    const before = (await world.owner.get(path)).body
    world.clock.advance(1_000)
    const { status, body } = await world.owner.patch(path, { ...changes, ...('name' in changes ? { slug } : {}) })
    expect([status, body]).toEqual([200, before])
  })

  test('goes to paused and back', async () => {
    const { path } = await world.project()
    for (const status of ['paused', 'active', 'active', 'paused', 'paused']) {
      expect(await world.owner.patch(path, { status })).toMatchObject({ status: 200, body: { data: { status } } })
    }
  })

  test.each([
    ['the status deleting', { status: 'deleting' }, '/body/status'],
    ['an unknown status', { status: 'archived' }, '/body/status'],
    ['a bad slug', { slug: 'Not a slug' }, '/body/slug'],
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

  test('of 8 Projects that want the same slug at once, one gets it and the others are told 422', async () => {
    const projects = await Promise.all(Array.from({ length: 8 }, () => world.project()))
    const replies = await Promise.all(projects.map(({ path }) => world.owner.patch(path, { slug: 'wanted' })))
    expect(tally(replies)).toEqual({ 200: 1, 422: 7 })
  })

  test('changes at the same moment lose nothing of each other', async () => {
    const { path } = await world.project()
    const changes = [{ name: 'Both' }, { slug: 'both-of-them' }, { status: 'paused' }, {}, { name: 'Both' }]
    const replies = await Promise.all(changes.map((change) => world.owner.patch(path, change)))
    expect(tally(replies)).toEqual({ 200: 5 })
    expect((await world.owner.get(path)).body.data).toMatchObject({
      name: 'Both',
      slug: 'both-of-them',
      status: 'paused',
    })
  })

  test('a Project that is being deleted can be read, and answers changes as if it were gone', async () => {
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
  test('shows those of the organization, newest first, page by page', async () => {
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

  test('of an organization without any is empty', async () => {
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

  test('shows all of the organization to a member, whose role lists them', async () => {
    const { id, owner } = world.organization()
    const first = await world.project(owner)
    world.clock.advance(1)
    const second = await world.project(owner)
    const member = world.keyOf(world.user('member', id), { organizationId: id })
    const { items } = (await member.get('/api/v1/projects')).body.data
    expect(items.map((item: { id: string }) => item.id)).toEqual([second.id, first.id])
  })

  test('shows a bound key its own Project alone, on one page', async () => {
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
    'bound to an %s reads the Project and may not change it',
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

  test('bound to the Project itself may change it', async () => {
    const { id, path } = await world.project()
    expect((await world.keyOf(world.ownerId, { projectId: id }).patch(path, { name: 'Mine' })).status).toBe(200)
  })
})
