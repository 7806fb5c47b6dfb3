/** Connections of a manifest that move between bindings. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { data, type Loose, verdict } from '../../support/world/replies.ts'
import { type ApplyWorld, manifestOf, openApplyWorld } from './world.ts'

let world: ApplyWorld
beforeAll(async () => {
  world = await openApplyWorld()
})
afterAll(() => world.stop())

const to = (agent: string) => ({ agent, bindingKey: 'shop' })
const connection = (host: string, ...agents: string[]) => ({
  kind: 'http',
  settings: { baseUrl: `https://${host}.example.com` },
  ...(agents.length > 0 && { bind: agents.map(to) }),
})
/** Agents `clerk` and `boss`, which both need the Connection `shop`. */
function bound(connections: object): Loose {
  const manifest = manifestOf({ environments: { development: { connections } } })
  manifest.agents.boss = { content: { instructions: 'Lead.' } }
  for (const { content } of Object.values<Loose>(manifest.agents)) {
    content.bindings = [{ bindingKey: 'shop', kind: 'connection', required: true }]
  }
  return manifest
}
const withConnections = (manifest: Loose, connections: object): Loose => ({
  ...manifest,
  environments: { development: { connections } },
})
/** The active Connections with the slugs of their Agents. */
async function bindingsIn({ projectId, environmentId }: Loose): Promise<string[]> {
  const project = `/api/v1/projects/${projectId}`
  const agents = await data<Loose>(world.owner.get(`${project}/agents`))
  const slugs = new Map(agents.items.map(({ id, slug }: Loose) => [id, slug]))
  const { items } = await data<Loose>(world.owner.get(`${project}/environments/${environmentId}/connections`))
  return items
    .filter(({ status }: Loose) => status === 'active')
    .map(({ name, agentId, bindingKey }: Loose) => `${name}: ${slugs.get(agentId)}/${bindingKey}`)
    .sort()
}

