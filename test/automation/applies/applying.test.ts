import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { data, dataOf, type Loose, verdict } from '../../support/world/replies.ts'
import { type ApplyWorld, manifestOf, openApplyWorld } from './world.ts'

let world: ApplyWorld
beforeAll(async () => {
  world = await openApplyWorld()
  const credential = { label: 'shop key', provider: 'custom', credentialType: 'api_key', secret: 'very secret' }
  const model = { label: 'openai key', provider: 'openai', credentialType: 'api_key', secret: 'sk-secret' }
  const path = `/api/v1/organizations/${world.ours}`
  await data(world.owner.post(`${path}/provider-credentials`, credential))
  await data(world.owner.post(`${path}/provider-credentials`, model))
  await data(world.owner.post(`${path}/variables`, { name: 'SHARED', value: 'of all' }))
})
afterAll(() => world.stop())

/** A manifest with everything that it can contain. */
const everything = () => {
  const manifest = manifestOf()
  manifest.agents.boss = {
    content: {
      instructions: 'Hand it on.',
      delegates: [{ name: 'clerk', description: 'Knows orders.', agent: 'clerk' }],
    },
  }
  manifest.environments = {
    development: {
      variables: { REGION: { value: 'north' }, SHARED_TOKEN: { fromOrganization: 'SHARED' } },
      connections: {
        shop: {
          kind: 'http',
          settings: { baseUrl: 'https://shop.example.com', auth: 'bearer' },
          credential: 'shop key',
          bind: [
            { agent: 'clerk', bindingKey: 'shop' },
            { agent: 'boss', bindingKey: 'shop' },
          ],
        },
        stock: { kind: 'http', settings: { baseUrl: 'https://stock.example.com' } },
      },
      models: {
        clerk: { provider: 'openai', model: 'gpt-5.5', settings: { temperature: 0.2 }, credential: 'openai key' },
      },
      jobs: { nightly: { agent: 'clerk', schedule: { cron: '0 3 * * *' }, query: 'Sum up.', enabled: false } },
      webhooks: { 'https://hooks.example.com/troupe': { eventTypes: ['run.completed', 'run.failed'] } },
    },
  }
  return manifest
}

const counted = [
  'agents',
  'agent_revisions',
  'definitions',
  'definition_revisions',
  'variables',
  'variable_versions',
  'connections',
  'connection_versions',
  'provider_settings',
  'agent_jobs',
  'webhooks',
  'releases',
  'configuration_revisions',
  'deployments',
  'activations',
  'projects',
]
const countsOf = (): string[] =>
  counted.map((table) => `${table} ${world.rows<{ n: number }>(`select count(*) as n from ${table}`)[0]!.n}`)

test('a manifest creates a Project with a deployed Agent', async () => {
  const manifest = manifestOf()
  const apply = await world.apply(manifest, { description: 'The first one.' })
  const [development] = await world.environmentsOf(apply)
  expect(development).toMatchObject({ id: apply.environmentId, lifecycle: 'active', generation: 1 })
  expect(development.activeDeploymentId).toBe(apply.deploymentId)
  expect(world.changesOf(apply.plan)).toEqual([
    `create project ${manifest.project.slug}`,
    'update environment development',
    'create definition orders',
    'create agent clerk',
  ])
  const moves = await data<Loose>(world.owner.get(`/api/v1/applies/${apply.id}/transitions`))
  const states = ['planned', 'writing', 'releasing', 'configuring', 'deploying', 'activating', 'applied']
  expect(moves.items.map(({ to }: Loose) => to)).toEqual(states)
  const release = await data<Loose>(world.owner.get(`/api/v1/projects/${apply.projectId}/releases/${apply.releaseId}`))
  expect(release.description).toBe('The first one.')
  const run = await world.owner.post('/api/v1/agent-runs', {
    agentId: release.agents[0].agentId,
    environmentId: apply.environmentId,
    query: 'Where is my order?',
  })
  expect(dataOf(run)).toMatchObject({ agentRevisionId: release.agents[0].agentRevisionId })
})

