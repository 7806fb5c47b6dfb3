/** What `prune` removes, leaves and refuses. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { data, dataOf, type Loose, verdict } from '../../support/world/replies.ts'
import { type ApplyWorld, manifestOf, openApplyWorld } from './world.ts'

let world: ApplyWorld
beforeAll(async () => {
  world = await openApplyWorld()
})
afterAll(() => world.stop())

const production = { environment: 'production' }
const prune = { prune: true }
const jobOf = (agent: string) => ({ agent, schedule: { cron: '0 0 1 1 *' }, query: 'Sum up.' })

/** A manifest with a second Agent and Definition, and the same without them. */
function two(environments: object = {}): [Loose, Loose] {
  const less = manifestOf({ environments })
  const more = structuredClone(less)
  more.definitions.stock = structuredClone(less.definitions.orders)
  more.agents.boss = {
    content: {
      instructions: 'Lead.',
      tools: [{ kind: 'operation', name: 'find', operation: 'stock.find' }],
    },
  }
  return [more, less]
}
const itemsOf = async (path: string): Promise<Loose[]> => (await data<Loose>(world.owner.get(path))).items
const slugsOf = async (projectId: string): Promise<string[]> =>
  (await itemsOf(`/api/v1/projects/${projectId}/agents`))
    .filter(({ status }) => status === 'active')
    .map(({ slug }) => slug)
    .sort()

test('prune leaves what another Environment still uses, and the last one removes it', async () => {
  const [more, less] = two()
  const { projectId } = await world.apply(more)
  await world.apply(more, production)
  const plan = await world.plan(less, prune)
  expect(plan.issues).toEqual([])
  const removals = plan.changes.filter(({ action }: Loose) => action === 'remove')
  // of the Environment, not of the Project
  expect(removals.map(({ kind, name, environment }: Loose) => [kind, name, environment])).toEqual([
    ['agent', 'boss', 'development'],
    ['definition', 'stock', 'development'],
  ])
  const apply = await world.apply(less, prune)
  const release = await data<Loose>(world.owner.get(`/api/v1/projects/${projectId}/releases/${apply.releaseId}`))
  expect([release.agents, release.definitions].map((pins) => pins.length)).toEqual([1, 1])
  expect(await slugsOf(projectId)).toEqual(['boss', 'clerk'])
  expect(world.changesOf(await world.plan(less, prune))).toEqual([])

  const last = await world.apply(less, { ...production, ...prune })
  expect(last.plan.changes.filter(({ action }: Loose) => action === 'remove')).toMatchObject([
    { kind: 'agent', name: 'boss', environment: null },
    { kind: 'definition', name: 'stock', environment: null },
  ])
  expect(await slugsOf(projectId)).toEqual(['clerk'])
})

test('a roll-back to a Release with a pruned Agent is refused, and names it', async () => {
  const [more, less] = two()
  const { projectId, environmentId } = await world.apply(more)
  const agents = await itemsOf(`/api/v1/projects/${projectId}/agents`)
  const { id } = agents.find(({ slug }) => slug === 'boss')!
  await world.apply(less, prune)
  expect(await slugsOf(projectId)).toEqual(['clerk'])
  const environment = `/api/v1/projects/${projectId}/environments/${environmentId}`
  const refused = await world.owner.post(`${environment}/rollback`, {})
  expect([...verdict(refused), refused.body.error.details?.issues]).toEqual([
    422,
    'plan_has_issues',
    [{ path: '/steps', message: expect.stringContaining(id) }],
  ])
})

