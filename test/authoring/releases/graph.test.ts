import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { entity, operation, step, workflow } from '../definitions/sources.ts'
import { openWorld, type Workshop, type World, workshop } from './world.ts'

let world: World
let shop: Workshop

beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

const fresh = async () => {
  shop = await workshop(world)
  return shop
}
const tool = (name: string, reference: string) => ({ kind: 'operation', name, operation: reference })
const delegate = (name: string, agentId: string) => ({ name, description: 'Helps.', agentId })
const issuesOf = (reply: { body: { error: { details: { issues: { path: string; message: string }[] } } } }) =>
  Object.fromEntries(reply.body.error.details.issues.map(({ path, message }) => [path, message]))

test('a graph without missing references is released', async () => {
  await fresh()
  const researcher = await shop.agent('researcher')
  const desk = await shop.agent(
    'desk',
    {
      tools: [tool('find', 'orders.find'), tool('again', 'orders.find'), { kind: 'builtin', name: 'clock' }],
      delegates: [
        delegate('research', researcher.agentId),
        { name: 'lawyer', description: 'A person.', external: true },
      ],
    },
    ['agent-runs:get', 'agent-runs:steps:get', 'orders.find', 'orders.pay'],
  )
  const definitions = [
    await shop.operations('orders', 'find', 'pay'),
    await shop.definition('order', 'entity', entity()),
    await shop.definition('checkout', 'workflow', workflow({ steps: [step('one', { operation: 'orders.pay' })] })),
    await shop.definition('more', 'operations', {
      operations: [
        operation({ name: 'ask', handler: { type: 'agent', agent: 'researcher', query: 'x' } }),
        operation({ name: 'make', handler: { type: 'entity', entity: 'order', action: 'create' } }),
      ],
    }),
  ]
  const { status, body } = await shop.release({ agents: [desk, researcher], definitions })
  expect(status).toBe(201)
  expect(body.data.delegateAttachments).toEqual([
    { agentId: desk.agentId, name: 'research', delegateAgentId: researcher.agentId },
  ])
})

test('all missing references are reported at once, with their places', async () => {
  await fresh()
  const lost = newId('agt')
  const desk = await shop.agent(
    'desk',
    {
      tools: [
        tool('find', 'orders.find'),
        tool('gone', 'orders.gone'),
        tool('other', 'invoices.find'),
        tool('flow', 'checkout.one'),
      ],
      delegates: [delegate('research', lost)],
    },
    ['agent-runs:get', 'orders.none', 'nowhere.find'],
  )
  const plain = await shop.agent('plain')
  const definitions = [
    await shop.operations('orders', 'find'),
    await shop.definition(
      'checkout',
      'workflow',
      workflow({ steps: [step('a', { operation: 'orders.find' }), step('b', { operation: 'stock.take' })] }),
    ),
    await shop.definition('more', 'operations', {
      operations: [
        operation({ name: 'ask', handler: { type: 'agent', agent: 'nobody', query: 'x' } }),
        operation({ name: 'make', handler: { type: 'entity', entity: 'order', action: 'create' } }),
        operation({ name: 'take', handler: { type: 'entity', entity: 'orders', action: 'create' } }),
      ],
    }),
  ]
  const reply = await shop.release({
    agents: [plain, desk],
    definitions,
    delegateAttachments: [
      { agentId: lost, name: 'x', delegateAgentId: plain.agentId },
      { agentId: plain.agentId, name: 'y', delegateAgentId: desk.agentId },
    ],
  })
  expect([reply.status, reply.body.error.code]).toEqual([422, 'unresolved_reference'])
  expect(issuesOf(reply)).toEqual({
    '/body/agents/1/content/tools/1/operation': 'orders.gone: the pinned revision of orders has no operation gone.',
    '/body/agents/1/content/tools/2/operation':
      'invoices.find: the Release pins no Definition named invoices; add it to the definitions.',
    '/body/agents/1/content/tools/3/operation': 'checkout.one: the Definition checkout is a workflow.',
    '/body/agents/1/grantedOperations/1': 'orders.none: the pinned revision of orders has no operation none.',
    '/body/agents/1/grantedOperations/2':
      'nowhere.find: the Release pins no Definition named nowhere; add it to the definitions.',
    '/body/agents/1/content/delegates/0/agentId': `The Release does not pin the Agent behind the delegate research: ${lost}.`,
    '/body/agents/1/content/tools/0/operation':
      'The Agent desk has a tool for orders.find, and is not granted it: add orders.find to grantedOperations.',
    '/body/definitions/1/source/steps/1/operation':
      'stock.take: the Release pins no Definition named stock; add it to the definitions.',
    '/body/definitions/2/source/operations/0/handler/agent': 'The Release pins no Agent with the slug nobody.',
    '/body/definitions/2/source/operations/1/handler/entity':
      'The Release pins no Definition named order; add it to the definitions.',
    '/body/definitions/2/source/operations/2/handler/entity': 'The Definition orders is operations, no entity.',
    '/body/delegateAttachments/0/agentId': 'The Release does not pin this Agent.',
    '/body/delegateAttachments/1/name': 'The Agent plain has no delegate y within the server.',
  })
})

