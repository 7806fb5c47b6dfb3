/** Projects are created completely, with their Environments, or not at all. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { templates } from '../../../src/authoring/templates/catalogue.ts'
import { newId } from '../../../storage/ids.ts'
import { tallyStatuses } from '../../support/world/replies.ts'
import { openWorld, type World } from '../../support/world/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

const create = (body: unknown) => world.owner.post('/api/v1/projects', body)
const count = (table: string) => world.rows<{ n: number }>(`select count(*) as n from ${table}`)[0]!.n

// the RFC 8785 digest of the empty configuration, computed by hand
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
    ['a leading hyphen', { slug: '-slug', name: 'Name' }, ['/body/slug']],
    ['a trailing hyphen', { slug: 'slug-', name: 'Name' }, ['/body/slug']],
    ['a space', { slug: 'a slug', name: 'Name' }, ['/body/slug']],
    ['a letter outside of ASCII', { slug: 'slüg', name: 'Name' }, ['/body/slug']],
    ['a trailing line break', { slug: 'slug\n', name: 'Name' }, ['/body/slug']],
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

  test.each(['a', '7', 'a'.repeat(63), 'a--b', '0-0'])('accepts the slug %s', async (slug) => {
    expect((await create({ slug, name: 'n'.repeat(200) })).status).toBe(201)
  })

  test('answers 404 for an unknown template, and creates nothing', async () => {
    const before = count('projects')
    for (const templateId of ['tpl_none', newId('tpl')]) {
      const { status, body } = await create({ slug: 'of-template', name: 'Name', templateId })
      expect([status, body.error.code]).toEqual([404, 'not_found'])
    }
    expect(count('projects')).toBe(before)
  })

  test.each(templates.map(({ id, agents }) => ({ id, agents: agents.map(({ slug }) => slug).sort() })))(
    'from the template $id creates its Agents, each with revision 1; a taken slug creates none',
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

  test('of 8 equal concurrent requests one is 201 and the others are 409', async () => {
    const replies = await Promise.all(Array.from({ length: 8 }, () => create({ slug: 'race', name: 'Race' })))
    expect(tallyStatuses(replies)).toEqual({ 201: 1, 409: 7 })
    expect(count("projects where slug = 'race'")).toBe(1)
  })

  test('every Project has three Environments, three configurations and three journals', () => {
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

  test('answers 403 for a member, and for a bound key', async () => {
    const { id } = await world.project()
    const callers = [
      world.keyOf(world.user('member')),
      world.keyOf(world.ownerId, { operations: ['projects:list'] }),
      world.keyOf(world.ownerId, { projectId: id }),
    ]
    for (const caller of callers) {
      const { status, body } = await caller.post('/api/v1/projects', { slug: 'forbidden', name: 'Name' })
      expect([status, body.error.details]).toMatchObject([403, { permission: 'projects:create' }])
    }
    expect((await world.as(null).post('/api/v1/projects', {})).status).toBe(401)
  })

  test('answers 409 while the organization is being deleted, whatever the server has cached', async () => {
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