test('an Agent is granted what its tools need, unless the manifest sets grants', async () => {
  const manifest = manifestOf()
  manifest.agents.other = { ...manifest.agents.clerk, grantedOperations: ['orders.find', 'agent-runs:get'] }
  const { projectId, releaseId } = await world.apply(manifest)
  const { agents } = await data<Loose>(world.owner.get(`/api/v1/projects/${projectId}/releases/${releaseId}`))
  const granted: string[][] = []
  for (const { agentId, agentRevisionId } of agents) {
    const path = `/api/v1/projects/${projectId}/agents/${agentId}/revisions/${agentRevisionId}`
    granted.push((await data<Loose>(world.owner.get(path))).grantedOperations)
  }
  expect(granted.sort((one, other) => one.length - other.length)).toEqual([
    ['orders.find'],
    ['orders.find', 'agent-runs:get'],
  ])
})

describe('a manifest with everything', () => {
  const manifest = everything()
  let first: Loose
  let path = ''
  beforeAll(async () => {
    first = await world.apply(manifest)
    path = `/api/v1/projects/${first.projectId}/environments/${first.environmentId}`
  })
  const items = async (of: string): Promise<Loose[]> => (await data<Loose>(world.owner.get(`${path}/${of}`))).items

  test('creates all its parts', async () => {
    expect((await items('variables')).map(({ name }) => name).sort()).toEqual(['REGION', 'SHARED_TOKEN'])
    const connections = await items('connections')
    expect(connections.map(({ name, bindingKey }) => `${name}: ${bindingKey}`).sort()).toEqual([
      'shop (boss/shop): shop',
      'shop: shop',
      'stock: null',
    ])
    expect(await items('webhooks')).toMatchObject([{ eventTypes: ['run.completed', 'run.failed'], enabled: true }])
    expect(await items('agent-jobs')).toMatchObject([
      { name: 'nightly', enabled: false, schedule: { timezone: 'UTC' } },
    ])
    const clerk = connections.find(({ name }) => name === 'shop').agentId
    expect(await items(`agents/${clerk}/provider-settings`)).toMatchObject([
      { provider: 'openai', model: 'gpt-5.5', settings: { temperature: 0.2 } },
    ])
  })

  test('leaves an audit line for each part, under the name of the caller who applied it', async () => {
    const events = await data<Loose>(world.owner.get(`/api/v1/organizations/${world.ours}/audit-events?limit=100`))
    const lines = events.items.map(({ operation }: Loose) => operation)
    for (const operation of [
      'createProject',
      'createApply',
      'createAgent',
      'createAgentRevision',
      'createDefinition',
      'createVariable',
      'createConnection',
      'createProviderSetting',
      'createAgentJob',
      'createWebhook',
      'createRelease',
      'createDeployment',
      'createActivation',
    ]) {
      expect(lines).toContain(operation)
    }
  })

  test('when applied again, ends immediately and writes nothing', async () => {
    const before = countsOf()
    const again = dataOf(await world.begin(manifest))
    expect(again).toMatchObject({ state: 'applied', releaseId: first.releaseId, deploymentId: first.deploymentId })
    expect(again.activationId).toBeNull()
    expect(world.changesOf(again.plan)).toEqual([])
    expect(countsOf()).toEqual(before)
  })

  test('is exported as it was applied, and the export changes nothing', async () => {
    const exported = await data<Loose>(
      world.owner.get(`/api/v1/projects/${first.projectId}/manifest?environment=development`),
    )
    const { variables, ...section } = manifest.environments.development
    expect(exported.environments.development).toMatchObject({
      ...section,
      variables: { REGION: { secret: true }, SHARED_TOKEN: { ...variables.SHARED_TOKEN, version: 1 } },
    })
    expect(exported.agents.boss).toEqual({ name: 'boss', ...manifest.agents.boss })
    const plan = await world.plan(exported, { prune: true })
    expect(plan.issues).toEqual([])
    expect(world.changesOf(plan)).toEqual([])
  })

  test('changes what differs, and nothing else', async () => {
    const changed = structuredClone(manifest)
    const { development } = changed.environments
    development.variables.REGION = { value: 'south' }
    development.connections.shop.settings.baseUrl = 'https://new-shop.example.com'
    development.connections.shop.bind.pop()
    development.models.clerk.model = 'gpt-5.5-mini'
    development.jobs.nightly.query = 'Sum up briefly.'
    development.webhooks['https://hooks.example.com/troupe'].eventTypes = ['run.failed']
    changed.agents.clerk.content.instructions = 'Answer in one sentence.'
    changed.definitions.orders.description = 'Orders of the shop.'
    const plan = await world.plan(changed)
    const differences = Object.fromEntries(
      plan.changes
        .filter(({ action }: Loose) => action !== 'unchanged')
        .map(({ action, kind, name, differences }: Loose) => [
          `${action} ${kind} ${name}`,
          differences.map(({ path }: Loose) => path),
        ]),
    )
    expect(differences).toEqual({
      'update definition orders': ['/description'],
      'revise agent clerk': ['/content/instructions'],
      'update variable REGION': ['/value'],
      'update connection shop': ['/settings/baseUrl'],
      'update model clerk': ['/model'],
      'update job nightly': ['/query'],
      'update webhook https://hooks.example.com/troupe': ['/eventTypes'],
    })
    expect(JSON.stringify(plan)).not.toContain('south')
    const apply = await world.apply(changed)
    expect(apply.releaseId).not.toBe(first.releaseId)
    expect(world.changesOf(await world.plan(changed))).toEqual([])
    expect((await items('agent-jobs'))[0]).toMatchObject({ query: 'Sum up briefly.' })
  })
})

