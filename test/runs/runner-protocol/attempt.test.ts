/** An attempt from its lease to its end, as reported by an external runner. Source: contract 5, "Runner protocol". */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Client } from '../../support/client.ts'
import {
  checkpointOf,
  expectWhole,
  expectWholeStream,
  framesOf,
  getRun,
  inState,
  start,
  stepsOf,
} from '../../support/run-records.ts'
import { awaits, calls, completed, conversation, failed, lease, textDelta } from '../../support/simulated-runner.ts'
import { call, openWorld, type World } from './support/held-attempts.ts'

let world: World
let client: Client
let leased: World['leased']
let running: World['running']
beforeAll(async () => {
  world = await openWorld()
  ;({ client, leased, running } = world)
})
afterAll(() => world?.stop())

const usage = (inputTokens: number, outputTokens: number) => ({
  inputTokens,
  outputTokens,
  totalTokens: inputTokens + outputTokens,
  cachedInputTokens: 0,
  reasoningTokens: 0,
})

test('an assignment contains everything that an attempt needs', async () => {
  const run = await start(client, 'What is 1+1?', {
    contents: [{ type: 'text', text: 'Think.' }],
    reasoningBudget: 'low',
    maxRetries: 1,
  })
  const { lease: held, assignment, token } = await lease(client, world.runnerToken)
  expect(held).toEqual({
    attemptId: expect.stringMatching(/^att_/),
    agentRunId: run.id,
    fencingToken: expect.any(Number),
    expiresAt: expect.stringMatching(/^\d{4}-.*Z$/),
  })
  expect(Date.parse(held.expiresAt)).toBeGreaterThan(Date.now())
  expect(token.split('.')).toHaveLength(3)
  const { organizationId, agentId, agentRevisionId } = run
  expect(assignment).toMatchObject({
    run: { id: run.id, organizationId, agentId, agentRevisionId },
    attempt: 1,
    chain: 1,
    chainAttempt: 1,
    agent: { name: 'Assistant' },
    model: { provider: 'sandbox', model: 'sandbox', reasoningBudget: 'low' },
    input: { query: 'What is 1+1?', contents: [{ type: 'text', text: 'Think.' }] },
    resume: null,
    settledCalls: [],
    interruptedCalls: [],
    heartbeatMs: 10_000,
  })
  expect(assignment.agent.content.tools.map(({ name }: { name: string }) => name)).toEqual([
    'clock',
    'calculator',
    'echo',
  ])
  expect(await getRun(client, run.id)).toMatchObject({ state: 'starting', attempt: 1 })
})

test('the run shows the reported steps, checkpoints, text and end', async () => {
  const attempt = await leased('What is 1+1?')
  const id = attempt.runId
  expect((await attempt.boot()).body.data).toMatchObject({ id, state: 'running', attempt: 1 })
  expect((await attempt.beat(0)).body.data).toMatchObject({ signal: 'continue' })

  const execution = { provider: 'sandbox', model: 'sandbox' }
  const started = await attempt.startStep({ kind: 'model', name: 'sandbox', input: { messages: 1 }, execution })
  expect(started.status).toBe(201)
  const model = started.body.data.agentStepId
  const [root] = await stepsOf(client, id)
  expect(root).toMatchObject({ kind: 'agent', name: 'Assistant', status: 'running', parentAgentStepId: null })
  expect(started.body.data).toMatchObject({
    parentAgentStepId: root.agentStepId,
    status: 'running',
    attempt: 1,
    execution: { ...execution, toolCallId: null, retries: 0 },
  })
  expect((await attempt.report([textDelta(model, 'Let me '), textDelta(model, 'see')])).body.data).toEqual({
    accepted: 2,
  })
  const output = { text: 'Let me see', toolCalls: [call] }
  const ended = await attempt.endStep(model, {
    status: 'completed',
    output,
    tokenUsage: usage(3, 4),
    execution: { finishReason: 'tool-calls' },
  })
  expect(ended.body.data).toMatchObject({
    status: 'completed',
    output,
    tokenUsage: usage(3, 4),
    execution: { ...execution, finishReason: 'tool-calls' },
  })
  const asked = conversation([{ role: 'user', content: 'What is 1+1?' }, calls(call)], [call])
  const kept = await attempt.checkpoint(model, asked)
  expect(kept.status).toBe(201)
  expect(kept.body.data).toMatchObject({ sequence: 1, kind: 'step', agentStepId: model, attempt: 1 })
  expect((await checkpointOf(client, id)).runtimeCheckpoint).toEqual(asked)

  const tool = await attempt.begin({
    kind: 'tool',
    name: 'calculator',
    input: call.input,
    execution: { toolCallId: 'call_1' },
  })
  await attempt.endStep(tool, { status: 'completed', output: { result: 2 } })
  const done = await attempt.complete(completed('2'))
  expect(done.body.data).toMatchObject({ id, state: 'completed', stopReason: 'end_turn', attempt: 1 })
  expect(done.body.data.outputDigest).toMatch(/^sha256:[0-9a-f]{64}$/)

  const steps = await stepsOf(client, id)
  expect(steps.map(({ kind, status }) => [kind, status])).toEqual([
    ['agent', 'completed'],
    ['model', 'completed'],
    ['tool', 'completed'],
  ])
  expect(steps[0]).toMatchObject({
    output: '2',
    tokenUsage: usage(3, 4),
    lastCheckpointId: kept.body.data.checkpointId,
  })
  expect(steps[2]).toMatchObject({ execution: { toolCallId: 'call_1' }, output: { result: 2 } })
  await expectWhole(client, id)
  const { frames } = await expectWholeStream(client, id)
  expect(
    frames.map(({ event }) => event).filter((event) => event !== 'run.transition' && event !== 'step.delta'),
  ).toEqual([
    'step.started',
    'step.started',
    'step.completed',
    'checkpoint.created',
    'step.started',
    'step.completed',
    'step.completed',
    'end',
  ])
})

