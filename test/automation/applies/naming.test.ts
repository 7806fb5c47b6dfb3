/** Names of a manifest, and its export. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { data, type Loose } from '../../support/world/replies.ts'
import { type ApplyWorld, manifestOf, openApplyWorld } from './world.ts'

let world: ApplyWorld
beforeAll(async () => {
  world = await openApplyWorld()
  await data(world.owner.post(`/api/v1/organizations/${world.ours}/variables`, { name: 'SHARED', value: 'one' }))
})
afterAll(() => world.stop())

const http = { kind: 'http', settings: { baseUrl: 'https://a.example.com' } }
const exportOf = ({ projectId }: Loose): Promise<Loose> =>
  data(world.owner.get(`/api/v1/projects/${projectId}/manifest?environment=development`))
const itemsAt = async (path: string): Promise<Loose[]> => (await data<Loose>(world.owner.get(path))).items

test('names of the Project and of Agents are stored without spaces around them', async () => {
  const manifest = manifestOf()
  manifest.project.name = '  Shop '
  manifest.agents.clerk.name = ' Clerk  '
  const { projectId } = await world.apply(manifest)
  expect(await data<Loose>(world.owner.get(`/api/v1/projects/${projectId}`))).toMatchObject({ name: 'Shop' })
  expect(await itemsAt(`/api/v1/projects/${projectId}/agents`)).toMatchObject([{ name: 'Clerk' }])
  expect(world.changesOf(await world.plan(manifest))).toEqual([])
})

test('a Connection whose name is too long with a binding is an issue', async () => {
  const name = 'n'.repeat(200)
  const bind = ['clerk', 'boss'].map((agent) => ({ agent, bindingKey: 'shop' }))
  const manifest = manifestOf({ environments: { development: { connections: { [name]: { ...http, bind } } } } })
  manifest.agents.boss = { content: { instructions: 'Lead.' } }
  expect((await world.plan(manifest)).issues).toEqual([
    {
      path: `/environments/development/connections/${name}/bind/1`,
      message: expect.stringContaining('at most 200 characters'),
    },
  ])
})

test('__proto__ is a name like any other', async () => {
  const { definitions, agents, ...manifest } = manifestOf()
  const job = { agent: 'clerk', schedule: { cron: '0 3 * * *' }, query: 'Sum up.', enabled: false }
  // a literal would set the prototype
  const named = (each: object) => Object.fromEntries([['__proto__', each]])
  agents.clerk.content.tools[0].operation = '__proto__.find'
  const apply = await world.apply({
    ...manifest,
    definitions: named(definitions.orders),
    agents,
    environments: { development: { connections: named(http), jobs: named(job) } },
  })
  const exported = await exportOf(apply)
  expect(Object.keys(exported.definitions)).toEqual(['__proto__'])
  const { connections, jobs } = exported.environments.development
  expect([connections, jobs].map((each) => Object.keys(each))).toEqual([['__proto__'], ['__proto__']])
  const plan = await world.plan(exported, { prune: true })
  expect([plan.issues, world.changesOf(plan)]).toEqual([[], []])
})

test('an export has the configuration that is active, not what was changed since', async () => {
  const manifest = manifestOf({
    environments: {
      development: {
        connections: { shop: http },
        variables: { SHARED: { fromOrganization: 'SHARED' }, TOKEN: { value: 'x' } },
        models: { clerk: { provider: 'openai', model: 'gpt-5.5' } },
      },
    },
  })
  const apply = await world.apply(manifest)
  const exported = await exportOf(apply)
  const path = `/api/v1/projects/${apply.projectId}/environments/${apply.environmentId}`
  const [connection] = await itemsAt(`${path}/connections`)
  const version = { settings: { baseUrl: 'https://b.example.com' } }
  await data(world.owner.patch(`${path}/connections/${connection!.id}`, { version }))
  await data(world.owner.post(`${path}/connections`, { ...http, name: 'later' }))
  const variables = await itemsAt(`${path}/variables`)
  const shared = variables.find(({ name }) => name === 'SHARED')
  await data(world.owner.patch(`${path}/variables/${shared!.id}`, { value: 'of its own' }))
  const [agent] = await itemsAt(`/api/v1/projects/${apply.projectId}/agents`)
  const settings = `${path}/agents/${agent!.id}/provider-settings`
  const [model] = await itemsAt(settings)
  await data(world.owner.patch(`${settings}/${model!.settingId}`, { model: 'gpt-5.5-mini' }))
  expect(await exportOf(apply)).toEqual(exported)
  expect(exported.environments.development).toMatchObject({
    connections: { shop: http },
    variables: { SHARED: { fromOrganization: 'SHARED', version: 1 }, TOKEN: { secret: true } },
    models: { clerk: { provider: 'openai', model: 'gpt-5.5' } },
  })
  // and applying it makes that the configuration again
  const again = await world.apply(exported)
  const [deployed, first] = await Promise.all(
    [again, apply].map(({ deploymentId }) => data<Loose>(world.owner.get(`${path}/deployments/${deploymentId}`))),
  )
  expect(deployed!.releaseId).toBe(first!.releaseId)
  expect(await exportOf(apply)).toMatchObject(exported)
})

test('an export leaves out what is for Agents that it does not contain, so that it can be applied elsewhere', async () => {
  const { projectId, environmentId } = await world.apply(
    manifestOf({ environments: { development: { connections: { shop: http } } } }),
  )
  const project = `/api/v1/projects/${projectId}`
  const path = `${project}/environments/${environmentId}`
  // an Agent that is not deployed, with its own configuration
  const { id: agentId } = await data(world.owner.post(`${project}/agents`, { slug: 'later', name: 'Later' }))
  await data(world.owner.post(`${project}/agents/${agentId}/revisions`, { content: { instructions: 'Wait.' } }))
  await data(world.owner.post(`${path}/connections`, { ...http, name: 'its own', agentId, bindingKey: 'its' }))
  const settings = { provider: 'openai', model: 'gpt-5.5' }
  await data(world.owner.post(`${path}/agents/${agentId}/provider-settings`, settings))
  const job = { name: 'nightly', agentId, schedule: { cron: '0 3 * * *' }, query: 'Sum up.', enabled: false }
  await data(world.owner.post(`${path}/agent-jobs`, job))
  await world.apply(await exportOf({ projectId }))
  const exported = await exportOf({ projectId })
  expect(exported.environments.development).toEqual({
    variables: {},
    connections: { shop: http },
    models: {},
    jobs: {},
    webhooks: {},
  })
  const copy = await world.apply({ ...exported, project: manifestOf().project })
  const { project: _, ...same } = exported
  expect(await exportOf(copy)).toMatchObject(same)
})