test('the pinned revision counts, not the latest one', async () => {
  await fresh()
  const orders = await shop.operations('orders', 'find')
  const { body } = await world.owner.post(`${shop.path}/definitions/${orders.definitionId}/revisions`, {
    source: { operations: [operation({ name: 'pay' })] },
  })
  const later = { ...orders, definitionRevisionId: body.data.id }
  const desk = await shop.agent('desk', { tools: [tool('find', 'orders.find')] }, ['orders.find'])
  expect((await shop.release({ agents: [desk], definitions: [orders] })).status).toBe(201)
  expect((await shop.release({ agents: [desk], definitions: [later] })).status).toBe(422)
})

test('a resource of the Project that is not pinned is not found', async () => {
  await fresh()
  await shop.operations('orders', 'find')
  const helper = await shop.agent('helper')
  const desk = await shop.agent('desk', {
    tools: [tool('find', 'orders.find')],
    delegates: [delegate('help', helper.agentId)],
  })
  const reply = await shop.release({ agents: [desk] })
  expect(Object.keys(issuesOf(reply)).sort()).toEqual([
    '/body/agents/0/content/delegates/0/agentId',
    '/body/agents/0/content/tools/0/operation',
  ])
})

describe('references in a source must exist', () => {
  const http = (handler: object, changes: object = {}) =>
    operation({ handler: { type: 'http', connection: 'shop', method: 'POST', path: '/', ...handler }, ...changes })
  const listed = { inputSchema: { type: 'object', properties: { id: { type: 'string' } } } }
  const open = { inputSchema: { type: 'object', properties: { id: {} }, additionalProperties: true } }
  const scalar = { inputSchema: { type: 'object', properties: { id: { type: ['number', 'null'] } } } }
  const mixed = { inputSchema: { type: 'object', properties: { id: { type: ['string', 'object'] } } } }
  const many = { inputSchema: { type: 'object', properties: { id: { type: 'array' } } } }
  const bindings = [
    { bindingKey: 'shop', kind: 'connection', required: true },
    { bindingKey: 'REGION', kind: 'variable', required: false },
  ]
  const released = async (...operations: object[]) => {
    const pins = [await shop.definition('orders', 'operations', { operations })]
    return shop.release({ agents: [await shop.agent('desk', { bindings })], definitions: pins })
  }

  test.each([
    ['an input that is not in the schema', http({ path: '/{{input.number}}' }, listed), 'path', 'number'],
    ['what would be within a text of the schema', http({ path: '/{{input.id.number}}' }, listed), 'path', 'id.number'],
    ['what would be within a number or null', http({ path: '/{{input.id.x}}' }, scalar), 'path', 'id.x'],
    ['the same in a body', http({ body: { at: ['{{input.number}}'] } }, listed), 'body/at/0', 'number'],
    ['a path in another notation', http({ path: '/orders/{id}' }, listed), 'path', '{{input.id}}'],
    ['an undeclared Connection', http({ connection: 'shpo' }), 'connection', 'shpo'],
    ['an undeclared variable', http({ headers: { 'x-a': '{{variables.NONE}}' } }), 'headers/x-a', 'NONE'],
    [
      'an input in the query for an Agent',
      operation({ handler: { type: 'agent', agent: 'desk', query: '{{input.number}}' }, ...listed }),
      'query',
      'number',
    ],
  ])('%s is rejected', async (_, source, place, word) => {
    await fresh()
    const reply = await released(source)
    expect([reply.status, reply.body.error.code]).toEqual([422, 'unresolved_reference'])
    const [[path, message]] = Object.entries(issuesOf(reply)) as [[string, string]]
    expect(path).toBe(`/body/definitions/0/source/operations/0/handler/${place}`)
    expect(message).toContain(word)
  })

  test.each([
    ['an input of the schema', http({ path: '/{{input.id}}' }, listed)],
    ['what may be within an object', http({ path: '/{{input.id.number}}' }, mixed)],
    ['an item of a list', http({ path: '/{{input.id.0}}' }, many)],
    ['any input if the schema lists none', http({ path: '/{{input.number}}' })],
    ['any input if the schema allows more', http({ path: '/{{input.number}}' }, open)],
    ['a declared variable, and braces in a body', http({ path: '/{{variables.REGION}}', body: '{id}' })],
  ])('%s is released', async (_, source) => {
    await fresh()
    expect((await released(source)).status).toBe(201)
  })

  test('a resource of an Environment needs no declaration', async () => {
    await fresh()
    const { items } = (await world.owner.get(`${shop.path}/environments`)).body.data
    const environment = `${shop.path}/environments/${items[0].id}`
    const settings = { baseUrl: 'https://shop.example.com' }
    await world.owner.post(`${environment}/connections`, { name: 'store', kind: 'http', settings })
    await world.owner.post(`${environment}/variables`, { name: 'CITY', value: 'x' })
    expect((await released(http({ connection: 'store', path: '/{{variables.CITY}}' }))).status).toBe(201)
  })

  test('params of a workflow need none either', async () => {
    await fresh()
    const source = workflow({
      params: { type: 'object', properties: { id: {} } },
      steps: [step('one', { operation: 'orders.find', input: { id: '{{params.number}}' } })],
    })
    const definitions = [await shop.operations('orders', 'find'), await shop.definition('flow', 'workflow', source)]
    const reply = await shop.release({ agents: [await shop.agent('desk')], definitions })
    expect(Object.keys(issuesOf(reply))).toEqual(['/body/definitions/1/source/steps/0/input/id'])
  })
})