test('an enabled job of a pruned Agent is an issue that names it', async () => {
  const [more, less] = two()
  more.environments = { development: { jobs: { nightly: jobOf('boss') } } }
  const { projectId, environmentId } = await world.apply(more)
  const { issues } = await world.plan(less, prune)
  expect(issues).toEqual([{ path: '/agents/boss', message: expect.stringContaining('its job nightly is enabled') }])
  expect(verdict(await world.begin(less, prune))).toEqual([422, 'plan_has_issues'])
  const path = `/api/v1/projects/${projectId}/environments/${environmentId}/agent-jobs`
  const [job] = await itemsOf(path)
  await data(world.owner.patch(`${path}/${job!.id}`, { enabled: false }))
  await world.apply(less, prune)
  expect(await slugsOf(projectId)).toEqual(['clerk'])
})

test('an enabled job of another Environment keeps a pruned Agent', async () => {
  const [more, less] = two()
  const { projectId } = await world.apply(more)
  const environments = await itemsOf(`/api/v1/projects/${projectId}/environments`)
  const preview = `/api/v1/projects/${projectId}/environments/${environments[1]!.id}`
  const agents = await itemsOf(`/api/v1/projects/${projectId}/agents`)
  const { id } = agents.find(({ slug }) => slug === 'boss')!
  await data(world.owner.patch(preview, { lifecycle: 'active', expectedLifecycle: 'provisioning' }))
  const { agent: _, ...job } = jobOf('boss')
  await data(world.owner.post(`${preview}/agent-jobs`, { ...job, name: 'nightly', agentId: id }))
  await world.apply(less, prune)
  expect(await slugsOf(projectId)).toEqual(['boss', 'clerk'])
})

test('what the manifest still names for a pruned Agent is an issue', async () => {
  const [more, less] = two()
  const shop = { kind: 'http', settings: { baseUrl: 'https://shop.example.com' } }
  const section = {
    jobs: { nightly: jobOf('boss') },
    models: { boss: { provider: 'openai' } },
    connections: { shop: { ...shop, bind: [{ agent: 'boss', bindingKey: 'shop' }] } },
  }
  await world.apply({ ...more, environments: { development: section } })
  const { issues } = await world.plan({ ...less, environments: { development: section } }, prune)
  const at = '/environments/development'
  expect(issues.map(({ path }: Loose) => path)).toEqual(
    expect.arrayContaining([`${at}/connections/shop/bind/0/agent`, `${at}/models/boss`, `${at}/jobs/nightly/agent`]),
  )
})

test('a pruned Connection or variable that an Agent needs is an issue', async () => {
  const manifest = manifestOf()
  manifest.agents.clerk.content.bindings = [
    { bindingKey: 'shop', kind: 'connection', required: true },
    { bindingKey: 'TOKEN', kind: 'variable', required: true },
  ]
  const connections = { shop: { kind: 'http', settings: { baseUrl: 'https://shop.example.com' } } }
  await world.apply({
    ...manifest,
    environments: { development: { connections, variables: { TOKEN: { value: 'x' } } } },
  })
  expect((await world.plan(manifest)).issues).toEqual([])
  const { issues } = await world.plan(manifest, prune)
  expect(issues.map(({ path }: Loose) => path)).toEqual([
    '/environments/development/connections/shop',
    '/environments/development/variables/TOKEN',
  ])
})

test('a resource that came into use after the plan is left, and the Apply is applied', async () => {
  const [more, less] = two()
  const { projectId, environmentId } = await world.apply(more)
  const agents = await itemsOf(`/api/v1/projects/${projectId}/agents`)
  const { id: agentId } = agents.find(({ slug }) => slug === 'boss')!
  // no runner takes it, so it stays
  const { id } = dataOf(await world.owner.post('/api/v1/agent-runs', { agentId, environmentId, query: 'Hello' }))
  const apply = await world.apply(less, prune)
  expect(world.changesOf(apply.plan)).toContain('remove agent boss')
  expect(await slugsOf(projectId)).toEqual(['boss', 'clerk'])
  await data(world.owner.post(`/api/v1/agent-runs/${id}/cancel`, {}))
  await world.apply(less, prune)
  expect(await slugsOf(projectId)).toEqual(['clerk'])
})
