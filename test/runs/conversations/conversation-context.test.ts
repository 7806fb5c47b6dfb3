import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Client } from '../../support/client.ts'
import { eventually } from '../../support/process.ts'
import { data } from '../../support/world/replies.ts'
import { httpOperation, openWorld, said, type World } from '../project/world.ts'

const agentId = 'agt_system_assistant'
interface Run {
  id: string
  state: string
  threadKey?: string
  queuedInputs?: { inputId: number; query: string | null; createdAt: string }[]
  output?: { text: string } | null
}

let world: World
beforeAll(async () => {
  world = await openWorld({ environment: { TROUPE_RUNNER: 'embedded' } })
})
afterAll(() => world?.stop())

let keys = 0
const newKey = () => {
  keys += 1
  return `thread ${keys}`
}
const send = (threadKey: string, query: string, changes: object = {}, client: Client = world.owner) =>
  client.post('/api/v1/agent-runs', { agentId, threadKey, query, ...changes })
const read = (id: string) => data<Run>(world.owner.get(`/api/v1/agent-runs/${id}`, { query: { include: 'output' } }))
const running = (id: string) =>
  eventually('a running run', async () => ['running', 'awaitingToolResult'].includes((await read(id)).state))
const keyWith = async (operations: string[]) =>
  world.as((await data<{ secret: string }>(world.owner.post('/api/v1/api-keys', { name: 'key', operations }))).secret)

describe('permissions', () => {
  test('a later message requires the permission to continue, an interruption also that to cancel', async () => {
    const key = newKey()
    const starter = await keyWith(['agent-runs:create', 'agent-runs:get'])
    const { id } = await data<Run>(send(key, '/sleep 60000', {}, starter))
    await running(id)
    const later = await send(key, 'And?', { ifBusy: 'enqueue' }, starter)
    expect({ status: later.status, code: later.body.error.code }).toEqual({ status: 403, code: 'permission_denied' })
    const continuer = await keyWith(['agent-runs:create', 'agent-runs:get', 'agent-runs:continue'])
    await data(send(key, 'And?', { ifBusy: 'enqueue' }, continuer))
    const interruption = await send(key, 'Stop!', { ifBusy: 'interrupt' }, continuer)
    expect(interruption.status).toBe(403)
    await data(world.owner.post(`/api/v1/agent-runs/${id}/cancel`))
  })

  test.each([
    ['an empty key', { threadKey: '' }],
    ['a key of two lines', { threadKey: 'one\ntwo' }],
    ['a lone surrogate', { threadKey: 'x\ud83d' }],
    ['a key of 129 characters that are two units each', { threadKey: '😀'.repeat(129) }],
    ['a key that is too long', { threadKey: 'x'.repeat(129) }],
    ['an unknown ifBusy', { threadKey: 'x', ifBusy: 'wait' }],
    ['an ifBusy without a key', { ifBusy: 'enqueue' }],
    ['the default ifBusy without a key', { ifBusy: 'reject' }],
    ['a history that is too long', { history: Array.from({ length: 201 }, () => ({ role: 'user', content: 'x' })) }],
    ['a history with a system message', { history: [{ role: 'system', content: 'x' }] }],
    ['a history without text', { history: [{ role: 'user', content: '' }] }],
  ])('%s is refused', async (_, changes) => {
    const { status, body } = await world.owner.post('/api/v1/agent-runs', { agentId, query: 'x', ...changes })
    expect({ status, code: body.error.code }).toEqual({ status: 422, code: 'validation_failed' })
  })

  test('an ifBusy without a key is named, in a form as well', async () => {
    const form = new FormData()
    for (const [name, value] of Object.entries({ agentId, query: 'x', ifBusy: 'interrupt' })) form.append(name, value)
    const { status, body } = await world.owner.post('/api/v1/agent-runs', form)
    const message = 'Is about the run of a `threadKey`: send one, or omit this; without it every start is a new run.'
    expect({ status, issues: body.error.details.issues }).toEqual({
      status: 422,
      issues: [{ path: '/body/ifBusy', message }],
    })
  })
})

