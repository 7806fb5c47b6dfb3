import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { tallyStatuses, walk } from '../../support/world/replies.ts'
import { type AgentPin, type DefinitionPin, openWorld, type Workshop, type World, workshop } from './world.ts'

let world: World
let shop: Workshop
let agent: AgentPin
let orders: DefinitionPin

beforeAll(async () => {
  world = await openWorld()
  shop = await workshop(world)
  agent = await shop.agent('desk')
  orders = await shop.operations('orders', 'find')
})
afterAll(() => world?.stop())

const outcome = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [
  status,
  body?.error?.code,
]

test('a Release is returned as it was created', async () => {
  const place = await workshop(world)
  const [one, two] = [await place.agent('one'), await place.agent('two')]
  const definition = await place.operations('orders', 'find')
  const { status, body } = await place.release({ agents: [two, one], definitions: [definition], description: 'First.' })
  expect(status).toBe(201)
  const { id, digest, createdBy, ...rest } = body.data
  expect(id).toMatch(/^rel_/)
  expect(rest).toEqual({
    projectId: place.id,
    number: 1,
    agents: [two, one],
    definitions: [definition],
    delegateAttachments: [],
    description: 'First.',
    createdAt: new Date(world.clock.now()).toISOString(),
  })
  expect(createdBy).toEqual({ type: 'apiKey', id: expect.stringMatching(/^key_/) })
  expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/)
  expect((await world.owner.get(`${place.path}/releases/${id}`)).body.data).toEqual(body.data)
  expect(world.rows('select resource_id, revision_id from release_pins where release_id = ?', id)).toHaveLength(3)
})

test('an Agent alone is sufficient', async () => {
  const { status, body } = await shop.release({ agents: [agent] })
  expect(status).toBe(201)
  expect(body.data).toMatchObject({ definitions: [], delegateAttachments: [], description: null })
})

test('the digest is the SHA-256 of the RFC 8785 form of the pins, whatever the order of keys', async () => {
  const { agentId, agentRevisionId } = agent
  const one = await shop.release({ agents: [{ agentId, agentRevisionId }], description: 'One.' })
  const two = await shop.release({ agents: [{ agentRevisionId, agentId }], definitions: [] })
  const other = await shop.release({ agents: [agent], definitions: [orders] })
  const canonical = `{"agents":[{"agentId":"${agentId}","agentRevisionId":"${agentRevisionId}"}],"definitions":[],"delegateAttachments":[]}`
  const digest = `sha256:${new Bun.CryptoHasher('sha256').update(canonical).digest('hex')}`
  expect([one.body.data.digest, two.body.data.digest]).toEqual([digest, digest])
  expect(other.body.data.digest).not.toBe(digest)
})

test.each<[string, () => object, string[]]>([
  ['nothing', () => ({}), ['/body/agents']],
  ['no Agent', () => ({ agents: [] }), ['/body/agents']],
  [
    'an Agent without its revision',
    () => ({ agents: [{ agentId: agent.agentId }] }),
    ['/body/agents/0/agentRevisionId'],
  ],
  [
    'ids of the wrong type',
    () => ({ agents: [{ agentId: newId('env'), agentRevisionId: newId('dfr') }] }),
    ['/body/agents/0/agentId', '/body/agents/0/agentRevisionId'],
  ],
  [
    'a duplicate Agent',
    () => ({ agents: [agent, { ...agent, agentRevisionId: newId('agr') }] }),
    ['/body/agents/1/agentId'],
  ],
  [
    'a Definition twice',
    () => ({ agents: [agent], definitions: [orders, orders] }),
    ['/body/definitions/1/definitionId'],
  ],
  [
    'a delegate twice',
    () => ({ agents: [agent], delegateAttachments: [attachment('a'), attachment('b'), attachment('a')] }),
    ['/body/delegateAttachments/2'],
  ],
  [
    'a delegate without a name',
    () => ({ agents: [agent], delegateAttachments: [attachment('')] }),
    ['/body/delegateAttachments/0/name'],
  ],
  ['101 Agents', () => ({ agents: Array.from({ length: 101 }, () => agent) }), ['/body/agents']],
  ['a long description', () => ({ agents: [agent], description: 'x'.repeat(2001) }), ['/body/description']],
  ['an unknown field', () => ({ agents: [agent], number: 5 }), ['/body/number']],
])('%s is rejected with 422', async (_, body, paths) => {
  const reply = await shop.release(body())
  expect(outcome(reply)).toEqual([422, 'validation_failed'])
  expect(reply.body.error.details.issues.map(({ path }: { path: string }) => path)).toEqual(paths)
})
const attachment = (name: string) => ({ agentId: agent.agentId, name, delegateAgentId: agent.agentId })

