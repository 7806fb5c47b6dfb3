/** Issues of a plan: references, needs of Agents, and what is disabled. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { data, type Loose } from '../../support/world/replies.ts'
import { type ApplyWorld, manifestOf, openApplyWorld } from './world.ts'

let world: ApplyWorld
let organization = ''
beforeAll(async () => {
  world = await openApplyWorld()
  organization = `/api/v1/organizations/${world.ours}`
})
afterAll(() => world.stop())

const at = '/environments/development'
const http = { kind: 'http', settings: { baseUrl: 'https://shop.example.com' } }
const issuesOf = (plan: Loose): string[] => plan.issues.map(({ path }: Loose) => path).sort()
const withSection = (section: object): Loose => manifestOf({ environments: { development: section } })
const environmentOf = ({ projectId, environmentId }: Loose) =>
  `/api/v1/projects/${projectId}/environments/${environmentId}`
const needing = (manifest: Loose, ...bindings: object[]): Loose => {
  manifest.agents.clerk.content.bindings = bindings
  return manifest
}

describe('all at once', () => {
  test('unresolved references are reported beside invalid parts', async () => {
    const manifest = withSection({ variables: { S: { secret: true } }, connections: { odd: { kind: 'nonsense' } } })
    manifest.agents.clerk.content.tools[0].operation = 'orders.lose'
    manifest.agents.boss = {
      content: {
        instructions: 'Lead.',
        delegates: [{ name: 'x', description: 'x', agent: 'nobody' }],
        bindings: [{ bindingKey: 'TOKEN', kind: 'variable', required: true }],
      },
    }
    expect(issuesOf(await world.plan(manifest))).toEqual([
      '/agents/boss/content/delegates/0/agent',
      '/agents/clerk/content/tools/0/operation',
      '/agents/clerk/grantedOperations/0',
      `${at}/connections/odd/kind`,
      `${at}/connections/odd/settings`,
      `${at}/variables/S`,
      `${at}/variables/TOKEN`,
    ])
  })

  test('what refers to an invalid part is not reported again', async () => {
    const manifest = withSection({
      connections: { odd: { kind: 'http', settings: 'none', bind: [{ agent: 'clerk', bindingKey: 'shop' }] } },
      variables: { REGION: 'north' },
    })
    needing(
      manifest,
      { bindingKey: 'shop', kind: 'connection', required: true },
      { bindingKey: 'REGION', kind: 'variable', required: true },
    )
    manifest.definitions.orders.source.operations[0].inputSchema = { type: 'nonsense' }
    manifest.definitions.flow = {
      kind: 'workflow',
      source: { params: {}, steps: [{ id: 'find', operation: 'orders.find' }] },
    }
    const call = { type: 'http', connection: 'declared', method: 'GET', path: '/{{variables.ALSO}}' }
    const [operation] = manifestOf().definitions.orders.source.operations
    manifest.definitions.calls = { kind: 'operations', source: { operations: [{ ...operation, handler: call }] } }
    manifest.agents.boss = {
      content: {
        instructions: 'Lead.',
        maxSteps: 1_000,
        bindings: [
          { bindingKey: 'declared', kind: 'connection', required: true },
          { bindingKey: 'ALSO', kind: 'variable', required: true },
        ],
      },
    }
    manifest.agents.clerk.content.delegates = [{ name: 'boss', description: 'x', agent: 'boss' }]
    expect(issuesOf(await world.plan(manifest))).toEqual([
      '/agents/boss/content/maxSteps',
      '/definitions/orders/source/operations/0/inputSchema/type',
      `${at}/connections/odd/settings`,
      `${at}/variables/REGION`,
    ])
  })

  test.each<[string, (agents: Loose) => void, string]>([
    [
      'are more than a manifest may have',
      (agents) => Array.from({ length: 100 }, (_, n) => Object.assign(agents, { [`a${n}`]: agents.clerk })),
      '/agents',
    ],
    ['have a wrong name', (agents) => Object.assign(agents.clerk, { name: 5 }), '/agents/clerk/name'],
  ])('what refers to Agents that %s is not reported again', async (_, spoil, path) => {
    const bind = [{ agent: 'clerk', bindingKey: 'shop' }]
    const nightly = { agent: 'clerk', schedule: { cron: '0 3 * * *' }, query: 'Report.' }
    const manifest = withSection({
      connections: { shop: { ...http, bind } },
      models: { clerk: { model: 'm' } },
      jobs: { nightly },
    })
    spoil(manifest.agents)
    expect(issuesOf(await world.plan(manifest))).toEqual([path])
  })
})

test('a Connection of another kind than an Agent needs is an issue', async () => {
  const manifest = withSection({ connections: { store: { ...http, bind: [{ agent: 'clerk', bindingKey: 'db' }] } } })
  needing(manifest, { bindingKey: 'db', kind: 'connection', connectionKind: 'database', required: true })
  expect((await world.plan(manifest)).issues).toEqual([
    {
      path: `${at}/connections/store/kind`,
      message: 'The Agent clerk needs a Connection of kind database as db, and store is http.',
    },
  ])
})

test('a Connection that an Agent needs and that sends a credential must have one', async () => {
  const settings = { ...http.settings, auth: 'bearer' }
  const store = { kind: 'http', settings, bind: [{ agent: 'clerk', bindingKey: 'db' }] }
  const binding = { bindingKey: 'db', kind: 'connection', connectionKind: 'http' }
  const manifest = needing(withSection({ connections: { store } }), { ...binding, required: true })
  expect((await world.plan(manifest)).issues).toEqual([
    {
      path: `${at}/connections/store/credential`,
      message: expect.stringContaining('The Agent clerk needs the Connection store, whose settings have auth'),
    },
  ])
  expect((await world.plan(needing(manifest, { ...binding, required: false }))).issues).toEqual([])
  const label = 'Key of the store'
  const credential = { label, provider: 'custom', credentialType: 'api_key', secret: 'hunter2-secret' }
  await data(world.owner.post(`${organization}/provider-credentials`, credential))
  manifest.environments.development.connections.store.credential = label
  expect((await world.plan(needing(manifest, { ...binding, required: true }))).issues).toEqual([])
})

test('an issue names another place by its path in the manifest', async () => {
  const manifest = manifestOf()
  const { content } = manifest.agents.clerk
  content.tools.push(content.tools[0])
  expect((await world.plan(manifest)).issues).toEqual([
    { path: '/agents/clerk/content/tools/1/name', message: 'Is the same as /agents/clerk/content/tools/0/name.' },
  ])
})

test('a limit of the Environment that the manifest would exceed is an issue, and nothing is written', async () => {
  const manifest = manifestOf()
  const path = environmentOf(await world.apply(manifest))
  const eventTypes = ['run.completed']
  const urlsOf = (name: string, count: number) =>
    Array.from({ length: count }, (_, index) => `https://${name}-${index}.example.com/`)
  for (const endpointUrl of urlsOf('old', 12))
    await data(world.owner.post(`${path}/webhooks`, { endpointUrl, eventTypes }))
  const webhooks = (count: number) => Object.fromEntries(urlsOf('new', count).map((url) => [url, { eventTypes }]))
  const adding = (count: number) => ({
    ...manifest,
    environments: { development: { variables: { REGION: { value: 'north' } }, webhooks: webhooks(count) } },
  })
  const refused = await world.begin(adding(9))
  expect([refused.status, refused.body.error.details.issues]).toEqual([
    422,
    [
      {
        path: '/environments/development/webhooks',
        message: 'An Environment has at most 20 webhooks: it has 12, and the manifest adds 9; delete some first.',
      },
    ],
  ])
  expect((await data<{ items: [] }>(world.owner.get(`${path}/variables`))).items).toEqual([])
  expect((await world.plan(adding(8))).issues).toEqual([])
})

test('a disabled credential is an issue wherever it is named', async () => {
  const path = `${organization}/provider-credentials`
  const credential = { provider: 'openai', credentialType: 'api_key', secret: 'x' }
  for (const label of ['of models', 'of shops']) {
    const { id } = await data(world.owner.post(path, { ...credential, label }))
    await data(world.owner.patch(`${path}/${id}`, { status: 'disabled' }))
  }
  const plan = await world.plan(
    withSection({
      connections: { shop: { ...http, settings: { ...http.settings, auth: 'bearer' }, credential: 'of shops' } },
      models: { clerk: { provider: 'openai', credential: 'of models' } },
    }),
  )
  expect(issuesOf(plan)).toEqual([`${at}/connections/shop/credential`, `${at}/models/clerk/credential`])
  expect(plan.issues[0].message).toContain('disabled')
})

describe('{secret: true}', () => {
  const secret = { development: { variables: { TOKEN: { secret: true } } } }
  const required = { bindingKey: 'TOKEN', kind: 'variable', required: true }

  test('of a disabled variable is an issue', async () => {
    const manifest = needing(withSection({ variables: { TOKEN: { value: 'x' } } }), required)
    const path = `${environmentOf(await world.apply(manifest))}/variables`
    const { items } = await data<Loose>(world.owner.get(path))
    await data(world.owner.patch(`${path}/${items[0].id}`, { status: 'disabled' }))
    const { issues } = await world.plan({ ...manifest, environments: secret })
    expect(issues).toEqual([{ path: `${at}/variables/TOKEN`, message: expect.stringContaining('disabled') }])
  })

  test('is met by a variable of an Agent, for that Agent only', async () => {
    const manifest = manifestOf()
    manifest.agents.boss = { content: { instructions: 'Lead.' } }
    const applied = await world.apply(manifest)
    const { items } = await data<Loose>(world.owner.get(`/api/v1/projects/${applied.projectId}/agents`))
    const { id: agentId } = items.find(({ slug }: Loose) => slug === 'clerk')
    const bound = { name: 'TOKEN', value: 'of the clerk', agentId, bindingKey: 'TOKEN' }
    await data(world.owner.post(`${environmentOf(applied)}/variables`, bound))
    const asked = needing({ ...structuredClone(manifest), environments: secret }, required)
    expect((await world.plan(asked)).issues).toEqual([])
    asked.agents.boss.content.bindings = [required]
    expect(issuesOf(await world.plan(asked))).toEqual([`${at}/variables/TOKEN`])
  })
})

test('a variable of the manifest leaves one of the same name that is bound to an Agent', async () => {
  const manifest = manifestOf()
  const applied = await world.apply(manifest)
  const path = `${environmentOf(applied)}/variables`
  const { items } = await data<Loose>(world.owner.get(`/api/v1/projects/${applied.projectId}/agents`))
  const bound = { name: 'REGION', value: 'of the clerk', agentId: items[0].id, bindingKey: 'REGION' }
  const { id, valueDigest } = await data(world.owner.post(path, bound))
  const more = { ...manifest, environments: { development: { variables: { REGION: { value: 'of all' } } } } }
  expect(world.changesOf(await world.plan(more))).toContain('create variable REGION')
  await world.apply(more)
  expect(await data<Loose>(world.owner.get(`${path}/${id}`))).toMatchObject({ version: 1, valueDigest })
  const variables = await data<Loose>(world.owner.get(path))
  expect(variables.items.map(({ agentId }: Loose) => agentId)).toEqual([null, items[0].id])
  expect(world.changesOf(await world.plan(more))).toEqual([])
})
