import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ApiError } from '../../../src/http/errors.ts'
import { callers, openWorld, type World } from './world.ts'

const path = '/api/v1/agent-runs'
const unknownRun = 'run_01h455vb4pex5vsknk084sn02q'
let world: World
beforeAll(async () => {
  world = await openWorld({ credentials: ['openai'] })
})
afterAll(() => world.close())

const cancel = (runId: string) => world.owner.post(`${path}/${runId}/cancel`)
const resume = (runId: string, body: object = {}) =>
  world.owner.post(`${path}/${runId}/continue`, { query: 'Go on', ...body })
const give = (runId: string, body: object) => world.owner.post(`${path}/${runId}/delegate-results`, body)
const callResults = async (runId: string) => {
  const rows = await world.store.all<{ tool_call_id: string; result: string }>({
    sql: 'select tool_call_id, result from call_results where run_id = ? order by tool_call_id',
    parameters: [runId],
  })
  return Object.fromEntries(rows.map((row) => [row.tool_call_id, JSON.parse(row.result)]))
}
const lastInput = async (runId: string) => {
  const sql = 'select body from run_inputs where run_id = ? order by chain desc limit 1'
  return JSON.parse((await world.store.first<{ body: string }>({ sql, parameters: [runId] }))?.body ?? '')
}

// Source: requirement 3, "Agent Run lifecycle states".
const table: { given: string; cancel: string | number; continue: string | number; delegate: string | number }[] = [
  { given: 'queued', cancel: 'canceled', continue: 409, delegate: 409 },
  { given: 'acquiring', cancel: 'canceled', continue: 409, delegate: 409 },
  { given: 'starting', cancel: 'canceled', continue: 409, delegate: 409 },
  { given: 'running', cancel: 'canceling', continue: 409, delegate: 409 },
  { given: 'awaitingToolResult', cancel: 'canceled', continue: 'queued', delegate: 409 },
  { given: 'awaitingDelegateResult', cancel: 'canceled', continue: 400, delegate: 'queued' },
  { given: 'canceling', cancel: 'canceling', continue: 409, delegate: 409 },
  { given: 'completed', cancel: 409, continue: 'queued', delegate: 409 },
  { given: 'failed', cancel: 409, continue: 'queued', delegate: 409 },
  { given: 'canceled', cancel: 'canceled', continue: 'queued', delegate: 409 },
  { given: 'expired', cancel: 409, continue: 409, delegate: 409 },
]
const commands = {
  cancel,
  continue: resume,
  delegate: (runId: string) => give(runId, { toolCallId: 'call_1', result: 1 }),
}

for (const [name, command] of Object.entries(commands)) {
  test.each(table)(`${name} while $given: $${name}`, async (row) => {
    const runId = await world.startIn(row.given)
    const { status, body } = await command(runId)
    const expected = row[name as 'cancel']
    if (typeof expected === 'string') {
      expect([status, body.data.state]).toEqual([200, expected])
    } else {
      expect([status, body.error.details]).toEqual([expected, { currentState: row.given }])
    }
    const stored = await world.owner.get(`${path}/${runId}`)
    expect(stored.body.data.state).toBe(typeof expected === 'string' ? expected : row.given)
  })
}

describe('cancel', () => {
  test('takes an API key: a session is 401', async () => {
    const { status, body } = await world.session.post(`${path}/${await world.start()}/cancel`)
    expect([status, body.error.code]).toEqual([401, 'unauthenticated'])
  })

  test('names who canceled in the journal', async () => {
    const runId = await world.startIn('canceled')
    await cancel(await world.start())
    const other = await world.start()
    await world.sibling.post(`${path}/${other}/cancel`)
    const { body } = await world.owner.get(`${path}/${other}/transitions`)
    expect(body.data.items.at(-1)).toMatchObject({ event: 'cancel', to: 'canceled', actor: callers.sibling.principal })
    expect((await cancel(runId)).status).toBe(200)
  })
})

