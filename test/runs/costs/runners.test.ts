/** Costs and budgets with external runners and vendors' tokens. Source: contract 13, "Cost", "Budgets". */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Reply as ApiReply } from '../../support/client.ts'
import { getRun, inState, stepsOf } from '../../support/run-records.ts'
import { awaits, completed, failed, type HeldAttempt, lease, pendingCall } from '../../support/simulated-runner.ts'
import { answer, type Gateway, linesOf, openGateway, runnerToken } from '../model-gateway/world.ts'
import { pricesFile } from './world.ts'

let world: Gateway
let file: Awaited<ReturnType<typeof pricesFile>>
beforeAll(async () => {
  file = await pricesFile()
  world = await openGateway({ TROUPE_PRICES_FILE: file.path })
  await world.credential('openai')
})
afterAll(async () => {
  await world?.stop()
  await file.remove()
})

const usd = (amount: string) => ({ amount, currency: 'USD' })
const tokens = (inputTokens: number, outputTokens: number, cachedInputTokens = 0, reasoningTokens = 0) => ({
  inputTokens,
  outputTokens,
  totalTokens: inputTokens + outputTokens,
  cachedInputTokens,
  reasoningTokens,
})
const begin = (attempt: HeldAttempt, model = 'plain') =>
  attempt.begin({ kind: 'model', name: model, execution: { provider: 'openai', model } })
const end = (attempt: HeldAttempt, agentStepId: number, tokenUsage: object, status = 'completed') =>
  attempt.call('PATCH', `/steps/${agentStepId}`, { status, tokenUsage })
const running = (more: object = {}) => world.running('Hello?', { provider: 'openai', model: 'plain', ...more })
const costOf = async (attempt: HeldAttempt) => (await getRun(world.owner, attempt.runId)).cost
const finish = (attempt: HeldAttempt) => attempt.call('POST', '/complete', completed('Bye.'))
/** The next attempt of the run. */
async function again(attempt: HeldAttempt): Promise<HeldAttempt> {
  await inState(world.owner, attempt.runId, 'queued')
  const next = await lease(world.owner, runnerToken)
  expect(next.runId).toBe(attempt.runId)
  await next.boot()
  return next
}

describe('prices', () => {
  test.each<[string, string, object, string]>([
    ['cached and reasoning tokens have separate prices', 'cached-1', tokens(100, 40, 60, 30), '0.00031'],
    ['without separate prices they cost the normal price', 'plain', tokens(100, 40, 60, 30), '0.00052'],
    ['costs are not rounded', 'cached-x', tokens(1, 0, 1), '0.0000005'],
    ['more cached tokens than tokens cost at least nothing', 'cached-x', tokens(1, 1, 9, 9), '0.0000045'],
  ])('%s', async (_, model, usage, amount) => {
    const attempt = await running()
    const step = await begin(attempt, model)
    expect((await end(attempt, step, usage)).body.data.cost).toEqual(usd(amount))
    expect(await costOf(attempt)).toEqual(usd(amount))
    await finish(attempt)
  })

  test.each<[string, string]>([
    ['no entry matches', 'unknown'],
    ['capital letters differ', 'PLAIN'],
    ['a part of the name does not match', 'plain-2'],
  ])('without one, because %s, step and run have no costs, whatever comes later', async (_, model) => {
    const attempt = await running()
    expect((await end(attempt, await begin(attempt), tokens(1, 1))).body.data.cost).toEqual(usd('0.00001'))
    expect((await end(attempt, await begin(attempt, model), tokens(1, 1))).body.data.cost).toBeNull()
    expect((await end(attempt, await begin(attempt), tokens(1, 1))).body.data.cost).toEqual(usd('0.00001'))
    expect(await costOf(attempt)).toBeNull()
    await finish(attempt)
  })

  test('a run in two currencies has no costs; its steps have them', async () => {
    const attempt = await running()
    await end(attempt, await begin(attempt), tokens(1, 1))
    const other = await attempt.begin({ kind: 'model', name: 'x', execution: { provider: 'sandbox', model: 'other' } })
    expect((await end(attempt, other, tokens(1, 0))).body.data.cost).toEqual({ amount: '0.000099', currency: 'EUR' })
    expect(await costOf(attempt)).toBeNull()
    await finish(attempt)
  })

  test('a call through the server is priced as measured, whatever the runner reports', async () => {
    world.vendors.reply = () => answer('openai', { text: ['Hi.'], finish: 'stop', usage: { input: 12, output: 7 } })
    const attempt = await running()
    const step = await begin(attempt, 'cached-lie')
    await linesOf(await world.call(attempt, step))
    await linesOf(await world.call(attempt, step))
    const ended = await end(attempt, step, tokens(1, 1))
    expect(ended.body.data).toMatchObject({ tokenUsage: { inputTokens: 24 }, cost: usd('0.00016') })
    expect(await costOf(attempt)).toEqual(usd('0.00016'))
    await finish(attempt)
  })

  test('a suspended step counts once, with its usage at that time', async () => {
    const usage = async () =>
      (await world.owner.get(`/api/v1/organizations/${world.organization}/billing/usage`)).body.data
    const before = await usage()
    const attempt = await running()
    const step = await begin(attempt)
    expect((await end(attempt, step, tokens(8, 2), 'waiting')).body.data.status).toBe('waiting')
    // it can no longer call a model
    expect((await world.call(attempt, step)).status).toBe(422)
    const { kind, ...open } = pendingCall('tool', 'asked')
    await attempt.suspend(step, [open])
    expect((await attempt.complete(awaits('tool', 'asked'))).status).toBe(200)
    expect(await getRun(world.owner, attempt.runId)).toMatchObject({ usedTokens: 10, cost: usd('0.000032') })
    const continued = await world.owner.post(`/api/v1/agent-runs/${attempt.runId}/continue`, { query: 'this one' })
    expect(continued.body.data).toMatchObject({ state: 'queued' })
    const next = await again(attempt)
    await end(next, await begin(next), tokens(1, 0))
    await finish(next)
    const run = await getRun(world.owner, attempt.runId)
    expect(run).toMatchObject({ state: 'completed', usedTokens: 11, cost: usd('0.000034') })
    const after = await usage()
    expect(after.tokens.input - before.tokens.input).toBe(9)
    expect(after.tokens.output - before.tokens.output).toBe(2)
    const steps = await stepsOf(world.owner, attempt.runId)
    const shown = steps.map((one) => [one.kind, one.status, one.tokenUsage.totalTokens, one.cost])
    expect(shown).toEqual([
      ['agent', 'completed', 10, null],
      ['model', 'canceled', 10, usd('0.000032')],
      ['agent', 'completed', 1, null],
      ['model', 'completed', 1, usd('0.000002')],
    ])
  })

  test('a step that names no model uses that of its agent', async () => {
    const attempt = await running()
    const step = await attempt.begin({ kind: 'model', name: 'model' })
    const ended = await end(attempt, step, tokens(1, 1))
    expect(ended.body.data).toMatchObject({
      execution: { provider: 'openai', model: 'plain' },
      cost: usd('0.00001'),
    })
    await finish(attempt)
  })
})

