import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { data, dataOf, type Loose, verdict } from '../../support/world/replies.ts'
import { type ApplyWorld, manifestOf, openApplyWorld } from './world.ts'

let world: ApplyWorld
beforeAll(async () => {
  world = await openApplyWorld({ TROUPE_ALLOW_PRIVATE_ADDRESSES: 'false' })
})
afterAll(() => world.stop())

const issuesOf = (plan: Loose): string[] => plan.issues.map(({ path }: Loose) => path).sort()
const projects = () => world.rows<{ n: number }>('select count(*) as n from projects')[0]!.n

describe('a plan', () => {
  test('writes nothing', async () => {
    const before = projects()
    const plan = await world.plan(manifestOf())
    expect(plan.issues).toEqual([])
    expect(projects()).toBe(before)
    expect(world.rows('select * from applies where plan = ?', JSON.stringify(plan))).toEqual([])
  })

  test('reports the problems of all parts at once, with their places', async () => {
    const manifest = manifestOf()
    manifest.agents.clerk.content.maxSteps = 1_000
    manifest.agents.Boss = { content: { instructions: 'Lead.' } }
    manifest.definitions.orders.source.operations[0].inputSchema = { type: 'nonsense' }
    manifest.definitions.flow = { kind: 'workflow', source: { params: {}, steps: [] } }
    manifest.environments = {
      development: {
        variables: { A: { secret: true }, B: {}, C: { fromOrganization: 'NOBODY' }, D: { value: 'x', secret: true } },
        connections: {
          shop: { kind: 'http', settings: { baseUrl: 'http://10.0.0.1' }, credential: 'nobody' },
          bound: {
            kind: 'http',
            settings: { baseUrl: 'https://x.example.com' },
            bind: [{ agent: 'nobody', bindingKey: 'x' }],
          },
        },
        models: { clerk: { provider: 'openai', model: 'no-such-model', settings: { temperature: 'hot' } }, nobody: {} },
        jobs: { nightly: { agent: 'nobody', schedule: { cron: 'every night' }, query: ' ' } },
        webhooks: { 'ftp://x': { eventTypes: ['run.completed'] } },
      },
    }
    const plan = await world.plan(manifest)
    const at = '/environments/development'
    expect(issuesOf(plan)).toEqual(
      [
        '/agents/Boss',
        '/agents/clerk/content/maxSteps',
        '/definitions/flow/source/steps',
        '/definitions/orders/source/operations/0/inputSchema/type',
        `${at}/connections/bound/bind/0/agent`,
        `${at}/connections/shop/credential`,
        `${at}/connections/shop/settings/baseUrl`,
        `${at}/jobs/nightly/agent`,
        `${at}/jobs/nightly/query`,
        `${at}/jobs/nightly/schedule/cron`,
        `${at}/models/clerk/model`,
        `${at}/models/clerk/settings/temperature`,
        `${at}/models/nobody`,
        `${at}/variables/A`,
        `${at}/variables/B`,
        `${at}/variables/C/fromOrganization`,
        `${at}/variables/D`,
        `${at}/webhooks/ftp:~1~1x`,
      ].sort(),
    )
    const before = projects()
    const reply = await world.begin(manifest)
    expect(verdict(reply)).toEqual([422, 'plan_has_issues'])
    expect(issuesOf(reply.body.error.details)).toEqual(issuesOf(plan))
    expect(projects()).toBe(before)
  })

  test.each<[string, (manifest: Loose) => void, string[]]>([
    ['another version', (m) => (m.version = 2), ['/version']],
    ['no Project', (m) => (m.project = undefined), ['/project']],
    ['an unknown field', (m) => (m.extra = 1), ['/extra']],
    ['an unknown Environment', (m) => (m.environments = { staging: {} }), ['/environments/staging']],
    ['no Agent', (m) => (m.agents = undefined), ['/agents']],
    [
      'an unknown operation',
      (m) => (m.agents.clerk.content.tools[0].operation = 'orders.lose'),
      ['/agents/clerk/content/tools/0/operation', '/agents/clerk/grantedOperations/0'],
    ],
    [
      'an unknown delegate',
      (m) => (m.agents.clerk.content.delegates = [{ name: 'x', description: 'x', agent: 'nobody' }]),
      ['/agents/clerk/content/delegates/0/agent'],
    ],
    [
      'a Connection without configuration',
      (m) =>
        (m.definitions.orders.source.operations[0].handler = {
          type: 'http',
          connection: 'shop',
          method: 'GET',
          path: '/',
        }),
      ['/definitions/orders/source/operations/0/handler/connection'],
    ],
    [
      'an unmet requirement',
      (m) => (m.agents.clerk.content.bindings = [{ bindingKey: 'TOKEN', kind: 'variable', required: true }]),
      ['/environments/development/variables/TOKEN'],
    ],
  ])('reports %s', async (_, spoil, paths) => {
    const manifest = manifestOf()
    spoil(manifest)
    expect(issuesOf(await world.plan(manifest))).toEqual(paths)
  })

  test('never contains the value of a variable, but detects a different value', async () => {
    const manifest = manifestOf({ environments: { development: { variables: { TOKEN: { value: 'hunter2-value' } } } } })
    const plan = await world.plan(manifest)
    expect(JSON.stringify(plan)).not.toContain('hunter2')
    const apply = await world.apply(manifest)
    expect(JSON.stringify(apply)).not.toContain('hunter2')
    expect(JSON.stringify(world.rows('select * from applies'))).not.toContain('hunter2')
    expect(world.rows('select * from apply_manifests')).toEqual([])
    manifest.environments.development.variables.TOKEN.value = 'other'
    const other = await world.plan(manifest)
    manifest.environments.development.variables.TOKEN.value = 'third'
    expect((await world.plan(manifest)).digest).not.toBe(other.digest)
  })

  test('is not applied if it differs from the one that was reviewed', async () => {
    const manifest = manifestOf()
    const { digest } = await world.plan(manifest)
    manifest.agents.clerk.content.instructions = 'Something else.'
    const reply = await world.begin(manifest, { expectedPlanDigest: digest })
    expect(verdict(reply)).toEqual([409, 'plan_changed'])
    const { planDigest } = reply.body.error.details
    expect(planDigest).toBe((await world.plan(manifest)).digest)
    await world.apply(manifest, { expectedPlanDigest: planDigest })
  })

  test('a body that is not a manifest is rejected like any other invalid body', async () => {
    expect(verdict(await world.begin('version: 1'))).toEqual([422, 'validation_failed'])
    expect(verdict(await world.begin(manifestOf(), { environment: 'staging' }))).toEqual([422, 'validation_failed'])
  })
})

