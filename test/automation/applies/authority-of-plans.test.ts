/** The permissions of exports and plans. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { permissions } from '../../../src/platform/http/guard/permissions.ts'
import type { Client } from '../../support/client.ts'
import { data, dataOf, type Loose, verdict } from '../../support/world/replies.ts'
import { type ApplyWorld, manifestOf, openApplyWorld } from './world.ts'

let world: ApplyWorld
beforeAll(async () => {
  world = await openApplyWorld({ TROUPE_ALLOW_PRIVATE_ADDRESSES: 'false' })
})
afterAll(() => world.stop())

describe('an export and a plan', () => {
  const reading = [
    'definitions:list',
    'definitions:get',
    'agents:list',
    'agents:revisions:get',
    'env:variables:list',
    'connections:list',
    'agent-jobs:list',
    'webhooks:list',
  ]
  const section = {
    variables: { TOKEN: { value: 'x' } },
    connections: { stock: { kind: 'http', settings: { baseUrl: 'https://stock.example.com' } } },
    jobs: { nightly: { agent: 'clerk', schedule: { cron: '0 3 * * *' }, query: 'Sum up.', enabled: false } },
    webhooks: { 'https://hooks.example.com': { eventTypes: ['run.failed'] } },
  }
  const manifest = manifestOf({ environments: { development: section } })
  const keyWith = (operations: readonly string[]) => world.keyOf(world.ownerId, { operations })
  let path = ''
  let projectId = ''
  let ofAgent: Client
  beforeAll(async () => {
    projectId = (await world.apply(manifest)).projectId
    path = `/api/v1/projects/${projectId}/manifest?environment=development`
    const agents = await data<Loose>(world.owner.get(`/api/v1/projects/${projectId}/agents`))
    ofAgent = world.keyOf(world.ownerId, { projectId, agentId: agents.items[0].id })
  })

  test.each(reading)('an export requires %s', async (permission) => {
    const reply = await keyWith(permissions.filter((each) => each !== permission)).get(path)
    expect(verdict(reply)).toEqual([403, 'permission_denied'])
    expect(reply.body.error.details).toEqual({ permission })
  })

  test('an export requires no more than those, and is not for a key of an Agent', async () => {
    expect((await keyWith(['projects:get', ...reading]).get(path)).status).toBe(200)
    expect(verdict(await ofAgent.get(path))).toEqual([403, 'permission_denied'])
  })

  test('a plan shows values only of the kinds that the key may read', async () => {
    const changed: Loose = structuredClone(manifest)
    changed.agents.clerk.content.instructions = 'A new secret.'
    changed.environments.development.connections.stock.settings.baseUrl = 'https://secret.example.com'
    const planned = (key: Client) => world.plan(changed, {}, key)
    const all = await planned(world.owner)
    expect(JSON.stringify(all)).toContain('A new secret.')
    for (const key of [keyWith(['projects:get']), ofAgent]) {
      const plan = await planned(key)
      expect(JSON.stringify(plan)).not.toContain('secret')
      expect(plan).toMatchObject({ digest: all.digest, issues: [] })
      expect(world.changesOf(plan)).toEqual(world.changesOf(all))
    }
    const ofAgents = JSON.stringify(await planned(keyWith(['projects:get', 'agents:list', 'agents:revisions:get'])))
    expect([ofAgents.includes('A new secret.'), ofAgents.includes('secret.example.com')]).toEqual([true, false])
  })

  test('nor does an Apply show the values of what the key may not read', async () => {
    const changed = structuredClone(manifest)
    changed.agents.clerk.content.instructions = 'A new secret.'
    const { id, plan } = await world.apply(changed)
    for (const key of [keyWith(['projects:get']), ofAgent]) {
      const [one, { items }] = [
        await data<Loose>(key.get(`/api/v1/applies/${id}`)),
        await data<Loose>(key.get(`/api/v1/applies?projectId=${projectId}`)),
      ]
      expect(items.find((each: Loose) => each.id === id)).toEqual(one)
      expect(JSON.stringify(items)).not.toContain('secret')
      expect(world.changesOf(one.plan)).toEqual(world.changesOf(plan))
    }
    const reading = keyWith(['projects:get', 'agents:list', 'agents:revisions:get'])
    expect((await data<Loose>(reading.get(`/api/v1/applies/${id}`))).plan).toEqual(plan)
  })

  test('nor does the answer that creates one', async () => {
    const changed = structuredClone(manifest)
    changed.agents.clerk.content.instructions = 'Another secret.'
    await world.apply(changed)
    changed.agents.clerk.content.instructions = 'Help.'
    const writing = ['deployments:create', 'activations:create', 'agents:revisions:create']
    const { id, plan } = dataOf(await world.begin(changed, {}, keyWith(writing)))
    expect(world.changesOf(plan).length).toBeGreaterThan(0)
    expect(JSON.stringify(plan)).not.toContain('secret')
    await world.ended(id)
  })
})
