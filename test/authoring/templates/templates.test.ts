import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { templates } from '../../../src/authoring/templates/catalogue.ts'
import { contentOf } from '../../../src/authoring/templates/template.ts'
import { isId, newId } from '../../../storage/ids.ts'
import { tallyStatuses, walk } from '../../support/world/replies.ts'
import { openWorld, type World } from '../../support/world/world.ts'

const path = '/api/v1/templates'
let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

const found = async (query: string) => {
  const { body } = await world.owner.get(path, { query: { query, limit: 100 } })
  return body.data.items.map(({ slug }: { slug: string }) => slug) as string[]
}
const slugs = templates.map(({ slug }) => slug)

describe('the catalogue', () => {
  test('has at least six templates, in the order of their slugs', () => {
    expect(slugs.length).toBeGreaterThanOrEqual(6)
    expect(slugs).toEqual([...slugs].sort())
    expect(new Set(slugs).size).toBe(slugs.length)
    expect(new Set(templates.map(({ id }) => id)).size).toBe(templates.length)
  })

  test('keeps its ids, since Projects store them', () => {
    expect(Object.fromEntries(templates.map(({ slug, id }) => [slug, id]))).toEqual({
      'incident-assistant': 'tpl_01kg9z2cf0ee29jgweh2p6f5xm',
      'invoice-extraction': 'tpl_01kg9yyq90emfrsvb16y0ebe3f',
      'meeting-summarizer': 'tpl_01kg9ys7g0ehjb455wwh5bh7x9',
      'release-notes': 'tpl_01kg9z0hw0ev09xm5jckaqhtc5',
      'research-team': 'tpl_01kg9ywwp0ey6ass76378btea6',
      'support-desk': 'tpl_01kg9yv230e43bc9twmpntwnan',
      tutor: 'tpl_01kg9z4720ej4td17z2bc15j5f',
    })
    for (const { id } of templates) expect(isId('tpl', id)).toBe(true)
  })

  test('has Agents that ask a person, that delegate, and that return structured output', () => {
    const contents = templates.flatMap(({ agents }) => agents.map(({ content }) => content))
    expect(contents.some(({ tools }) => tools?.some(({ kind }) => kind === 'interactive'))).toBe(true)
    expect(contents.some(({ delegates }) => delegates?.some((delegate) => 'agent' in delegate))).toBe(true)
    expect(contents.some(({ outputSchema }) => outputSchema)).toBe(true)
  })

  test.each(templates.map((template) => ({ slug: template.slug, template })))(
    'an Agent of $slug mentions each of its tools and delegates, and the first one suggests a query',
    ({ template }) => {
      for (const { content, description, name } of template.agents) {
        expect([name, description].every((text) => text.length > 0)).toBe(true)
        expect(content.instructions.length).toBeGreaterThan(400)
        for (const { name: called } of [...(content.tools ?? []), ...(content.delegates ?? [])]) {
          expect(content.instructions).toContain(called)
        }
      }
      expect(template.agents[0]?.content.presentation?.suggestedQueries?.length).toBeGreaterThan(0)
    },
  )

  test('has at least three templates with operations, one with a workflow and one with an entity', () => {
    const kinds = templates.map(({ definitions }) => new Set(definitions.map(({ kind }) => kind)))
    const having = (kind: string) => kinds.filter((all) => (all as Set<string>).has(kind)).length
    expect(having('operations')).toBeGreaterThanOrEqual(3)
    expect([having('workflow'), having('entity')]).toEqual([1, 1])
  })

  test('requires nothing of an Environment', () => {
    const contents = templates.flatMap(({ agents }) => agents.map(({ content }) => content))
    expect(contents.flatMap(({ bindings = [] }) => bindings).filter(({ required }) => required)).toEqual([])
  })

  test.each(templates.map((template) => ({ slug: template.slug, template })))(
    'an Agent of $slug declares each Connection that its operations use, and is granted its operations alone',
    ({ template }) => {
      const connections = new Map(
        template.definitions.flatMap(({ name, source }) =>
          'operations' in source
            ? source.operations.map(({ name: operation, handler }): [string, string | undefined] => [
                `${name}.${operation}`,
                handler.type === 'http' ? handler.connection : undefined,
              ])
            : [],
        ),
      )
      for (const { content, grantedOperations } of template.agents) {
        const operations = (content.tools ?? []).flatMap((tool) => (tool.kind === 'operation' ? [tool.operation] : []))
        expect(grantedOperations).toEqual(operations)
        const asked = new Set(operations.flatMap((name) => connections.get(name) ?? []))
        expect(new Set(content.bindings?.map(({ bindingKey }) => bindingKey))).toEqual(asked)
      }
    },
  )

  test('a delegate that the template does not have throws an error', () => {
    const content = { instructions: 'a', delegates: [{ name: 'a', description: '', agent: 'nobody' }] }
    const idOf = (slug: string) => {
      throw new Error(slug)
    }
    expect(() => contentOf(content, idOf)).toThrow('nobody')
  })
})

