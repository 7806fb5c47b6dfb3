/** Requests of forks: what they keep of their source, and what is refused. Source: contract 14, "Fork". */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Reply } from '../../support/client.ts'
import { callers, openWorld, type World } from '../world.ts'

const path = '/api/v1/agent-runs'
let world: World
beforeAll(async () => {
  world = await openWorld({ credentials: ['openai'] })
})
afterAll(() => world?.close())

const fork = (runId: string, body: object = {}, headers: Record<string, string> = {}, client = world.owner) =>
  client.post(`${path}/${runId}/fork`, body, { headers })
const seedOf = async (runId: string) =>
  (await world.actors.read<{ row: Reply['body'] }>({ kind: 'run', id: runId }))!.row.row
const inputOf = async (runId: string) => {
  const sql = 'select body from run_inputs where run_id = ? and chain = 1'
  return JSON.parse((await world.store.first<{ body: string }>({ sql, parameters: [runId] }))?.body ?? '')
}
const user = (content: string) => ({ role: 'user' as const, content })

/** A completed run, its checkpoint of kind `step` and its final one. */
async function completed(body: object = {}) {
  const runId = await world.start(body)
  const step = await world.runner.begin(runId)
  const state = { version: 1 as const, stepCount: 1, pendingToolCalls: [], chain: 1 }
  const at = (kind: 'step' | 'final', messages: ReturnType<typeof user>[]) =>
    world.runner.checkpoint(runId, step, { kind, runtimeCheckpoint: { ...state, messages } })
  const stepId = await at('step', [user('Hello')])
  const finalId = await at('final', [user('Hello'), user('there')])
  await world.runner.complete(runId)
  return { runId, stepId, finalId }
}

describe('a fork', () => {
  test('keeps the revision, the Deployment, the model, the context and the subject of its source', async () => {
    const context = { customerId: 'c-4711' }
    const { runId, stepId } = await completed({ maxRetries: 5, provider: 'openai', model: 'gpt-5.5', context })
    for (const checkpointId of [0, stepId]) {
      const { status, body } = await fork(runId, { checkpointId })
      expect([status, body.data]).toMatchObject([
        200,
        { state: 'queued', attempt: 0, turn: 1, forkedFrom: { agentRunId: runId, checkpointId } },
      ])
      const [source, made] = await Promise.all([seedOf(runId), seedOf(body.data.id)])
      for (const name of ['agent_id', 'agent_revision_id', 'deployment_id', 'binding', 'subject_user_id', 'query']) {
        expect({ name, value: made[name] }).toEqual({ name, value: source[name] })
      }
      expect((await world.actors.read({ kind: 'run', id: body.data.id }))?.context).toMatchObject({ maxRetries: 5 })
      expect((await world.owner.get(`${path}/${body.data.id}/transitions`)).body.data.items).toHaveLength(1)
      const stored = await world.store.first<{ body: string }>({
        sql: 'select body from run_contexts where run_id = ?',
        parameters: [body.data.id],
      })
      expect(JSON.parse(stored?.body ?? '')).toEqual(context)
    }
  })

  test('has checkpoint 0, with the conversation that it begins with', async () => {
    const { runId, stepId } = await completed()
    const { body } = await fork(runId, { checkpointId: stepId, query: 'More' })
    const latest = await world.owner.get(`${path}/${body.data.id}/checkpoints/latest`)
    expect(latest.body.data).toMatchObject({
      checkpoint: { checkpointId: 0, kind: 'input' },
      runtimeCheckpoint: { messages: [user('Hello'), user('More')], chain: 1 },
    })
    expect((await inputOf(body.data.id)).query).toBe('More')
  })

  test('uses another model of the same provider', async () => {
    const { runId } = await completed({ provider: 'openai', model: 'gpt-5.5' })
    const { body } = await fork(runId, { model: 'gpt-5.5-mini' })
    const [source, made] = await Promise.all([seedOf(runId), seedOf(body.data.id)])
    expect(JSON.parse(made.binding)).toEqual({ ...JSON.parse(source.binding), model: 'gpt-5.5-mini' })
    const refused = await fork(runId, { model: 'claude-sonnet-4' })
    expect([refused.status, refused.body.error.code]).toEqual([400, 'invalid_model'])
  })

  test('is possible in every state of the source, which it does not change', async () => {
    for (const state of ['queued', 'acquiring', 'running', 'canceling', 'awaitingToolResult', 'failed', 'expired']) {
      const runId = await world.startIn(state)
      const before = await world.owner.get(`${path}/${runId}`)
      expect({ state, status: (await fork(runId)).status }).toEqual({ state, status: 200 })
      expect((await world.owner.get(`${path}/${runId}`)).body).toEqual(before.body)
    }
  })

  test('is made once for one Idempotency-Key', async () => {
    const { runId, finalId } = await completed()
    const key = { 'idempotency-key': crypto.randomUUID() }
    const body = { checkpointId: finalId, query: 'More' }
    const answers = await Promise.all([fork(runId, body, key), fork(runId, body, key)])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(answers[1]?.body.data.id).toBe(answers[0]?.body.data.id)
    const { body: other } = await fork(runId, { ...body, query: 'Less' }, key)
    expect(other.error.code).toBe('idempotency_key_reused')
  })

  test('requires agent-runs:create, and agent-runs:personalize for a subject', async () => {
    const { runId } = await completed({ subjectUserId: callers.colleague.userId as string })
    expect((await fork(runId, {}, {}, world.powerless)).status).toBe(403)
    const impersonal = await fork(runId, {}, {}, world.impersonal)
    expect(impersonal.body.error.details).toEqual({ permission: 'agent-runs:personalize' })
    expect((await fork(runId, {}, {}, world.foreigner)).status).toBe(404)
    const made = await fork(runId)
    expect(made.body.data.subjectUserId).toBe(callers.colleague.userId as string)
  })
})

