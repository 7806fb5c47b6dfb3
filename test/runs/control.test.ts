import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ApiError } from '../../src/platform/http/answers/errors.ts'
import { id } from './tenants.ts'
import { callers, openWorld, type World } from './world.ts'

const path = '/api/v1/agent-runs'
const unknownRun = 'run_01h455vb4pex5vsknk084sn02q'
let world: World
beforeAll(async () => {
  world = await openWorld({ credentials: ['openai'] })
})
afterAll(() => world?.close())

const cancel = (runId: string) => world.owner.post(`${path}/${runId}/cancel`)
const force = (runId: string) => world.owner.post(`${path}/${runId}/cancel`, undefined, { query: { force: 'true' } })
const resume = (runId: string, body: object = {}) =>
  world.owner.post(`${path}/${runId}/continue`, { query: 'Go on', ...body })
const give = (runId: string, body: object) => world.owner.post(`${path}/${runId}/delegate-results`, body)
const lastInput = async (runId: string) => {
  const sql = 'select body from run_inputs where run_id = ? order by chain desc limit 1'
  return JSON.parse((await world.store.first<{ body: string }>({ sql, parameters: [runId] }))?.body ?? '')
}

// Source: requirement 3, "Agent Run lifecycle states".
const table: {
  given: string
  cancel: string | number
  force: string | number
  continue: string | number
  delegate: string | number
}[] = [
  { given: 'queued', cancel: 'canceled', force: 'canceled', continue: 409, delegate: 409 },
  { given: 'acquiring', cancel: 'canceled', force: 'canceled', continue: 409, delegate: 409 },
  { given: 'starting', cancel: 'canceled', force: 'canceled', continue: 409, delegate: 409 },
  { given: 'running', cancel: 'canceling', force: 'canceled', continue: 409, delegate: 409 },
  { given: 'awaitingToolResult', cancel: 'canceled', force: 'canceled', continue: 'queued', delegate: 409 },
  { given: 'awaitingDelegateResult', cancel: 'canceled', force: 'canceled', continue: 400, delegate: 'queued' },
  { given: 'canceling', cancel: 'canceling', force: 'canceled', continue: 409, delegate: 409 },
  { given: 'completed', cancel: 409, force: 409, continue: 'queued', delegate: 409 },
  { given: 'failed', cancel: 409, force: 409, continue: 'queued', delegate: 409 },
  { given: 'canceled', cancel: 'canceled', force: 'canceled', continue: 'queued', delegate: 409 },
  { given: 'expired', cancel: 409, force: 409, continue: 409, delegate: 409 },
]
const commands = {
  cancel,
  force,
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

test('a continue with results while a delegate is awaited is 400, as any other', async () => {
  const query = JSON.stringify({ toolResults: [{ toolCallId: 'call_1', result: 1 }] })
  const { status, body } = await resume(await world.startIn('awaitingDelegateResult'), { query })
  expect([status, body.error.code]).toEqual([400, 'run_awaiting_external_result'])
})

describe('cancel', () => {
  test('requires an API key: a session is 401', async () => {
    const { status, body } = await world.session.post(`${path}/${await world.start()}/cancel`)
    expect([status, body.error.code]).toEqual([401, 'unauthenticated'])
  })

  test('records the actor in the journal', async () => {
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
  test('opens a chain with the new message and clears the last outcome', async () => {
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

  test('uses the retries and the model of the request', async () => {
    const runId = await world.startIn('completed')
    await resume(runId, { maxRetries: 7, provider: 'openai', model: 'gpt-5.5', reasoningBudget: 10 })
    const actor = await world.actors.read<{ row: { binding: string } }>({ kind: 'run', id: runId })
    expect(actor?.context).toMatchObject({ maxRetries: 7, retriesLeft: 7 })
    const binding = {
      provider: 'openai',
      model: 'gpt-5.5',
      reasoningBudget: 10,
      credential: { id: id('crd', '1'), version: 3 },
    }
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

  test('has no 403: without the permission it is 404', async () => {
    const runId = await world.startIn('completed')
    const answer = await world.powerless.post(`${path}/${runId}/continue`, { query: 'x' })
    const missing = await world.powerless.post(`${path}/${unknownRun}/continue`, { query: 'x' })
    expect([answer.status, missing.status]).toEqual([404, 404])
  })

  test('without budget is 402, and the run is unchanged', async () => {
    const other = await openWorld({
      reserve: () => {
        if (spent) throw new ApiError(402, 'budget_exhausted', 'The budget is used up.')
        return undefined
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

  test('of many concurrent ones exactly one succeeds', async () => {
    const runId = await world.startIn('completed')
    const answers = await Promise.all(Array.from({ length: 20 }, () => resume(runId)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)])
    const { body } = await world.owner.get(`${path}/${runId}/transitions`)
    expect(body.data.items.filter(({ event }: { event: string }) => event === 'continue')).toHaveLength(1)
  })
})