describe('bindings', () => {
  test('in another order change nothing', async () => {
    const manifest = bound({ one: connection('a', 'clerk', 'boss') })
    await world.apply(manifest)
    const reversed = withConnections(manifest, { one: connection('a', 'boss', 'clerk') })
    const plan = await world.plan(reversed)
    expect([plan.issues, world.changesOf(plan)]).toEqual([[], []])
  })

  test('are swapped between two Connections', async () => {
    const manifest = bound({ one: connection('a', 'clerk'), two: connection('b', 'boss') })
    await world.apply(manifest)
    const swapped = withConnections(manifest, { one: connection('a', 'boss'), two: connection('b', 'clerk') })
    const apply = await world.apply(swapped)
    expect(await bindingsIn(apply)).toEqual(['one: boss/shop', 'two: clerk/shop'])
    expect(world.changesOf(await world.plan(swapped))).toEqual([])
  })

  test('are taken also if an Apply was interrupted after it had released them', async () => {
    const manifest = bound({ one: connection('a', 'clerk', 'boss'), two: connection('b') })
    const first = await world.apply(manifest)
    const path = `/api/v1/projects/${first.projectId}/environments/${first.environmentId}/connections`
    const { items } = await data<Loose>(world.owner.get(path))
    for (const { id } of items) await data(world.owner.patch(`${path}/${id}`, { agentId: null, bindingKey: null }))
    const moved = withConnections(manifest, { one: connection('a', 'boss'), two: connection('b', 'clerk') })
    expect(await bindingsIn(await world.apply(moved, { prune: true }))).toEqual(['one: boss/shop', 'two: clerk/shop'])
  })

  test('are given from one Connection to the next', async () => {
    const manifest = bound({ one: connection('a', 'clerk', 'boss') })
    await world.apply(manifest)
    const moved = withConnections(manifest, { one: connection('a', 'clerk'), two: connection('b', 'boss') })
    const { issues } = await world.plan(moved)
    expect(issues).toEqual([
      {
        path: '/environments/development/connections/two/bind/0',
        message: expect.stringContaining('The Connection one (boss/shop) is bound to the Agent boss as shop'),
      },
    ])
    const apply = await world.apply(moved, { prune: true })
    expect(await bindingsIn(apply)).toEqual(['one: clerk/shop', 'two: boss/shop'])
    // and back, although the removed Connection is only disabled
    expect(await bindingsIn(await world.apply(manifest, { prune: true }))).toEqual([
      'one (boss/shop): boss/shop',
      'one: clerk/shop',
    ])
  })

  test('without the first one stay with the others', async () => {
    const manifest = bound({ one: connection('a', 'clerk', 'boss') })
    await world.apply(manifest)
    const less = withConnections(manifest, { one: connection('a', 'boss') })
    expect((await world.plan(less)).issues).toEqual([])
    less.agents.clerk.content.bindings = []
    const apply = await world.apply(less, { prune: true })
    expect(await bindingsIn(apply)).toEqual(['one (boss/shop): boss/shop'])
  })

  test('go with a renamed Connection', async () => {
    const manifest = bound({ one: connection('a', 'clerk', 'boss') })
    const first = await world.apply(manifest)
    const renamed = withConnections(manifest, { two: connection('a', 'clerk', 'boss') })
    expect(verdict(await world.begin(renamed))).toEqual([422, 'plan_has_issues'])
    const plan = await world.plan(renamed, { prune: true })
    expect(plan.issues).toEqual([])
    expect(world.changesOf(plan)).toEqual([
      'update connection one',
      'update connection one (boss/shop)',
      'create connection two',
      'create connection two (boss/shop)',
      'remove connection one (boss/shop)',
      'remove connection one',
    ])
    await world.apply(renamed, { prune: true })
    expect(await bindingsIn(first)).toEqual(['two (boss/shop): boss/shop', 'two: clerk/shop'])
    expect(world.changesOf(await world.plan(renamed, { prune: true }))).toEqual([])
  })

  test('of a removed Connection are free for another, by an Apply and by hand', async () => {
    const manifest = bound({ one: connection('a', 'clerk', 'boss') })
    const { projectId, environmentId } = await world.apply(manifest)
    const without = withConnections(manifest, {})
    for (const { content } of Object.values<Loose>(without.agents)) content.bindings = []
    await world.apply(without, { prune: true })
    const path = `/api/v1/projects/${projectId}/environments/${environmentId}/connections`
    const { items } = await data<Loose>(world.owner.get(path))
    expect(items.map(({ status, agentId }: Loose) => [status, agentId])).toEqual(Array(2).fill(['disabled', null]))

    const again = bound({ two: connection('b', 'clerk') })
    again.project = manifest.project
    again.agents.boss.content.bindings = []
    expect((await world.plan(again)).issues).toEqual([])
    await world.apply(again)
    const agents = await data<Loose>(world.owner.get(`/api/v1/projects/${projectId}/agents`))
    const { id: agentId } = agents.items.find(({ slug }: Loose) => slug === 'boss')
    const body = { name: 'by hand', kind: 'http', settings: { baseUrl: 'https://x.example.com' } }
    await data(world.owner.post(path, { ...body, agentId, bindingKey: 'shop' }))
  })

  test('that a Connection made by hand has are an issue', async () => {
    const manifest = bound({ shop: connection('a') })
    const { projectId, environmentId } = await world.apply(manifest)
    const agents = await data<Loose>(world.owner.get(`/api/v1/projects/${projectId}/agents`))
    const { id: agentId } = agents.items.find(({ slug }: Loose) => slug === 'clerk')
    const body = { name: 'by hand', kind: 'http', settings: { baseUrl: 'https://x.example.com' } }
    const path = `/api/v1/projects/${projectId}/environments/${environmentId}/connections`
    await data(world.owner.post(path, { ...body, agentId, bindingKey: 'shop' }))
    const taking = withConnections(manifest, { shop: connection('a', 'clerk', 'boss') })
    const { issues } = await world.plan(taking, { prune: true })
    expect(issues.map(({ path }: Loose) => path)).toEqual(['/environments/development/connections/shop/bind/0'])
  })
})