describe('is refused', () => {
  const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'ask', input: {} }
  const result = { type: 'tool-result', toolCallId: 'c1', toolName: 'ask', output: { type: 'text', value: 'x' } }
  const calling = { role: 'assistant', content: [call] }
  const answering = { role: 'tool', content: [result] }
  const answer = { role: 'assistant', content: 'Done.' }

  test('at a final checkpoint without a query and without messages', async () => {
    const { runId, finalId } = await completed()
    const { status, body } = await fork(runId, { checkpointId: finalId })
    expect([status, body.error.code, body.error.details.issues[0].path]).toEqual([
      422,
      'validation_failed',
      '/body/query',
    ])
    for (const more of [
      { query: 'More' },
      { messages: [user('Hello')] },
      { contents: [{ type: 'text', text: 'x' }] },
    ]) {
      expect((await fork(runId, { checkpointId: finalId, ...more })).status).toBe(200)
    }
  })

  test('at a checkpoint that does not exist, and at one of another run', async () => {
    const { runId } = await completed()
    const other = await completed()
    for (const checkpointId of [other.stepId, 987_654_321]) {
      const { status, body } = await fork(runId, { checkpointId })
      expect([status, body.error.code]).toEqual([404, 'not_found'])
      expect(body.error.details.issues[0].path).toBe('/body/checkpointId')
    }
  })

  test('once the content of the source was removed, as a continue is', async () => {
    const { runId, stepId } = await completed()
    world.clock.advance(31 * 86_400_000)
    await world.runs.contentRetention.prune(500)
    const continued = await world.owner.post(`${path}/${runId}/continue`, { query: 'More' })
    for (const checkpointId of [0, stepId]) {
      const { status, body } = await fork(runId, { checkpointId, query: 'More' })
      expect([status, body.error.code, body.error.details]).toEqual([
        continued.status,
        continued.body.error.code,
        continued.body.error.details,
      ])
    }
    expect(continued.body.error.details.conflictReason).toBe('content_removed')
  })

  test('at a damaged checkpoint, with a hint at the others', async () => {
    const { runId, stepId } = await completed()
    const damage = `update checkpoints set messages = '[]' where checkpoint_id = ?`
    await world.store.commit([{ sql: damage, parameters: [stepId] }])
    const { status, body } = await fork(runId, { checkpointId: stepId })
    expect([status, body.error.details]).toEqual([409, { conflictReason: 'checkpoint_damaged' }])
    expect(world.errors.splice(0)).toHaveLength(1)
  })

  test.each([
    ['an empty query', { query: ' ' }, 400, undefined],
    ['a negative checkpoint', { checkpointId: -1 }, 422, '/body/checkpointId'],
    ['no messages', { messages: [] }, 422, '/body/messages'],
    ['a message of the system', { messages: [{ role: 'system', content: 'x' }] }, 422, '/body/messages/0/role'],
    ['an answer at the end, without a query', { messages: [user('Hi'), answer] }, 422, '/body/messages/1'],
    ['an empty message', { messages: [user('')] }, 422, '/body/messages/0/content'],
    ['a call without a result', { messages: [user('Hi'), calling, user('x')] }, 422, '/body/messages/2'],
    ['a result without a call', { messages: [user('Hi'), answering] }, 422, '/body/messages/1/content/0/toolCallId'],
    [
      'a call id that is used twice',
      { messages: [user('Hi'), calling, answering, calling] },
      422,
      '/body/messages/3/content/0/toolCallId',
    ],
    [
      'the result of another tool',
      { messages: [user('Hi'), calling, { role: 'tool', content: [{ ...result, toolName: 'other' }] }] },
      422,
      '/body/messages/2/content/0/toolName',
    ],
    [
      'a file that has to be fetched',
      { messages: [{ role: 'user', content: [{ type: 'image', image: 'https://example.com/a.png' }] }] },
      422,
      '/body/messages/0/content/0/image',
    ],
    ['another field', { threadKey: 'x' }, 422, '/body/threadKey'],
  ] as [string, object, number, string | undefined][])('with %s', async (_, body, status, at) => {
    const { runId } = await completed()
    const answer = await fork(runId, body)
    expect([answer.status, answer.body.error.details?.issues[0]?.path]).toEqual([status, at])
  })
})
