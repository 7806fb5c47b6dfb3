/** Differences between two Releases, by name. Source: contract 3, "tells what differs, by name". */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Permission } from '../../../src/platform/http/guard/permissions.ts'
import { newId } from '../../../storage/ids.ts'
import { operation } from '../definitions/sources.ts'
import { type AgentPin, openWorld, type Workshop, type World, workshop } from './world.ts'

let world: World
let shop: Workshop
beforeAll(async () => {
  world = await openWorld()
  shop = await workshop(world)
})
afterAll(() => world?.stop())

const released = async (body: object): Promise<string> => {
  const { status, body: answer } = await shop.release(body)
  expect([status, answer.error]).toEqual([201, undefined])
  return answer.data.id
}
const diff = (id: string, against: string) => world.owner.get(`${shop.path}/releases/${id}/diff?against=${against}`)
const differencesOf = async (id: string, against: string) => {
  const { status, body } = await diff(id, against)
  expect(status).toBe(200)
  return body.data
}
const revised = async ({ agentId }: AgentPin, content: object, grantedOperations: string[] = []): Promise<AgentPin> => {
  const body = { content: { instructions: 'Help.', ...content }, grantedOperations }
  const reply = await world.owner.post(`${shop.path}/agents/${agentId}/revisions`, body)
  expect(reply.status).toBe(201)
  return { agentId, agentRevisionId: reply.body.data.id }
}
const tool = (name: string, operation: string) => ({ kind: 'operation', name, operation })

test('added, removed and changed Agents and Definitions: paths by the names of members, grants and delegates', async () => {
  const orders = await shop.operations('orders', 'find', 'cancel')
  const prices = await shop.operations('prices', 'find')
  const [one, two, keeper] = [await shop.agent('one'), await shop.agent('two'), await shop.agent('keeper')]
  const delegates = [{ name: 'helper', agentId: one.agentId, description: 'Helps.' }]
  const old = await shop.agent('clerk', { delegates, tools: [tool('b', 'orders.find')] }, ['orders.find'])
  const tools = [tool('a', 'orders.find'), tool('b', 'orders.cancel')]
  const now = await revised(old, { delegates, tools, instructions: 'Be brief.' }, ['orders.find', 'orders.cancel'])
  const source = { operations: [] as object[] }
  const first = (await world.owner.get(`${shop.path}/definitions/${orders.definitionId}/revisions`)).body.data.items[0]
  const { operations } = (
    await world.owner.get(`${shop.path}/definitions/${orders.definitionId}/revisions/${first.id}`)
  ).body.data.source
  source.operations = operations.map((each: object) => ({ ...each, description: 'Another.' }))
  const published = await world.owner.post(`${shop.path}/definitions/${orders.definitionId}/revisions`, { source })
  const ordersNow = { ...orders, definitionRevisionId: published.body.data.id }

  const before = await released({ agents: [old, one, two, keeper], definitions: [orders, prices] })
  const delegateAttachments = [{ agentId: now.agentId, name: 'helper', delegateAgentId: keeper.agentId }]
  const after = await released({ agents: [now, one, keeper], definitions: [ordersNow], delegateAttachments })

  const answer = await differencesOf(after, before)
  expect(answer).toMatchObject({ before: { releaseId: before }, after: { releaseId: after }, truncated: false })
  expect(answer.agents).toEqual([
    {
      name: 'clerk',
      change: 'changed',
      before: { ...old, number: 1 },
      after: { ...now, number: 2 },
      differences: expect.arrayContaining([
        { path: '/instructions', before: 'Help.', after: 'Be brief.', shortened: false },
        { path: '/tools/a', after: tools[0], shortened: false },
        { path: '/tools/b/operation', before: 'orders.find', after: 'orders.cancel', shortened: false },
      ]),
      grants: { added: ['orders.cancel'], removed: [] },
      delegates: [{ name: 'helper', before: 'one', after: 'keeper' }],
    },
    expect.objectContaining({ name: 'two', change: 'removed', before: { ...two, number: 1 }, after: null }),
  ])
  expect(answer.agents[0].differences).toHaveLength(3)
  expect(answer.definitions.map(({ name, change }: { name: string; change: string }) => [name, change])).toEqual([
    ['orders', 'changed'],
    ['prices', 'removed'],
  ])
  expect(answer.definitions[0].differences).toContainEqual(
    expect.objectContaining({ path: '/operations/find/description', after: 'Another.' }),
  )
  expect((await differencesOf(before, after)).agents.at(-1)).toMatchObject({
    name: 'two',
    change: 'added',
    before: null,
  })
})

