/** The assignment of a further attempt, and when it is made. Source: contract 5, "Runner protocol". */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Client } from '../../support/client.ts'
import { expectWhole, stepsOf } from '../../support/run-records.ts'
import { askForWork, awaits, calls, completed, conversation, failed, lease } from '../../support/simulated-runner.ts'
import { call, openWorld, type World } from './support/held-attempts.ts'

let world: World
let client: Client
let running: World['running']
beforeAll(async () => {
  world = await openWorld()
  ;({ client, running } = world)
})
afterAll(() => world?.stop())

describe('another attempt', () => {
  test('after a retryable failure follows the back-off, with the results of the first one', async () => {
    const attempt = await running('What is 1+1?')
    const model = await attempt.begin({ kind: 'model', name: 'sandbox' })
    const [kept, repeatable, lost] = ['call_1', 'call_2', 'call_3'].map((toolCallId) => ({ ...call, toolCallId }))
    const asked = [kept, repeatable, lost] as (typeof call)[]
    const resume = conversation([{ role: 'user', content: 'What is 1+1?' }, calls(...asked)], asked)
    await attempt.endStep(model, { status: 'completed' })
    await attempt.checkpoint(model, resume)
    const tool = (toolCallId: string) => attempt.begin({ kind: 'tool', name: 'calculator', execution: { toolCallId } })
    await attempt.endStep(await tool('call_1'), { status: 'completed', output: { result: 2 } })
    await attempt.endStep(await tool('call_2'), {
      status: 'failed',
      error: { code: 'tool_error', message: 'Division by zero.' },
    })
    await tool('call_3')
    const requeued = await attempt.complete(failed(true))
    expect(requeued.body.data).toMatchObject({ state: 'queued', stateReason: { code: 'provider_error' } })

    const next = await lease(client, world.runnerToken)
    expect(next.runId).toBe(attempt.runId)
    expect(next.lease.fencingToken).toBeGreaterThan(attempt.lease.fencingToken)
    expect(next.assignment).toMatchObject({
      attempt: 2,
      chain: 1,
      chainAttempt: 2,
      input: { query: 'What is 1+1?' },
      settledCalls: [
        { toolCallId: 'call_1', outcome: { result: { result: 2 } } },
        { toolCallId: 'call_2', outcome: { error: { code: 'tool_error', message: 'Division by zero.' } } },
      ],
      interruptedCalls: ['call_3'],
    })
    expect(next.assignment.resume).toEqual(resume)
    const before = await stepsOf(client, attempt.runId)
    expect(before.map(({ status }) => status)).not.toContain('running')
    for (const [name, report] of Object.entries(attempt.everyCall(model))) {
      const { status, body } = await report()
      // The report that ended the attempt is forgotten with the next lease; no other counts either.
      expect({ name, status, code: body.error?.code }).toEqual({ name, status: 409, code: 'stale_attempt' })
    }
    expect(await stepsOf(client, attempt.runId)).toEqual(before)
    await next.boot()
    await next.complete(completed('2'))
    expect((await expectWhole(client, attempt.runId)).run).toMatchObject({ state: 'completed', stateReason: null })
  })
  test("comes no sooner than the vendor's Retry-After", async () => {
    const attempt = await running('/say hi')
    await attempt.complete(failed(true, { retryAfterMs: 3_600_000 }))
    expect((await askForWork(client, world.runnerToken, { waitSeconds: 0 })).status).toBe(204)
    const at = Date.now()
    const other = await running('/say hi')
    await other.complete(failed(true, { retryAfterMs: 1_200 }))
    const next = await lease(client, world.runnerToken)
    expect(next.runId).toBe(other.runId)
    expect(Date.now() - at).toBeGreaterThanOrEqual(1_200)
    await next.boot()
    await next.complete(completed('hi'))
  })
  test('does not come if none is left', async () => {
    const attempt = await running('/say hi', { maxRetries: 0 })
    expect((await attempt.complete(failed(true))).body.data).toMatchObject({
      state: 'failed',
      stateReason: { code: 'provider_error', message: 'The vendor is ill.' },
    })
    await expectWhole(client, attempt.runId)
  })
  test('does not come after a permanent failure', async () => {
    const attempt = await running('/say hi', { maxRetries: 5 })
    expect((await attempt.complete(failed(false))).body.data.state).toBe('failed')
    await expectWhole(client, attempt.runId)
  })
  test('costs nothing if the runner hands the run back', async () => {
    const attempt = await running('/say hi', { maxRetries: 0 })
    const error = { code: 'machine_unavailable', message: 'The runner was drained.', retryable: true }
    expect((await attempt.complete({ outcome: 'failed', error })).body.data.state).toBe('queued')
    const next = await lease(client, world.runnerToken)
    expect([next.runId, next.assignment.attempt]).toEqual([attempt.runId, 2])
    await next.boot()
    await next.complete(completed('hi'))
  })
})

