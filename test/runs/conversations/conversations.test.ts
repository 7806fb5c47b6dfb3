/** Conversations by `threadKey` over HTTP. Source: contract 12. */
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Client } from '../../support/client.ts'
import { eventually } from '../../support/process.ts'
import { engine } from '../../support/stores/engine.ts'
import { data } from '../../support/world/replies.ts'
import { openWorld, type World } from '../project/world.ts'

const agentId = 'agt_system_assistant'
interface Run {
  id: string
  state: string
  threadKey?: string
  queuedInputs: { inputId: number; query: string | null; createdAt: string }[]
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
const patient = async (threadKey: string, query: string, changes: object = {}): Promise<Run> =>
  data<Run>(
    world.owner.post(
      '/api/v1/agent-runs',
      { agentId, threadKey, query, ...changes },
      { query: { waitSeconds: 60, include: 'output' } },
    ),
  )
const read = (id: string) => data<Run>(world.owner.get(`/api/v1/agent-runs/${id}`, { query: { include: 'output' } }))
const running = (id: string) =>
  eventually('a running run', async () => ['running', 'awaitingToolResult'].includes((await read(id)).state))
/** The messages of the conversation, turn by turn. */
const queriesOf = (id: string) =>
  world
    .rows<{ body: string }>('select body from run_inputs where run_id = ? order by chain', id)
    .map(({ body }) => (JSON.parse(body) as { query: string }).query)

describe('a conversation', () => {
  test('is one run: the first message starts it, the next ones continue it', async () => {
    const key = newKey()
    const first = await patient(key, '/say one')
    expect(first).toMatchObject({ state: 'completed', threadKey: key, output: { text: 'one' } })
    const second = await patient(key, '/say two')
    expect(second).toMatchObject({ id: first.id, state: 'completed', output: { text: 'two' } })
    expect(queriesOf(first.id)).toEqual(['/say one', '/say two'])
    const other = await patient(newKey(), '/say one')
    expect(other.id).not.toBe(first.id)
  })

  test.each([
    ['of ASCII', () => newKey()],
    ['of any script', () => 'Gespräch über 東京 🚀'],
    ['of 128 characters that are two units each', () => '😀'.repeat(128)],
  ])('is found by its key %s', async (_, made) => {
    const key = made()
    const { id } = await patient(key, '/say one')
    const { agentRuns } = (await world.owner.get('/api/v1/agent-runs', { query: { threadKey: key } })).body as {
      agentRuns: Run[]
    }
    expect(agentRuns).toMatchObject([{ id, threadKey: key }])
  })

  test('is separate for each agent and place', async () => {
    const key = newKey()
    const place = await world.place()
    const agent = await world.agent(place)
    await world.serve(place, [agent])
    const there = await data<Run>(world.start(place, agent.agentId, '/say there', { threadKey: key }))
    const here = await patient(key, '/say here')
    expect(there.id).not.toBe(here.id)
    await world.ended(there.id)
    const again = await data<Run>(world.start(place, agent.agentId, '/say again', { threadKey: key }))
    expect(again.id).toBe(there.id)
    await world.ended(there.id)
    // another organization has its own conversations
    const foreign = await data<Run>(send(key, '/say here', {}, await world.foreigner()))
    expect(foreign.id).not.toBe(here.id)
  })

  test('is created once by many concurrent first messages', async () => {
    const key = newKey()
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, at) => send(key, `/say ${at}`, { ifBusy: 'enqueue' })),
    )
    const ids = await Promise.all(replies.map(async (reply) => (await data<Run>(Promise.resolve(reply))).id))
    expect(new Set(ids).size).toBe(1)
    const [id] = ids as [string]
    await eventually('all turns', async () => {
      const { state, queuedInputs } = await read(id)
      return state === 'completed' && queuedInputs.length === 0 && queriesOf(id).length === 8
    })
    expect(queriesOf(id).toSorted()).toEqual(Array.from({ length: 8 }, (_, at) => `/say ${at}`))
  })

  test.skipIf(engine === 'postgres')('continues in a new run once the old one cannot be continued', async () => {
    const key = newKey()
    const { id } = await patient(key, '/say once')
    expect((await read(id)).state).toBe('completed')
    const database = new Database(world.file)
    database.run('pragma busy_timeout = 5000')
    database.run(
      `update runs set context = json_set(context, '$.contentRemoved', json('true')), version = version + 1 where id = '${id}'`,
    )
    database.close()
    const next = await patient(key, '/say anew')
    const { agentRuns } = (await world.owner.get('/api/v1/agent-runs', { query: { threadKey: key } })).body as {
      agentRuns: Run[]
    }
    expect(next.output).toEqual({ text: 'anew' })
    expect(agentRuns.map((run) => run.id)).toContain(next.id)
  })
})