describe('a pin that is not in the Project returns 404', () => {
  let other: Workshop
  let theirs: { agent: AgentPin; definition: DefinitionPin }
  let sibling: AgentPin
  let invoices: DefinitionPin

  beforeAll(async () => {
    other = await workshop(world)
    const foreign = await workshop(world, world.organization().owner)
    theirs = { agent: await foreign.agent('desk'), definition: await foreign.operations('orders', 'find') }
    sibling = await shop.agent('sibling')
    invoices = await shop.operations('invoices', 'find')
  })

  test.each<[string, () => Promise<object> | object]>([
    ['an unknown Agent', () => ({ agents: [{ ...agent, agentId: newId('agt') }] })],
    ['an unknown revision', () => ({ agents: [{ ...agent, agentRevisionId: newId('agr') }] })],
    ['the revision of another Agent', () => ({ agents: [{ ...agent, agentRevisionId: sibling.agentRevisionId }] })],
    ["another Project's Agent", async () => ({ agents: [await other.agent('away')] })],
    ["another organization's Agent", () => ({ agents: [theirs.agent] })],
    ['an unknown Definition', () => ({ agents: [agent], definitions: [{ ...orders, definitionId: newId('def') }] })],
    [
      'the revision of another Definition',
      () => ({
        agents: [agent],
        definitions: [{ ...orders, definitionRevisionId: invoices.definitionRevisionId }],
      }),
    ],
    [
      "another Project's Definition",
      async () => ({ agents: [agent], definitions: [await other.operations('away', 'find')] }),
    ],
    ["another organization's Definition", () => ({ agents: [agent], definitions: [theirs.definition] })],
  ])('%s', async (_, body) => {
    const known = await shop.release({ agents: [{ ...agent, agentId: newId('agt') }] })
    const reply = await shop.release(await body())
    expect(outcome(reply)).toEqual([404, 'not_found'])
    expect(reply.body.error.message).toBe(known.body.error.message)
  })

  test('an Agent that is being deleted', async () => {
    const doomed = await shop.agent('doomed')
    world.rows("update agents set status = 'deleting' where id = ?", doomed.agentId)
    expect(outcome(await shop.release({ agents: [doomed] }))).toEqual([404, 'not_found'])
  })

  test('a Definition that was deleted', async () => {
    const gone = await shop.operations('gone', 'find')
    await world.owner.delete(`${shop.path}/definitions/${gone.definitionId}`)
    expect(outcome(await shop.release({ agents: [agent], definitions: [gone] }))).toEqual([404, 'not_found'])
  })
})

test('eight concurrent Releases get numbers 1 to 8', async () => {
  const place = await workshop(world)
  const pin = await place.agent('desk')
  const replies = await Promise.all(Array.from({ length: 8 }, () => place.release({ agents: [pin] })))
  expect(tallyStatuses(replies)).toEqual({ 201: 8 })
  expect(replies.map(({ body }) => body.data.number).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
})

test('a rejected Release takes no number, and leaves nothing behind', async () => {
  const place = await workshop(world)
  const tools = [{ kind: 'operation', name: 'find', operation: 'orders.find' }]
  const pin = await place.agent('desk', { tools }, ['orders.find'])
  expect((await place.release({ agents: [pin] })).status).toBe(422)
  expect(world.rows('select id from releases where project_id = ?', place.id)).toEqual([])
  expect(world.rows('select release_id from release_pins where resource_id = ?', pin.agentId)).toEqual([])
  const definition = await place.operations('orders', 'find')
  expect((await place.release({ agents: [pin], definitions: [definition] })).body.data.number).toBe(1)
})

test('the store rejects changes to a Release', async () => {
  const { body } = await shop.release({ agents: [agent] })
  for (const change of ["agents = '[]'", 'number = 99', "description = 'New.'"]) {
    expect(() => world.rows(`update releases set ${change} where id = ?`, body.data.id)).toThrow('immutable')
  }
})

test('the list is newest first, page by page, and its cursor is bound to the Project', async () => {
  const place = await workshop(world)
  const pin = await place.agent('desk')
  for (let index = 0; index < 3; index += 1) await place.release({ agents: [pin] })
  const { items, sizes } = await walk(world.owner, `${place.path}/releases`, 2)
  expect(items.map(({ number }) => number)).toEqual([3, 2, 1])
  expect(sizes).toEqual([2, 1])
  const { body } = await world.owner.get(`${place.path}/releases`, { query: { limit: 1 } })
  const query = { cursor: body.pagination.nextCursor }
  expect(outcome(await world.owner.get(`${shop.path}/releases`, { query }))).toEqual([422, 'invalid_cursor'])
})

test('a Release of another Project or organization is not found', async () => {
  const { body } = await shop.release({ agents: [agent] })
  const stranger = world.organization()
  const [other, foreign] = [await world.project(), await world.project(stranger.owner)]
  expect(outcome(await world.owner.get(`${other.path}/releases/${body.data.id}`))).toEqual([404, 'not_found'])
  expect(outcome(await stranger.owner.get(`${foreign.path}/releases/${body.data.id}`))).toEqual([404, 'not_found'])
  expect(outcome(await stranger.owner.get(`${shop.path}/releases`))).toEqual([404, 'not_found'])
  expect(outcome(await stranger.owner.post(`${shop.path}/releases`, { agents: [agent] }))).toEqual([404, 'not_found'])
  expect(outcome(await world.owner.get(`${shop.path}/releases/${newId('rel')}`))).toEqual([404, 'not_found'])
})

test('reading requires projects:get, creating deployments:create', async () => {
  const reader = world.keyOf(world.ownerId, { operations: ['projects:get'] })
  const maker = world.keyOf(world.ownerId, { operations: ['deployments:create'] })
  const created = await maker.post(`${shop.path}/releases`, { agents: [agent] })
  expect(created.status).toBe(201)
  const path = `${shop.path}/releases/${created.body.data.id}`
  for (const at of [`${shop.path}/releases`, path]) {
    expect((await reader.get(at)).status).toBe(200)
    const refused = await maker.get(at)
    expect([refused.status, refused.body.error.details]).toEqual([403, { permission: 'projects:get' }])
  }
  const refused = await reader.post(`${shop.path}/releases`, { agents: [agent] })
  expect([refused.status, refused.body.error.details]).toEqual([403, { permission: 'deployments:create' }])
})

test.each(['PATCH', 'PUT', 'DELETE'])('%s of a Release returns 405', async (method) => {
  const { body } = await shop.release({ agents: [agent] })
  expect((await world.owner.call(method, `${shop.path}/releases/${body.data.id}`, undefined)).status).toBe(405)
})