describe('an external result', () => {
  test('of an interactive tool: the run waits, and the next attempt has the result', async () => {
    const attempt = await running('Ask me.')
    const question = { toolCallId: 'call_q', toolName: 'ask', input: { question: 'Which one?' } }
    const model = await attempt.begin({ kind: 'model', name: 'sandbox' })
    await attempt.endStep(model, { status: 'completed' })
    const tool = await attempt.begin({ kind: 'tool', name: 'ask', execution: { toolCallId: 'call_q' } })
    expect((await attempt.endStep(tool, { status: 'waiting' })).body.data).toMatchObject({ status: 'waiting' })
    const suspended = conversation([{ role: 'user', content: 'Ask me.' }, calls(question)], [question])
    await attempt.checkpoint(tool, suspended, 'suspended')
    const waits = await attempt.complete(awaits('tool', 'call_q'))
    expect(waits.body.data).toMatchObject({
      state: 'awaitingToolResult',
      awaiting: { kind: 'tool', toolCallId: 'call_q' },
    })
    expect((await attempt.complete(awaits('tool', 'call_q'))).body.data).toEqual(waits.body.data)
    expect((await attempt.beat()).status).toBe(409)
    const continued = await client.post(`/api/v1/agent-runs/${attempt.runId}/continue`, { query: '{"color":"blue"}' })
    expect(continued.body.data).toMatchObject({ state: 'queued' })

    const next = await lease(client, world.runnerToken)
    expect(next.assignment).toMatchObject({
      run: { id: attempt.runId },
      attempt: 2,
      chain: 2,
      chainAttempt: 1,
      input: { query: null, contents: [] },
      settledCalls: [{ toolCallId: 'call_q', outcome: { result: { color: 'blue' } } }],
      interruptedCalls: [],
    })
    expect(next.assignment.resume).toEqual(suspended)
    await next.boot()
    await next.complete(completed('blue it is'))
    const steps = await stepsOf(client, attempt.runId)
    expect(steps.find(({ agentStepId }) => agentStepId === tool)).toMatchObject({
      status: 'completed',
      output: { color: 'blue' },
      execution: { toolCallId: 'call_q' },
    })
    await expectWhole(client, attempt.runId)
  })
  test('of external delegates: each result counts, the last one lets the run continue', async () => {
    const attempt = await running('Ask them.')
    const asked = ['call_a', 'call_b'].map((toolCallId) => ({ toolCallId, toolName: 'ask', input: {} }))
    const step = await attempt.begin({ kind: 'delegate', name: 'ask', execution: { toolCallId: 'call_a' } })
    const other = await attempt.begin({ kind: 'delegate', name: 'ask', execution: { toolCallId: 'call_b' } })
    for (const id of [step, other]) await attempt.endStep(id, { status: 'waiting' })
    await attempt.checkpoint(
      step,
      conversation([{ role: 'user', content: 'Ask them.' }, calls(...asked)], asked),
      'suspended',
    )
    const waits = await attempt.complete(awaits('delegate', 'call_a', 'call_b'))
    expect(waits.body.data.state).toBe('awaitingDelegateResult')
    const give = (body: object) => client.post(`/api/v1/agent-runs/${attempt.runId}/delegate-results`, body)
    expect((await give({ toolCallId: 'call_a', result: 1 })).body.data.state).toBe('awaitingDelegateResult')
    const error = { code: 'tool_error', message: 'No idea.' }
    expect((await give({ toolCallId: 'call_b', error })).body.data.state).toBe('queued')
    const next = await lease(client, world.runnerToken)
    expect(next.assignment).toMatchObject({
      chain: 1,
      settledCalls: [
        { toolCallId: 'call_a', outcome: { result: 1 } },
        { toolCallId: 'call_b', outcome: { error } },
      ],
      interruptedCalls: [],
    })
    await next.boot()
    await next.complete(completed('fine'))
    await expectWhole(client, attempt.runId)
  })
})