describe('a report that is repeated because its answer was lost takes effect once', () => {
  test('boot', async () => {
    const attempt = await running('/say hi')
    expect((await attempt.boot()).body.data).toMatchObject({ state: 'running' })
    expect(await stepsOf(client, attempt.runId)).toHaveLength(1)
    const step = await attempt.begin({ kind: 'model', name: 'sandbox' })
    expect((await stepsOf(client, attempt.runId)).at(-1)).toMatchObject({
      agentStepId: step,
      parentAgentStepId: expect.any(Number),
    })
  })
  test('the start of a step, a checkpoint and text, with the same Idempotency-Key', async () => {
    const attempt = await running('/say hi')
    const key = (name: string) => ({ headers: { 'idempotency-key': name } })
    const step = { kind: 'model', name: 'sandbox', input: { messages: 1 } }
    const [one, other] = [await attempt.startStep(step, key('1')), await attempt.startStep(step, key('1'))]
    expect([one.status, other.status, other.body.data]).toEqual([201, 201, one.body.data])
    expect((await attempt.startStep(step, key('2'))).body.data.agentStepId).not.toBe(one.body.data.agentStepId)
    expect((await attempt.startStep({ ...step, name: 'other' }, key('1'))).status).toBe(422)
    const { agentStepId } = one.body.data
    const body = conversation([{ role: 'user', content: 'hi' }])
    const kept = [
      await attempt.checkpoint(agentStepId, body, 'step', key('3')),
      await attempt.checkpoint(agentStepId, body, 'step', key('3')),
    ]
    expect(kept.map(({ body: { data } }) => data.sequence)).toEqual([1, 1])
    for (const _ of [1, 2]) expect((await attempt.report([textDelta(agentStepId, 'once')], key('4'))).status).toBe(200)
    const both = await Promise.all([attempt.startStep(step, key('5')), attempt.startStep(step, key('5'))])
    expect(new Set(both.map(({ body: { data } }) => data.agentStepId)).size).toBe(1)
    expect(await stepsOf(client, attempt.runId)).toHaveLength(4)
    await attempt.complete(completed('done'))
    const texts = (await framesOf(client, attempt.runId)).filter(({ event }) => event === 'step.delta')
    expect(texts.map(({ data }) => (data.data ?? data).text)).toEqual(['once'])
  })
  test('the completion: the same one gets the same answer, another one is stale', async () => {
    const attempt = await running('/say hi')
    const [first, second] = [await attempt.complete(completed('a')), await attempt.complete(completed('a'))]
    expect([first.status, second.status, second.body.data]).toEqual([200, 200, first.body.data])
    for (const other of [completed('b'), failed(false), failed(true), { outcome: 'canceled' }, awaits('tool', 'x')]) {
      const { status, body } = await attempt.complete(other)
      expect({ status, code: body.error?.code }).toEqual({ status: 409, code: 'stale_attempt' })
    }
    expect((await attempt.beat()).body.error).toMatchObject({
      code: 'stale_attempt',
      details: { currentState: 'completed' },
    })
    await expectWhole(client, attempt.runId)
  })
  test('an ended step is unchanged', async () => {
    const attempt = await running('/say hi')
    const step = await attempt.begin({ kind: 'tool', name: 'echo', execution: { toolCallId: 'call_1' } })
    await attempt.endStep(step, { status: 'completed', output: 'first' })
    expect((await attempt.endStep(step, { status: 'failed', output: 'second' })).body.data).toMatchObject({
      status: 'completed',
      output: 'first',
      execution: { toolCallId: 'call_1' },
    })
  })
})