describe('continue', () => {
  test('opens a chain with the new message and forgets how the last one ended', async () => {
    const runId = await world.startIn('failed', { maxRetries: 4 })
    const before = await world.owner.get(`${path}/${runId}`)
    const { body } = await resume(runId, { query: 'Try again' })
    expect(before.body.data).toMatchObject({ stateReason: { code: 'provider_error' } })
    expect(body.data).toMatchObject({ state: 'queued', stateReason: null, stopReason: null, endedAt: null, attempt: 1 })
    expect(await lastInput(runId)).toEqual({ query: 'Try again', contents: [] })
    expect((await world.actors.read({ kind: 'run', id: runId }))?.context).toMatchObject({
      chain: 2,
      maxRetries: 4,
      retriesLeft: 4,
    })
  })

  test('takes the retries and the model of the request', async () => {
    const runId = await world.startIn('completed')
    await resume(runId, { maxRetries: 7, provider: 'openai', model: 'gpt-5.5', reasoningBudget: 10 })
    const actor = await world.actors.read<{ row: { binding: string } }>({ kind: 'run', id: runId })
    expect(actor?.context).toMatchObject({ maxRetries: 7, retriesLeft: 7 })
    const binding = { provider: 'openai', model: 'gpt-5.5', reasoningBudget: 10, credential: 'organization' }
    expect(JSON.parse(actor?.row.row.binding ?? '')).toEqual(binding)
    await world.runner.begin(runId)
    await world.runner.complete(runId)
    await resume(runId)
    const later = await world.actors.read<{ row: { binding: string } }>({ kind: 'run', id: runId })
    expect(JSON.parse(later?.row.row.binding ?? '')).toEqual(binding)
  })

  test.each([
    ['no query', { query: undefined }, 422, 'validation_failed'],
    ['an empty query', { query: '' }, 400, 'empty_input'],
    ['an attachment', { contents: [] }, 422, 'validation_failed'],
    ['a vendor without a credential', { provider: 'anthropic' }, 400, 'provider_unconfigured'],
    ['a model that the provider lacks', { model: 'gpt-5.5' }, 400, 'invalid_model'],
    ['an agent', { agentId: 'agt_x' }, 422, 'validation_failed'],
  ] as [string, object, number, string][])('refuses %s', async (_what, body, status, code) => {
    const answer = await resume(await world.startIn('completed'), body)
    expect([answer.status, answer.body.error.code]).toEqual([status, code])
  })

  test('lists no 403: without the permission it is 404', async () => {
    const runId = await world.startIn('completed')
    const answer = await world.powerless.post(`${path}/${runId}/continue`, { query: 'x' })
    const missing = await world.powerless.post(`${path}/${unknownRun}/continue`, { query: 'x' })
    expect([answer.status, missing.status]).toEqual([404, 404])
  })

  test('without budget is 402, and the run stays as it was', async () => {
    const other = await openWorld({
      assertBudget: () => {
        if (spent) throw new ApiError(402, 'budget_exhausted', 'The budget is used up.')
      },
    })
    let spent = false
    try {
      const runId = await other.startIn('completed')
      spent = true
      const { status } = await other.owner.post(`${path}/${runId}/continue`, { query: 'x' })
      const { body } = await other.owner.get(`${path}/${runId}`)
      expect([status, body.data.state]).toEqual([402, 'completed'])
    } finally {
      await other.close()
    }
  })

  test('of many at once exactly one wins', async () => {
    const runId = await world.startIn('completed')
    const answers = await Promise.all(Array.from({ length: 20 }, () => resume(runId)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)])
    const { body } = await world.owner.get(`${path}/${runId}/transitions`)
    expect(body.data.items.filter(({ event }: { event: string }) => event === 'continue')).toHaveLength(1)
  })
})

describe('a tool result', () => {
  test.each([
    ['text', 'It is sunny.', 'It is sunny.'],
    ['JSON', '{"sky":["blue"]}', { sky: ['blue'] }],
    ['a number', '42', 42],
    ['broken JSON', '{"sky":', '{"sky":'],
    ['the named form', '{"toolResults":[{"toolCallId":"call_1","result":{"a":1}}]}', { a: 1 }],
    ['something like the named form', '{"toolResults":[]}', { toolResults: [] }],
  ] as [string, string, unknown][])('may be %s', async (_what, query, result) => {
    const runId = await world.startIn('awaitingToolResult')
    const { body } = await resume(runId, { query })
    expect(body.data.state).toBe('queued')
    expect(body.data.awaiting).toBeUndefined()
    expect(await callResults(runId)).toEqual({ call_1: result })
    expect(await lastInput(runId)).toEqual({ query: null, contents: [] })
  })

  test('may come in parts while several calls are pending', async () => {
    const runId = await world.startIn('running')
    await world.runner.awaitTools(runId, 'a', 'b', 'c')
    const named = (...ids: string[]) =>
      resume(runId, {
        query: JSON.stringify({ toolResults: ids.map((toolCallId) => ({ toolCallId, result: `of ${toolCallId}` })) }),
      })
    const first = await named('b')
    expect(first.body.data).toMatchObject({ state: 'awaitingToolResult', awaiting: { toolCallId: 'a' } })
    expect(first.body.data.awaiting.pending.map(({ toolCallId }: { toolCallId: string }) => toolCallId)).toEqual([
      'a',
      'c',
    ])
    expect((await named('b')).status).toBe(422)
    expect((await named('a', 'c')).body.data.state).toBe('queued')
    expect(await callResults(runId)).toEqual({ a: 'of a', b: 'of b', c: 'of c' })
  })

  test.each([
    ['plain text', 'It is sunny.'],
    ['an unknown call', '{"toolResults":[{"toolCallId":"z","result":1}]}'],
    ['a call twice', '{"toolResults":[{"toolCallId":"a","result":1},{"toolCallId":"a","result":2}]}'],
    ['a call without a result', '{"toolResults":[{"toolCallId":"a"}]}'],
    ['JSON that is nested without end', `${'['.repeat(40)}${']'.repeat(40)}`],
  ])('with several calls pending is refused as %s', async (_what, query) => {
    const runId = await world.startIn('running')
    await world.runner.awaitTools(runId, 'a', 'b')
    const { status, body } = await resume(runId, { query })
    expect([status, body.error.code]).toEqual([422, 'validation_failed'])
    expect(await callResults(runId)).toEqual({})
  })

  test('that meets a cancel is not taken for a message', async () => {
    const runId = await world.startIn('awaitingToolResult')
    const [canceled, resumed] = await Promise.all([cancel(runId), resume(runId, { query: 'the result' })])
    expect([canceled.status, resumed.status]).toEqual([200, 200])
    const { body } = await world.owner.get(`${path}/${runId}/transitions`)
    const events = body.data.items.slice(-2).map(({ event }: { event: string }) => event)
    // whichever came first: the words are the tool's result, or they are a message, and never lost
    if (events[0] === 'cancel') expect(await lastInput(runId)).toEqual({ query: 'the result', contents: [] })
    else expect(await callResults(runId)).toEqual({ call_1: 'the result' })
  })
})