describe('a budget', () => {
  const refusesAfter = async (attempt: HeldAttempt, reply: Promise<ApiReply>) => {
    expect(await reply).toMatchObject({ status: 409, body: { error: { code: 'stale_attempt' } } })
    expect(await getRun(world.owner, attempt.runId)).toMatchObject({
      state: 'failed',
      stateReason: { code: 'budget_exhausted' },
    })
  }
  const next = (attempt: HeldAttempt) =>
    attempt.call('POST', '/steps', { kind: 'model', name: 'plain', execution: { provider: 'openai', model: 'plain' } })

  test('counts lost attempts, and ends the run before the step that would exceed it', async () => {
    const first = await running({ limits: { maxTokens: 20 } })
    await end(first, await begin(first), tokens(8, 2))
    await first.call('POST', '/complete', failed(true))
    const second = await again(first)
    expect((await getRun(world.owner, first.runId)).usedTokens).toBe(10)
    await end(second, await begin(second), tokens(8, 2))
    await refusesAfter(second, next(second))
    const steps = (await stepsOf(world.owner, first.runId)).filter(({ kind }) => kind === 'model')
    expect(steps).toHaveLength(2)
    // open steps end with their attempt
    expect((await second.call('POST', '/complete', completed('Late.'))).status).toBe(409)
  })

  test('counts measured calls before their step ends: one step cannot call forever', async () => {
    world.vendors.reply = () => answer('openai', { text: ['Hi.'], finish: 'stop', usage: { input: 9, output: 1 } })
    const attempt = await running({ limits: { maxCost: usd('0.000026') } })
    const step = await begin(attempt)
    expect((await linesOf(await world.call(attempt, step))).at(-1)).toMatchObject({ type: 'finish' })
    const asked = world.vendors.asked.length
    expect((await world.call(attempt, step)).status).toBe(409)
    expect(world.vendors.asked.length).toBe(asked)
    expect(await getRun(world.owner, attempt.runId)).toMatchObject({
      state: 'failed',
      stateReason: { code: 'budget_exhausted' },
      cost: usd('0.000026'),
    })
  })

  test('of costs does not let a step without a price begin', async () => {
    const attempt = await running({ limits: { maxCost: usd('5') } })
    await refusesAfter(
      attempt,
      attempt.call('POST', '/steps', { kind: 'model', name: 'm', execution: { provider: 'openai', model: 'unknown' } }),
    )
  })

  test('lets other steps begin', async () => {
    const attempt = await running({ limits: { maxTokens: 0 } })
    expect((await attempt.call('POST', '/steps', { kind: 'tool', name: 'clock' })).status).toBe(201)
    await refusesAfter(attempt, next(attempt))
  })

  test('a start, and a continue, with a model of uncountable costs is 422', async () => {
    const limits = { maxCost: usd('5') }
    const asked = { agentId: 'agt_system_assistant', query: 'Hello?', provider: 'openai', model: 'unknown', limits }
    expect((await world.owner.post('/api/v1/agent-runs', asked)).body.error.details.issues).toMatchObject([
      { path: '/body/limits/maxCost' },
    ])
    const attempt = await running({ limits })
    await finish(attempt)
    const path = `/api/v1/agent-runs/${attempt.runId}/continue`
    const moved = await world.owner.post(path, { query: 'More.', model: 'unknown' })
    expect(moved).toMatchObject({ status: 422, body: { error: { details: { issues: [{ path: '/body/model' }] } } } })
  })
})