test('a history precedes the first message, and is kept', async () => {
  const asked: { role: string; content: unknown }[][] = []
  const troupe = await openWorld({
    environment: {
      TROUPE_RUNNER: 'embedded',
      TROUPE_PLATFORM_PROVIDER: 'openai',
      TROUPE_PLATFORM_MODEL: 'gpt-5',
      TROUPE_PLATFORM_API_KEY: 'sk-test',
    },
  })
  try {
    troupe.vendor.answer = ({ text }) => {
      asked.push((JSON.parse(text) as { messages: { role: string; content: unknown }[] }).messages)
      return said('Noted')
    }
    const history = [
      { role: 'user', content: 'My name is Ada.' },
      { role: 'assistant', content: 'Hello Ada.' },
    ]
    const send = (query: string, changes: object = {}) =>
      data<Run>(
        troupe.owner.post(
          '/api/v1/agent-runs',
          { agentId, query, threadKey: 'ada', ...changes },
          { query: { waitSeconds: 60 } },
        ),
      )
    const { id } = await send('Who am I?', { history })
    await send('And now?')
    const plain = asked.map((messages) =>
      messages
        .filter(({ role }) => role === 'user' || role === 'assistant')
        .map(({ content }) => (typeof content === 'string' ? content : (content as { text: string }[])[0]?.text)),
    )
    const first = ['My name is Ada.', 'Hello Ada.', 'Who am I?']
    expect(plain).toEqual([first, [...first, 'Noted', 'And now?']])
    const { items } = await data<{ items: { checkpointId: number; artifact: { digest: string } }[] }>(
      troupe.owner.get(`/api/v1/agent-runs/${id}/checkpoints`),
    )
    expect(items.map(({ checkpointId }) => checkpointId)).toContain(0)
  } finally {
    await troupe.stop()
  }
})

describe('the context of a run', () => {
  test('is given to operations and not to the model, and a later message replaces it', async () => {
    const place = await world.place()
    const operation = httpOperation('order', {
      path: '/orders/{{run.context.customer.id}}',
      query: { of: '{{run.context.shop}}', wanted: '{{input.wanted}}' },
    })
    const definition = await world.operations(place, 'orders', [operation])
    const agent = await world.agent(
      place,
      { tools: [{ kind: 'operation', name: 'order', operation: 'orders.order' }] },
      ['orders.order'],
    )
    await world.connection(place, agent.agentId)
    await world.serve(place, [agent], [definition])
    const start = async (context?: object) => {
      const query = '/call order {"wanted": "socks"}'
      const { id } = await data<Run>(
        world.start(place, agent.agentId, query, { threadKey: 'shop', ...(context && { context }) }),
      )
      await world.ended(id)
      return world.shop.asked.at(-1)?.path
    }
    expect(await start({ customer: { id: 'c/1' }, shop: 'main' })).toBe('/v1/orders/c%2F1?of=main&wanted=socks')
    expect(await start()).toBe('/v1/orders/c%2F1?of=main&wanted=socks')
    expect(await start({ customer: { id: 'c2' } })).toBe('/v1/orders/c2?wanted=socks')
    const inputs = world.rows<{ body: string }>("select body from run_inputs where body like '%customer%'")
    expect(inputs).toEqual([])
  })

  test.each([
    ['too large', { text: 'x'.repeat(17_000) }],
    ['not an object', ['x']],
  ])('%s is refused', async (_, context) => {
    for (const threadKey of [undefined, 'refused']) {
      const { status, body } = await world.owner.post('/api/v1/agent-runs', { agentId, query: 'x', context, threadKey })
      expect({ status, code: body.error.code }).toEqual({ status: 422, code: 'validation_failed' })
    }
  })
})
