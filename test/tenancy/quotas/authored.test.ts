/** The limits of Projects and Agents of an organization's plan, also under concurrent requests. Source: contract 1. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eventually } from '../../support/process.ts'
import { atOnce, data, type Loose } from '../../support/world/replies.ts'
import { expectOnly, openWorld, type World } from './world.ts'

const [projects, agents] = [4, 3]

let world: World
beforeAll(async () => {
  world = await openWorld({ projects, agents })
})
afterAll(() => world?.stop())

const newProject = (slug: string, more: object = {}) =>
  world.owner.post('/api/v1/projects', { slug, name: slug, ...more })

test('plans show all their limits, including defaults', async () => {
  const { items } = await data<{ items: { limits: object }[] }>(world.owner.get('/api/v1/billing/plans'))
  expect(items[0]?.limits).toEqual({ projects, agents, liveRuns: 10_000, openStreams: 1_000, storedBytes: null })
})

test('of concurrently created Projects, as many succeed as there is room for', async () => {
  const replies = await atOnce(projects + 4, (index) => newProject(`at-once-${index}`))
  expectOnly(replies, projects, 'projects', projects)
  expect((await world.limits()).projects).toEqual({ used: projects, limit: projects })
  const { items } = await data<{ items: { id: string }[] }>(world.owner.get('/api/v1/projects'))
  expect(items).toHaveLength(projects)
})

test('a taken slug is still reported as such', async () => {
  const { items } = await data<{ items: { slug: string }[] }>(world.owner.get('/api/v1/projects'))
  expect(await newProject(items[0]!.slug)).toMatchObject({ status: 409, body: { error: { code: 'slug_taken' } } })
})

test('a removal makes room', async () => {
  const { items } = await data<{ items: { id: string }[] }>(world.owner.get('/api/v1/projects'))
  const path = `/api/v1/projects/${items[0]!.id}`
  await data(world.owner.delete(path))
  await eventually('the end of a Project', async () => {
    world.clock.advance(1_000)
    return (await world.owner.get(path)).status === 404
  })
  expectOnly(await atOnce(2, (index) => newProject(`again-${index}`)), 1, 'projects', projects)
})

test('Agents are counted over all Projects of the organization', async () => {
  const { items } = await data<{ items: { id: string }[] }>(world.owner.get('/api/v1/projects'))
  const create = (index: number) => {
    const project = items[index % items.length]!
    return world.owner.post(`/api/v1/projects/${project.id}/agents`, { slug: `agent-${index}`, name: 'Agent' })
  }
  expectOnly(await atOnce(agents + 5, create), agents, 'agents', agents)
  expect((await world.limits()).agents).toEqual({ used: agents, limit: agents })
})

test('a manifest that adds too many is refused by its plan, before anything is written', async () => {
  const { items } = await data<{ items: { id: string; slug: string }[] }>(world.owner.get('/api/v1/projects'))
  const [there] = items
  const agentsOf = async () => (await data(world.owner.get(`/api/v1/projects/${there!.id}/agents`))).items as Loose[]
  const manifestOf = (project: object, ...slugs: string[]) => ({
    version: 1,
    project,
    agents: Object.fromEntries(slugs.map((slug) => [slug, { content: { instructions: 'Help.' } }])),
  })
  const has = (await agentsOf()).map(({ slug }) => slug as string)
  const full = 'The organization has reached the limit of'
  const tooMany = { path: '/agents', message: expect.stringContaining(`${full} Agents in its Projects of its plan`) }
  const manifest = manifestOf({ slug: there!.slug }, ...has, 'one-more')
  const plan = (asked: object) =>
    world.owner.post('/api/v1/applies/plan', { manifest: asked, environment: 'development' })
  expect((await data(plan(manifest))).issues).toEqual([tooMany])
  const refused = await world.owner.post('/api/v1/applies', { manifest, environment: 'development' })
  expect([refused.status, refused.body.error.details.issues]).toEqual([422, [tooMany]])
  expect((await agentsOf()).map(({ slug }) => slug)).toEqual(has)
  expect((await data(plan(manifestOf({ slug: there!.slug }, ...has)))).issues).toEqual([])

  const elsewhere = manifestOf({ slug: 'one-too-many', name: 'One' }, 'one-more')
  const noProject = { path: '/project', message: expect.stringContaining(`${full} Projects of its plan`) }
  expect((await data(plan(elsewhere))).issues).toEqual([noProject, tooMany])
})

test('a template with too many Agents creates no Project', async () => {
  const { items } = await data<{ items: { id: string }[] }>(world.owner.get('/api/v1/projects'))
  const path = `/api/v1/projects/${items[0]!.id}`
  await data(world.owner.delete(path))
  await eventually('the end of a Project', async () => {
    world.clock.advance(1_000)
    return (await world.owner.get(path)).status === 404
  })
  const templates = await data<{ items: { id: string; agents: unknown[] }[] }>(world.owner.get('/api/v1/templates'))
  const { id: templateId } = templates.items.find((template) => template.agents.length > agents) ?? templates.items[0]!
  const has = (await world.limits()).agents!.used
  const fits = has + templates.items.find(({ id }) => id === templateId)!.agents.length <= agents
  expectOnly([await newProject('from-template', { templateId })], fits ? 1 : 0, 'agents', agents)
  expect((await world.limits()).projects!.used).toBe(fits ? projects : projects - 1)
})

test('another organization has separate limits', async () => {
  const foreigner = await world.foreigner()
  const create = (index: number) => foreigner.post('/api/v1/projects', { slug: `theirs-${index}`, name: 'Theirs' })
  expectOnly(await atOnce(projects + 1, create), projects, 'projects', projects)
})