describe('the list', () => {
  test('without a query returns all templates, page by page', async () => {
    const { items, sizes } = await walk(world.owner, path, 3)
    expect(items.map(({ slug }) => slug)).toEqual(slugs)
    expect(sizes).toEqual([3, 3, 1])
    expect(await found('')).toEqual(slugs)
  })

  test('shows what a template contains', async () => {
    const { body } = await world.owner.get(path)
    for (const [index, item] of body.data.items.entries()) {
      expect(item).toEqual(JSON.parse(JSON.stringify(templates[index])))
    }
  })

  test.each<[string, string[]]>([
    ['support', ['support-desk']],
    ['SUPPORT Escalation', ['support-desk']],
    ['escalation support', ['support-desk']],
    ['  desk   with  ', ['support-desk']],
    ['human in the loop', ['incident-assistant', 'support-desk', 'tutor']],
    ['post-mortem', ['incident-assistant']],
    ['structured', ['invoice-extraction']],
    ['minut', ['meeting-summarizer']],
    ['support invoice', []],
    ['100% nothing_like (this)', []],
    ['%', []],
  ])('for %j', async (query, expected) => {
    expect(await found(query)).toEqual(expected)
  })

  test('accepts a cursor with the same query only (422)', async () => {
    const { body } = await world.owner.get(path, { query: { query: 'human', limit: 1 } })
    const cursor = body.pagination.nextCursor
    expect((await world.owner.get(path, { query: { query: 'human', cursor } })).body.data.items).toHaveLength(2)
    const other = await world.owner.get(path, { query: { cursor } })
    expect([other.status, other.body.error.code]).toEqual([422, 'invalid_cursor'])
  })

  test('rejects a query of more than 200 characters (422)', async () => {
    expect((await world.owner.get(path, { query: { query: 'x'.repeat(201) } })).status).toBe(422)
  })
})

describe('one template', () => {
  test.each(templates.map(({ id, slug }) => ({ id, slug })))('$slug is found by its id', async ({ id, slug }) => {
    const { status, body } = await world.owner.get(`${path}/${id}`)
    expect([status, body.data.id, body.data.slug]).toEqual([200, id, slug])
  })

  test.each([newId('tpl'), 'support-desk', 'nonsense'])('%s returns 404', async (id) => {
    expect((await world.owner.get(`${path}/${id}`)).status).toBe(404)
  })
})

describe('the catalogue can be read', () => {
  test('by a member without any grant', async () => {
    const member = world.keyOf(world.user('member'))
    expect((await member.get(path)).status).toBe(200)
    expect((await member.get(`${path}/${templates[0]?.id}`)).status).toBe(200)
  })

  test.each([
    ['templates:search', ''],
    ['templates:read', `/${templates[0]?.id}`],
  ])('not without %s (403)', async (permission, below) => {
    const key = world.keyOf(world.ownerId, { operations: ['agents:get'] })
    const { status, body } = await key.get(path + below)
    expect([status, body.error.details]).toEqual([403, { permission }])
  })
})