test('values are shown to those who may read the revisions, and to others only where they differ', async () => {
  const [orders, one] = [await shop.operations('secretive', 'find'), await shop.agent('author')]
  const old = await shop.agent('discreet', { instructions: 'An old secret.' })
  const now = await revised(old, { instructions: 'A new secret.' }, ['secretive.find'])
  const source = { operations: [{ ...operation({ name: 'find' }), description: 'A secret too.' }] }
  const published = await world.owner.post(`${shop.path}/definitions/${orders.definitionId}/revisions`, { source })
  const ordersNow = { ...orders, definitionRevisionId: published.body.data.id }
  const before = await released({ agents: [old, one], definitions: [orders] })
  const after = await released({ agents: [now, one], definitions: [ordersNow] })
  const as = async (operations: Permission[], bound: object = {}) => {
    const reader = world.keyOf(world.ownerId, { operations: ['projects:get', ...operations], ...bound })
    const { status, body } = await reader.get(`${shop.path}/releases/${after}/diff?against=${before}`)
    expect(status).toBe(200)
    const [agent, definition] = [body.data.agents[0], body.data.definitions[0]]
    return [agent.differences[0], agent.grants.added, definition.differences[0]]
  }
  const whole = [
    { path: '/instructions', before: 'An old secret.', after: 'A new secret.', shortened: false },
    ['secretive.find'],
    expect.objectContaining({ path: '/operations/find/description', after: 'A secret too.', shortened: false }),
  ]
  const hidden = [
    { path: '/instructions', shortened: true },
    [],
    { path: '/operations/find/description', shortened: true },
  ]
  const all: Permission[] = ['agents:revisions:get', 'definitions:get']
  expect(await as(all)).toEqual(whole)
  expect(await as([])).toEqual(hidden)
  expect(await as(['definitions:get'])).toEqual([hidden[0], hidden[1], whole[2]])
  expect(await as(all, { projectId: shop.id, agentId: now.agentId })).toEqual(whole)
  expect(await as(all, { projectId: shop.id, agentId: one.agentId })).toEqual([hidden[0], hidden[1], whole[2]])
})

test('a Release has no differences from itself, nor from an equal one', async () => {
  const agent = await shop.agent('same')
  const [id, like] = [await released({ agents: [agent] }), await released({ agents: [agent] })]
  for (const against of [id, like]) {
    expect(await differencesOf(id, against)).toMatchObject({ agents: [], definitions: [], truncated: false })
  }
})

test('long values are reported by the part that differs, at most a hundred per Agent', async () => {
  const long = 'x'.repeat(2_000)
  const metadata = (value: string) => Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`m${at}`, value]))
  const old = await shop.agent('long', { instructions: `${long}a${long}`, metadata: metadata('1') })
  const now = await revised(old, { instructions: `${long}b${long}`, metadata: metadata('2') })
  const answer = await differencesOf(await released({ agents: [now] }), await released({ agents: [old] }))
  const [{ differences }] = answer.agents
  const instructions = differences.find(({ path }: { path: string }) => path === '/instructions')
  expect(instructions.shortened).toBe(true)
  expect(instructions.before).toMatch(/^…x{40}ax+…$/)
  expect(instructions.after).toMatch(/^…x{40}bx+…$/)
  expect(instructions.after.length).toBeLessThanOrEqual(502)
  expect(differences).toHaveLength(61)
})

test('a resource deleted since is named by its id', async () => {
  const [gone, stays] = [await shop.agent('gone'), await shop.agent('stays')]
  const [before, after] = [await released({ agents: [gone, stays] }), await released({ agents: [stays] })]
  world.rows('delete from agents where id = ?', gone.agentId)
  expect((await differencesOf(after, before)).agents).toMatchObject([
    { name: gone.agentId, change: 'removed', before: { number: null } },
  ])
})

test.each<[string, () => Promise<[string, string]>, number, string | undefined]>([
  ['a missing Release', async () => [newId('rel'), await anyRelease()], 404, undefined],
  ['a missing `against`', async () => [await anyRelease(), newId('rel')], 404, '/query/against'],
  ['an `against` of another Project', async () => [await anyRelease(), await foreignRelease()], 404, '/query/against'],
  ['an `against` that is not an id', async () => [await anyRelease(), 'before'], 422, '/query/against'],
  ['no `against`', async () => [await anyRelease(), ''], 422, '/query/against'],
])('rejected: %s', async (_, given, status, at) => {
  const reply = await diff(...(await given()))
  expect(reply.status).toBe(status)
  expect(reply.body.error.details?.issues[0].path).toBe(at)
})

let count = 0
const anyRelease = async () => {
  count += 1
  return released({ agents: [await shop.agent(`any-${count}`)] })
}
const foreignRelease = async () => {
  const other = await workshop(world)
  return (await other.release({ agents: [await other.agent('other')] })).body.data.id as string
}