test('reverts manual changes', async () => {
  const manifest = everything()
  const { projectId, environmentId } = await world.apply(manifest)
  const path = `/api/v1/projects/${projectId}/environments/${environmentId}`
  const { items } = await data<Loose>(world.owner.get(`${path}/variables?name=REGION`))
  await data(world.owner.patch(`${path}/variables/${items[0].id}`, { value: 'by hand', status: 'disabled' }))
  const plan = await world.plan(manifest)
  expect(world.changesOf(plan)).toEqual(['update environment development', 'update variable REGION'])
  await world.apply(manifest)
  expect(world.changesOf(await world.plan(manifest))).toEqual([])
})

test('without an Activation it ends with a ready Deployment, and finds it again', async () => {
  const manifest = manifestOf()
  const first = await world.apply(manifest, { activate: false })
  expect([typeof first.deploymentId, first.activationId]).toEqual(['string', null])
  const [development] = await world.environmentsOf(first)
  expect(development).toMatchObject({ lifecycle: 'active', generation: 0, activeDeploymentId: null })
  const before = countsOf()
  const again = await world.apply(manifest, { activate: false })
  expect(again.deploymentId).toBe(first.deploymentId)
  expect(countsOf()).toEqual(before)
  const active = await world.apply(manifest)
  expect(active).toMatchObject({ deploymentId: first.deploymentId, activationId: expect.stringMatching(/^act_/) })
})

test('prune deletes what an Apply created', async () => {
  const manifest = everything()
  const { projectId, environmentId } = await world.apply(manifest)
  const path = `/api/v1/projects/${projectId}/environments/${environmentId}`
  await data(world.owner.post(`${path}/variables`, { name: 'BY_HAND', value: 'stays' }))
  const less = structuredClone(manifest)
  less.agents.boss = undefined
  less.environments.development = { connections: { stock: manifest.environments.development.connections.stock } }
  // without prune all of it stays
  expect(world.changesOf(await world.plan(less))).toEqual(['update environment development'])
  const plan = await world.plan(less, { prune: true })
  const removals = [
    'agent boss',
    'connection shop',
    'connection shop (boss/shop)',
    'variable REGION',
    'variable SHARED_TOKEN',
  ]
  const removed = world.changesOf(plan).filter((change: string) => change.startsWith('remove'))
  expect(removed.sort()).toEqual(removals.map((each) => `remove ${each}`))
  await world.apply(less, { prune: true })
  const variables = await data<Loose>(world.owner.get(`${path}/variables`))
  expect(variables.items.map(({ name }: Loose) => name)).toEqual(['BY_HAND'])
  const connections = await data<Loose>(world.owner.get(`${path}/connections`))
  const active = connections.items.filter(({ status }: Loose) => status === 'active')
  expect(active.map(({ name }: Loose) => name)).toEqual(['stock'])
  const agents = await data<Loose>(world.owner.get(`/api/v1/projects/${projectId}/agents`))
  const there = agents.items.filter(({ status }: Loose) => status === 'active')
  expect(there.map(({ slug }: Loose) => slug)).toEqual(['clerk'])
  expect(world.changesOf(await world.plan(less, { prune: true }))).toEqual([])
})

test('prune requires an Activation', async () => {
  const reply = await world.begin(manifestOf(), { prune: true, activate: false })
  expect(verdict(reply)).toEqual([422, 'validation_failed'])
})
