import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openWorld, type World } from './world.ts'

const path = '/api/v1/agent-runs'
let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

const cancel = (runId: string) => world.owner.post(`${path}/${runId}/cancel`)
const resume = (runId: string, body: object = {}) =>
  world.owner.post(`${path}/${runId}/continue`, { query: 'Go on', ...body })
const give = (runId: string, body: object) => world.owner.post(`${path}/${runId}/delegate-results`, body)
/** The result of a call, or `{error}`. */
const given = (outcome: { result?: unknown }) => ('result' in outcome ? outcome.result : outcome)
const callResults = async (runId: string) => {
  const rows = await world.store.all<{ tool_call_id: string; outcome: string }>({
    sql: 'select tool_call_id, outcome from call_results where run_id = ? order by tool_call_id',
    parameters: [runId],
  })
  return Object.fromEntries(rows.map((row) => [row.tool_call_id, given(JSON.parse(row.outcome))]))
}
const lastInput = async (runId: string) => {
  const sql = 'select body from run_inputs where run_id = ? order by chain desc limit 1'
  return JSON.parse((await world.store.first<{ body: string }>({ sql, parameters: [runId] }))?.body ?? '')
}

describe('a tool result', () => {
  test.each([
    ['text', 'It is sunny.', 'It is sunny.'],
    ['JSON', '{"sky":["blue"]}', { sky: ['blue'] }],
    ['a number', '42', 42],
    ['broken JSON', '{"sky":', '{"sky":'],
    ['the named form', '{"toolResults":[{"toolCallId":"call_1","result":{"a":1}}]}', { a: 1 }],
    ['an object that resembles the named form', '{"toolResults":[]}', { toolResults: [] }],
  ] as [string, string, unknown][])('can be %s', async (_what, query, result) => {
    const runId = await world.startIn('awaitingToolResult')
    const { body } = await resume(runId, { query })
    expect(body.data.state).toBe('queued')
    expect(body.data.awaiting).toBeUndefined()
    expect(await callResults(runId)).toEqual({ call_1: result })
    expect(await lastInput(runId)).toEqual({ query: null, contents: [] })
  })

  test.each([
    ['without the result', '{"toolResults":[{"toolCallId":"call_1"}]}', 0],
    ['beside an item that names no call', '{"toolResults":[{"toolCallId":"call_1","result":1},{"result":2}]}', 1],
  ])('of the named form, %s, is refused also for the only call', async (_what, query, index) => {
    const runId = await world.startIn('awaitingToolResult')
    const { status, body } = await resume(runId, { query })
    expect([status, body.error.details.issues.map(({ path }: { path: string }) => path)]).toEqual([
      422,
      [`/body/query/toolResults/${index}`],
    ])
    expect(await callResults(runId)).toEqual({})
  })

  test('can come in parts while several calls are pending', async () => {
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

  test('in a run that waits for none are refused as a message', async () => {
    const runId = await world.startIn('running')
    await world.runner.awaitTools(runId, 'a')
    await world.owner.post(`/api/v1/agent-runs/${runId}/cancel`)
    const late = await resume(runId, { query: '{"toolResults":[{"toolCallId":"a","result":1}]}' })
    expect([late.status, late.body.error.details.issues[0].path]).toEqual([422, '/body/query'])
    // an object that merely resembles one
    expect((await resume(runId, { query: 'What are "toolResults"?' })).body.data.state).toBe('queued')
  })

  test.each([
    ['plain text', 'It is sunny.'],
    ['an unknown call', '{"toolResults":[{"toolCallId":"z","result":1}]}'],
    ['a repeated call', '{"toolResults":[{"toolCallId":"a","result":1},{"toolCallId":"a","result":2}]}'],
    ['a call without a result', '{"toolResults":[{"toolCallId":"a"}]}'],
    ['endlessly nested JSON', `${'['.repeat(40)}${']'.repeat(40)}`],
  ])('with several calls pending is refused as %s', async (_what, query) => {
    const runId = await world.startIn('running')
    await world.runner.awaitTools(runId, 'a', 'b')
    const { status, body } = await resume(runId, { query })
    expect([status, body.error.code]).toEqual([422, 'validation_failed'])
    expect(await callResults(runId)).toEqual({})
  })

  test('that races with a cancel is not mistaken for a message', async () => {
    const runId = await world.startIn('awaitingToolResult')
    const [canceled, resumed] = await Promise.all([cancel(runId), resume(runId, { query: 'the result' })])
    expect([canceled.status, resumed.status]).toEqual([200, 200])
    const { body } = await world.owner.get(`${path}/${runId}/transitions`)
    const events = body.data.items.slice(-2).map(({ event }: { event: string }) => event)
    // whichever came first: the text is the tool's result or a message, and never lost
    if (events[0] === 'cancel') expect(await lastInput(runId)).toEqual({ query: 'the result', contents: [] })
    else expect(await callResults(runId)).toEqual({ call_1: 'the result' })
  })
})

describe("a delegate's result", () => {
  test('can be null, or an error', async () => {
    const one = await world.startIn('awaitingDelegateResult')
    expect((await give(one, { toolCallId: 'call_1', result: null })).body.data.state).toBe('queued')
    expect(await callResults(one)).toEqual({ call_1: null })
    const other = await world.startIn('awaitingDelegateResult')
    const error = { code: 'busy', message: 'Come back.' }
    expect((await give(other, { toolCallId: 'call_1', error })).body.data.state).toBe('queued')
    expect(await callResults(other)).toEqual({ call_1: { error } })
  })

  test('is awaited until the last one has arrived', async () => {
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