describe('a Project from a template', () => {
  test.each(templates.map((template) => ({ slug: template.slug, template })))(
    '$slug has its Agents as revision 1, and its delegates refer to them',
    async ({ template }) => {
      const created = await world.owner.post('/api/v1/projects', {
        slug: `from-${template.slug}`,
        name: template.name,
        templateId: template.id,
      })
      expect(created.status).toBe(201)
      const agentsPath = `/api/v1/projects/${created.body.data.id}/agents`
      const { body } = await world.owner.get(agentsPath)
      const agents = body.data.items as { id: string; slug: string; latestRevisionId: string }[]
      const ids = new Map(agents.map(({ slug, id }) => [slug, id]))
      expect([...ids.keys()].sort()).toEqual(template.agents.map(({ slug }) => slug).sort())

      for (const { slug, content, ...rest } of template.agents) {
        const agent = agents.find((one) => one.slug === slug)!
        expect(agent).toMatchObject({ name: rest.name, description: rest.description, status: 'active' })
        const revision = await world.owner.get(`${agentsPath}/${agent.id}/revisions/${agent.latestRevisionId}`)
        expect(revision.body.data).toMatchObject({
          number: 1,
          content: contentOf(content, (named) => ids.get(named)!),
          grantedOperations: rest.grantedOperations,
          createdBy: { type: 'apiKey' },
        })

        // the same content, sent again by an author, is valid and has the same digest
        const again = await world.owner.post(`${agentsPath}/${agent.id}/revisions`, {
          content: revision.body.data.content,
          grantedOperations: rest.grantedOperations,
        })
        expect([again.status, again.body.data.number]).toEqual([201, 2])
        expect(again.body.data.contentDigest).toBe(revision.body.data.contentDigest)
      }
    },
  )

  test.each(templates.map((template) => ({ slug: template.slug, template })))(
    '$slug has its Definitions as revision 1, valid as if sent by an author',
    async ({ template }) => {
      const body = { slug: `defined-${template.slug}`, name: template.name, templateId: template.id }
      const project = `/api/v1/projects/${(await world.owner.post('/api/v1/projects', body)).body.data.id}`
      const { items } = (await world.owner.get(`${project}/definitions`)).body.data
      expect(items.map(({ name }: { name: string }) => name).sort()).toEqual(
        template.definitions.map(({ name }) => name).sort(),
      )
      for (const { name, kind, description, source } of template.definitions) {
        const definition = items.find((item: { name: string }) => item.name === name)
        expect(definition).toMatchObject({ kind, description, status: 'active' })
        const revisions = `${project}/definitions/${definition.id}/revisions`
        const { body: copied } = await world.owner.get(`${revisions}/${definition.latestRevisionId}`)
        expect(copied.data).toMatchObject({ number: 1, createdBy: { type: 'apiKey' } })
        expect(copied.data.source).toEqual(JSON.parse(JSON.stringify(source)))

        const again = await world.owner.post(revisions, { source })
        expect([again.status, again.body.data.number]).toEqual([201, 2])
        expect(again.body.data.sourceDigest).toBe(copied.data.sourceDigest)

        const fresh = await world.owner.post(`${project}/definitions`, { name: `${name}-again`, kind, description })
        expect(fresh.status).toBe(201)
      }
    },
  )

  test('is created completely or not at all, however many are created concurrently', async () => {
    const template = templates.find(({ slug }) => slug === 'support-desk')!
    const counted = () =>
      ['projects', 'agents', 'agent_revisions', 'definitions', 'definition_revisions'].map(
        (table) => world.rows<{ n: number }>(`select count(*) as n from ${table}`)[0]!.n,
      )
    const before = counted()
    const body = { slug: 'once', name: 'Once', templateId: template.id }
    const replies = await Promise.all(Array.from({ length: 8 }, () => world.owner.post('/api/v1/projects', body)))
    expect(tallyStatuses(replies)).toEqual({ 201: 1, 409: 7 })
    const { agents, definitions } = template
    const added = counted().map((n, index) => n - before[index]!)
    expect(added).toEqual([1, agents.length, agents.length, definitions.length, definitions.length])
  })
})