describe('while the run is active', () => {
  test('a message is refused', async () => {
    const key = newKey()
    const { id } = await data<Run>(send(key, '/sleep 60000'))
    await running(id)
    for (const changes of [{}, { ifBusy: 'reject' }]) {
      const { status, body } = await send(key, 'And?', changes)
      expect({ status, error: body.error }).toMatchObject({
        status: 409,
        error: { code: 'run_busy', details: { agentRunId: id, currentState: 'running' } },
      })
    }
    await data(world.owner.post(`/api/v1/agent-runs/${id}/cancel`))
  })

  test('messages wait in order, are visible, and each has its own turn', async () => {
    const key = newKey()
    const { id } = await data<Run>(send(key, '/sleep 60000'))
    await running(id)
    await data(send(key, '/say first', { ifBusy: 'enqueue' }))
    const { queuedInputs } = await data<Run>(send(key, '/say second', { ifBusy: 'enqueue' }))
    expect(queuedInputs).toMatchObject([
      { inputId: 1, query: '/say first' },
      { inputId: 2, query: '/say second' },
    ])
    const now = await data<Run>(send(key, '/say now', { ifBusy: 'interrupt' }))
    expect(now).toMatchObject({
      id,
      state: 'canceling',
      queuedInputs: [{ inputId: 3 }, { inputId: 1 }, { inputId: 2 }],
    })
    await eventually('all turns', async () => {
      const { state, queuedInputs } = await read(id)
      return state === 'completed' && queuedInputs.length === 0 && queriesOf(id).length === 4
    })
    expect(queriesOf(id)).toEqual(['/sleep 60000', '/say now', '/say first', '/say second'])
    expect(world.rows('select * from queued_inputs where run_id = ?', id)).toEqual([])
  })

  test('a repeated request with its key waits once', async () => {
    const key = newKey()
    const { id } = await data<Run>(send(key, '/sleep 60000'))
    await running(id)
    const again = () =>
      world.owner.post(
        '/api/v1/agent-runs',
        { agentId, threadKey: key, query: 'once', ifBusy: 'enqueue' },
        { headers: { 'idempotency-key': `"${key}"` } },
      )
    const [one, two] = [await again(), await again()]
    expect(two.body.data).toEqual(one.body.data)
    expect((await read(id)).queuedInputs).toHaveLength(1)
    await data(world.owner.post(`/api/v1/agent-runs/${id}/cancel`))
    await eventually('the end', async () => (await read(id)).state === 'canceled')
    // a cancel also removes waiting messages
    expect((await read(id)).queuedInputs).toEqual([])
    expect(world.rows('select * from queued_inputs where run_id = ?', id)).toEqual([])
  })

  test('sixteen messages wait, and the next is refused; so is one that is too long', async () => {
    const key = newKey()
    const { id } = await data<Run>(send(key, '/sleep 60000'))
    await running(id)
    const long = await send(key, 'x'.repeat(1_100_000), { ifBusy: 'enqueue' })
    expect({ status: long.status, code: long.body.error.code }).toEqual({ status: 422, code: 'validation_failed' })
    for (let count = 1; count <= 16; count += 1) await data(send(key, `${count}`, { ifBusy: 'enqueue' }))
    const { status, body } = await send(key, '17', { ifBusy: 'enqueue' })
    expect({ status, code: body.error.code }).toEqual({ status: 422, code: 'limit_exceeded' })
    expect(body.error.message).toContain('16 messages wait')
    expect(body.error.details).toEqual({
      currentState: 'running',
      issues: [{ path: '', message: body.error.message }],
    })
    await data(world.owner.post(`/api/v1/agent-runs/${id}/cancel`))
  })

  test('a message waits for its turn behind a tool that somebody must answer', async () => {
    const key = newKey()
    const place = await world.place()
    const agent = await world.agent(place, {
      tools: [{ kind: 'interactive', name: 'confirm', description: 'Asks.', inputSchema: { type: 'object' } }],
    })
    await world.serve(place, [agent])
    const start = (query: string, changes: object = {}) =>
      data<Run>(world.start(place, agent.agentId, query, { threadKey: key, ...changes }))
    const { id } = await start('/call confirm {}\n/say done')
    await world.ended(id, ['awaitingToolResult'])
    const waiting = await start('/say later', { ifBusy: 'enqueue' })
    expect(waiting).toMatchObject({ state: 'awaitingToolResult', queuedInputs: [{ query: '/say later' }] })
    await data(world.owner.post(`/api/v1/agent-runs/${id}/continue`, { query: '"yes"' }))
    await eventually('both turns', async () => (await read(id)).output?.text === 'later')
  })
})