describe('one at a time', () => {
  /** A manifest with so many Agents that its Apply takes a while. */
  const large = () => {
    const manifest = manifestOf()
    for (let number = 0; number < 60; number += 1) {
      manifest.agents[`agent-${number}`] = { content: { instructions: `Help. ${number}` } }
    }
    return manifest
  }

  test('another Apply of the Environment is rejected, and one of another Environment is not', async () => {
    const manifest = large()
    const first = dataOf(await world.begin(manifest))
    const second = await world.begin({
      ...manifest,
      definitions: {},
      agents: { other: { content: { instructions: 'x' } } },
    })
    expect(verdict(second)).toEqual([409, 'apply_in_progress'])
    expect(second.body.error.details).toEqual({ applyId: first.id })
    expect((await world.ended(first.id)).state).toBe('applied')
  })

  test('a canceled Apply keeps the active Deployment, and the next one continues', async () => {
    const manifest = large()
    const served = await world.apply({ ...manifest, agents: { clerk: manifest.agents.clerk } })
    const { id } = dataOf(await world.begin(manifest))
    const canceled = dataOf(await world.owner.post(`/api/v1/applies/${id}/cancel`, {}))
    expect(canceled.state).toBe('canceled')
    expect(dataOf(await world.owner.post(`/api/v1/applies/${id}/cancel`, {})).state).toBe('canceled')
    expect(world.rows('select * from apply_manifests where apply_id = ?', id)).toEqual([])
    const [development] = await world.environmentsOf(served)
    expect(development.activeDeploymentId).toBe(served.deploymentId)
    await world.apply(manifest)
  })

  test('an ended Apply cannot be canceled', async () => {
    const { id } = await world.apply(manifestOf())
    expect(verdict(await world.owner.post(`/api/v1/applies/${id}/cancel`, {}))).toEqual([409, 'invalid_transition'])
  })

  test('two requests with one idempotency key start one Apply', async () => {
    const manifest = manifestOf()
    const body = { manifest, environment: 'development' }
    const headers = { 'idempotency-key': 'once' }
    const first = dataOf(await world.owner.post('/api/v1/applies', body, { headers }))
    await world.ended(first.id)
    // in another order it is the same request
    const reordered = { ...body, manifest: Object.fromEntries(Object.entries(manifest).reverse()) }
    expect(dataOf(await world.owner.post('/api/v1/applies', reordered, { headers })).id).toBe(first.id)
    const { items } = await data<Loose>(world.owner.get(`/api/v1/applies?projectId=${first.projectId}`))
    expect(items).toHaveLength(1)
  })
})

test('an Apply whose Deployment fails has failed, records why, and keeps the active Deployment', async () => {
  const { ours, owner } = world
  const credential = { label: 'gone', provider: 'custom', credentialType: 'api_key', secret: 'x' }
  const { id } = await data(owner.post(`/api/v1/organizations/${ours}/provider-credentials`, credential))
  const manifest = manifestOf()
  const shop = { kind: 'http', settings: { baseUrl: 'https://shop.example.com', auth: 'bearer' }, credential: 'gone' }
  const served = await world.apply({ ...manifest, environments: { development: { connections: { shop } } } })
  // the manifest no longer names what it needs, so that only the Deployment finds the problem
  await data(owner.patch(`/api/v1/organizations/${ours}/provider-credentials/${id}`, { status: 'disabled' }))
  manifest.agents.clerk.content.bindings = [{ bindingKey: 'shop', kind: 'connection', required: true }]
  const failed = await world.ended(dataOf(await world.begin(manifest)).id)
  expect(failed).toMatchObject({ state: 'failed', stateReason: { code: 'validation_failed' }, activationId: null })
  expect(failed.stateReason.message).toContain('disabled')
  const [development] = await world.environmentsOf(served)
  expect(development.activeDeploymentId).toBe(served.deploymentId)
})