describe("a delegate's result", () => {
  test('may be null, or an error', async () => {
    const one = await world.startIn('awaitingDelegateResult')
    expect((await give(one, { toolCallId: 'call_1', result: null })).body.data.state).toBe('queued')
    expect(await callResults(one)).toEqual({ call_1: null })
    const other = await world.startIn('awaitingDelegateResult')
    const error = { code: 'busy', message: 'Come back.' }
    expect((await give(other, { toolCallId: 'call_1', error })).body.data.state).toBe('queued')
    expect(await callResults(other)).toEqual({ call_1: { error } })
  })

  test('is awaited until the last one has come', async () => {
    const runId = await world.startIn('running')
    await world.runner.awaitDelegates(runId, 'a', 'b')
    expect((await give(runId, { toolCallId: 'a', result: 1 })).body.data.state).toBe('awaitingDelegateResult')
    expect((await give(runId, { toolCallId: 'a', result: 2 })).status).toBe(409)
    expect((await give(runId, { toolCallId: 'b', result: 2 })).body.data.state).toBe('queued')
    expect(await callResults(runId)).toEqual({ a: 1, b: 2 })
  })

  test.each([
    ['both', { toolCallId: 'call_1', result: 1, error: { code: 'x', message: 'y' } }],
    ['neither', { toolCallId: 'call_1' }],
    ['an unknown call', { toolCallId: 'call_9', result: 1 }],
    ['no call', { result: 1 }],
    ['an error without a message', { toolCallId: 'call_1', error: { code: 'x' } }],
    ['an unknown field', { toolCallId: 'call_1', result: 1, note: 'x' }],
  ] as [string, object][])('with %s is 422', async (_what, body) => {
    expect((await give(await world.startIn('awaitingDelegateResult'), body)).status).toBe(422)
  })
})

describe("another organization's run, one outside the key's scope and one that never was are the same 404", () => {
  test.each([
    ['GET', ''],
    ['POST', '/cancel'],
    ['POST', '/continue', { query: 'x' }],
    ['POST', '/delegate-results', { toolCallId: 'x', result: 1 }],
    ['GET', '/transitions'],
    ['GET', '/steps'],
    ['GET', '/steps/1'],
    ['GET', '/steps/1/checkpoints/1'],
    ['GET', '/checkpoints'],
    ['GET', '/checkpoints/latest'],
    ['GET', '/stream'],
  ] as [string, string, object | undefined][])('%s %s', async (method, below, ...[body]) => {
    const runId = await world.startIn('completed')
    const answers = [
      await world.foreigner.call(method, `${path}/${runId}${below}`, body),
      await world.bound.call(method, `${path}/${runId}${below}`, body),
      await world.owner.call(method, `${path}/${unknownRun}${below}`, body),
      await world.owner.call(method, `${path}/run_x${below}`, body),
    ]
    const texts = answers.map(({ status, body: answer }) =>
      JSON.stringify([status, { ...answer.error, requestId: '' }]),
    )
    expect(new Set(texts).size).toBe(1)
    expect(answers[0]?.status).toBe(404)
  })

  test.each([
    ['GET', '', 'agent-runs:get'],
    ['POST', '/cancel', 'agent-runs:cancel'],
    ['POST', '/delegate-results', 'agent-runs:update'],
    ['GET', '/transitions', 'agent-runs:get'],
    ['GET', '/steps', 'agent-runs:steps:list'],
    ['GET', '/steps/1', 'agent-runs:steps:get'],
    ['GET', '/steps/1/checkpoints/1', 'agent-runs:steps:checkpoints:get'],
    ['GET', '/checkpoints', 'agent-runs:checkpoints:list'],
    ['GET', '/checkpoints/latest', 'agent-runs:steps:checkpoints:get'],
    ['GET', '/stream', 'agent-runs:stream'],
  ])('without the permission %s %s is 403 %s', async (method, below, permission) => {
    const { status, body } = await world.powerless.call(method, `${path}/${await world.start()}${below}`)
    expect([status, body.error.details]).toEqual([403, { permission }])
  })
})