describe('signals', () => {
  test('a heartbeat reports a cancel until the runner has stopped', async () => {
    const attempt = await running('/say hi')
    expect((await client.post(`/api/v1/agent-runs/${attempt.runId}/cancel`)).body.data.state).toBe('canceling')
    for (const _ of [1, 2]) expect((await attempt.beat()).body.data.signal).toBe('cancel')
    // The current step is completed, and reported like any other.
    const step = await attempt.begin({ kind: 'model', name: 'sandbox' })
    expect((await attempt.endStep(step, { status: 'canceled', output: { text: 'so far' } })).status).toBe(200)
    expect((await attempt.complete({ outcome: 'canceled' })).body.data).toMatchObject({ state: 'canceled' })
    expect((await attempt.complete({ outcome: 'canceled' })).status).toBe(200)
    await expectWhole(client, attempt.runId)
  })
  test.each([
    ['completed', completed('too late')],
    ['failed permanently', failed(false)],
    ['failed temporarily', failed(true)],
    ['awaiting a tool', awaits('tool', 'call_1')],
  ])('while canceling, the report %s settles the run as canceled', async (_, report) => {
    const attempt = await running('/say hi')
    await client.post(`/api/v1/agent-runs/${attempt.runId}/cancel`)
    expect((await attempt.complete(report)).body.data).toMatchObject({ state: 'canceled', stateReason: null })
    await expectWhole(client, attempt.runId)
  })
  test('a report before the boot is refused, and says that the boot is missing', async () => {
    const attempt = await leased('/say hi')
    const early = await attempt.complete(completed('done'))
    expect(early).toMatchObject({ status: 409, body: { error: { details: { currentState: 'starting' } } } })
    expect(early.body.error.message).toContain('`POST …/boot`')
    expect((await attempt.boot()).status).toBe(200)
    expect((await attempt.complete(completed('done'))).body.data.state).toBe('completed')
  })
  test('a run that is canceled before its boot is stale for its runner', async () => {
    const attempt = await leased('/say hi')
    expect((await client.post(`/api/v1/agent-runs/${attempt.runId}/cancel`)).body.data.state).toBe('canceled')
    expect((await attempt.boot()).body.error).toMatchObject({
      code: 'stale_attempt',
      details: { currentState: 'canceled' },
    })
    expect((await attempt.beat()).status).toBe(409)
    expect(await stepsOf(client, attempt.runId)).toEqual([])
  })
  test('no report is accepted from an attempt that has not booted', async () => {
    const attempt = await leased('/say hi')
    expect((await attempt.startStep({ kind: 'model', name: 'sandbox' })).status).toBe(409)
    expect((await attempt.complete(completed('early'))).status).toBe(409)
    expect((await attempt.boot()).status).toBe(200)
    expect((await attempt.complete(completed('now'))).body.data.state).toBe('completed')
  })
})

test('a checkpoint can be large, and is returned completely', async () => {
  const attempt = await running('/say hi')
  const step = await attempt.begin({ kind: 'model', name: 'sandbox' })
  const large = conversation([{ role: 'user', content: 'ä"\n'.repeat(1_200_000) }])
  expect((await attempt.checkpoint(step, large)).status).toBe(201)
  await attempt.complete(failed(true))
  const next = await lease(client, world.runnerToken)
  expect(next.runId).toBe(attempt.runId)
  // Without a matcher, which would print millions of characters.
  expect(Bun.deepEquals(next.assignment.resume, large)).toBe(true)
  await next.boot()
  const huge = conversation([{ role: 'user', content: 'x'.repeat(33 * 1024 * 1024) }])
  const nextStep = await next.begin({ kind: 'model', name: 'sandbox' })
  expect((await next.checkpoint(nextStep, huge)).status).toBe(413)
  expect((await next.complete(completed('hi'))).status).toBe(200)
  await inState(client, next.runId, 'completed')
})
