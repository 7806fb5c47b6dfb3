/** The usage of an organization over the API. Source: requirement 4.1; contract 8, `Usage`. */
import { Database } from 'bun:sqlite'
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { completed, failed, pendingCall } from '../../support/simulated-runner.ts'
import { click } from '../embedded.ts'
import { base, keyed, portalBody, until } from '../world.ts'
import { openWorld, second, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterEach(() => world.tidy())
afterAll(() => world?.stop())

test("initially nothing is used of the plan's budget in the calendar month", async () => {
  const { usage } = await world.organization()
  expect(await usage()).toEqual({
    period: { start: '2026-01-01T00:00:00.000Z', end: '2026-02-01T00:00:00.000Z' },
    minutes: { used: 0, reserved: 0, budget: 2.5, remaining: 2.5 },
    runs: { started: 0, completed: 0, failed: 0 },
    tokens: { input: 0, output: 0 },
    pastPeriods: [],
    limits: {
      projects: { used: 0, limit: 100 },
      agents: { used: 0, limit: 1_000 },
      liveRuns: { used: 0, limit: 10_000 },
      openStreams: { used: 0, limit: 1_000 },
      storedBytes: { used: 0, limit: null },
    },
  })
})

test('minutes have three decimals, and count when the attempt ends', async () => {
  const { running, usage } = await world.organization()
  const attempt = await running()
  world.clock.advance(20_020)
  expect((await usage()).minutes).toEqual({ used: 0, reserved: 1, budget: 2.5, remaining: 2.5 })
  await attempt.complete(completed('Done.'))
  expect(await usage()).toMatchObject({
    minutes: { used: 0.334, budget: 2.5, remaining: 2.166 },
    runs: { started: 1, completed: 1, failed: 0 },
  })
})

test('a repeated report is counted once', async () => {
  const { ran, usage } = await world.organization()
  const attempt = await ran(30 * second)
  for (let again = 0; again < 3; again += 1) expect((await attempt.complete(completed('Done.'))).status).toBe(200)
  expect(await usage()).toMatchObject({ minutes: { used: 0.5 }, runs: { started: 1, completed: 1 } })
})

test('every failed attempt is counted, and a failed run once', async () => {
  const { running, usage, client } = await world.organization()
  const attempt = await running()
  world.clock.advance(6 * second)
  await attempt.complete(failed(true, { retryAfterMs: 0 }))
  expect(await usage()).toMatchObject({ minutes: { used: 0.1 }, runs: { started: 1, failed: 0 } })
  await client.post(`/api/v1/agent-runs/${attempt.runId}/cancel`)
  const next = await running()
  world.clock.advance(6 * second)
  await next.complete(failed(false))
  expect(await usage()).toMatchObject({ minutes: { used: 0.2 }, runs: { started: 2, completed: 0, failed: 1 } })
})

test('the tokens of model steps are counted', async () => {
  const { running, usage } = await world.organization()
  const attempt = await running()
  for (const [inputTokens, outputTokens] of [
    [1_000, 30],
    [200, 4],
  ] as const) {
    const step = await attempt.begin({ kind: 'model', name: 'sandbox' })
    const tokenUsage = {
      inputTokens,
      outputTokens,
      totalTokens: inputTokens + outputTokens,
      cachedInputTokens: 0,
      reasoningTokens: 0,
    }
    expect((await attempt.endStep(step, { status: 'completed', output: {}, tokenUsage })).status).toBe(200)
  }
  await attempt.complete(completed('Done.'))
  expect((await usage()).tokens).toEqual({ input: 1_200, output: 34 })
})

test.each([-1, 1.5, 2_000_000_001, 2 ** 53, 1e300])(
  'a step of %p tokens is rejected and not counted',
  async (tokens) => {
    const { running, usage } = await world.organization()
    const attempt = await running()
    const step = await attempt.begin({ kind: 'model', name: 'sandbox' })
    const none = { inputTokens: 0, outputTokens: 0, totalTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 }
    for (const name of Object.keys(none)) {
      const tokenUsage = { ...none, [name]: tokens }
      expect((await attempt.endStep(step, { status: 'completed', output: {}, tokenUsage })).status).toBe(422)
    }
    await attempt.complete(completed('Done.'))
    expect((await usage()).tokens).toEqual({ input: 0, output: 0 })
  },
)

test('a run that waits for a tool uses nothing, and a continue is not another run', async () => {
  const { running, usage, client } = await world.organization()
  const attempt = await running()
  world.clock.advance(12 * second)
  await attempt.suspend()
  await attempt.complete({ outcome: 'awaitingToolResult', awaiting: [pendingCall('tool', 'call_1')] })
  world.clock.advance(600 * second)
  expect(await usage()).toMatchObject({ minutes: { used: 0.2 }, runs: { started: 1, completed: 0 } })
  const { status } = await client.post(`/api/v1/agent-runs/${attempt.runId}/continue`, { query: '"blue"' })
  expect(status).toBe(200)
  await client.post(`/api/v1/agent-runs/${attempt.runId}/cancel`)
  expect(await usage()).toMatchObject({ minutes: { used: 0.2 }, runs: { started: 1, completed: 0, failed: 0 } })
})

test("another organization's usage is separate", async () => {
  const [one, other] = [await world.organization(), await world.organization()]
  await one.ran(30 * second)
  expect((await one.usage()).minutes.used).toBe(0.5)
  expect(await other.usage()).toMatchObject({ minutes: { used: 0, remaining: 2.5 }, runs: { started: 0 } })
})

test('usage above the budget leaves zero, not less', async () => {
  const { ran, usage } = await world.organization()
  await ran(200 * second)
  expect((await usage()).minutes).toEqual({ used: 3.333, reserved: 0, budget: 2.5, remaining: 0 })
})

test('usage of an unlimited plan is counted', async () => {
  const { subscribe, ran, usage } = await world.organization()
  await subscribe('unbound')
  await ran(200 * second)
  expect((await usage()).minutes).toEqual({ used: 3.333, reserved: 0, budget: null, remaining: null })
})

test('the counters are deleted with their organization', async () => {
  const { id, ran, client } = await world.organization()
  await ran(second)
  const database = new Database(world.troupe.file, { readonly: true })
  const count = () =>
    database
      .query<{ rows: number }, [string]>('select count(*) as rows from usage_counters where organization_id = ?')
      .get(id)?.rows
  expect(count()).toBe(1)
  expect((await client.delete(`/api/v1/organizations/${id}`)).status).toBe(202)
  await until(() => count() === 0, 'the counters are gone')
  database.close()
})

test('counting restarts with the next period, and what ends in it belongs to it', async () => {
  world.clock.advance(Date.parse('2026-01-31T23:59:30.000Z') - world.clock.now())
  const { ran, running, usage } = await world.organization()
  await ran(12 * second)
  const attempt = await running()
  expect(await usage()).toMatchObject({ minutes: { used: 0.2 }, runs: { started: 2, completed: 1 } })
  world.clock.advance(30 * second)
  expect(await usage()).toEqual({
    period: { start: '2026-02-01T00:00:00.000Z', end: '2026-03-01T00:00:00.000Z' },
    minutes: { used: 0, reserved: 0, budget: 2.5, remaining: 2.5 },
    runs: { started: 0, completed: 0, failed: 0 },
    tokens: { input: 0, output: 0 },
    pastPeriods: [{ start: '2026-01-01T00:00:00.000Z', end: '2026-02-01T00:00:00.000Z' }],
    // of the current time, whatever the period
    limits: {
      projects: { used: 0, limit: 100 },
      agents: { used: 0, limit: 1_000 },
      liveRuns: { used: 1, limit: 10_000 },
      openStreams: { used: 0, limit: 1_000 },
      storedBytes: { used: expect.any(Number), limit: null },
    },
  })
  await attempt.complete(completed('Late.'))
  expect(await usage()).toMatchObject({ minutes: { used: 0.5 }, runs: { started: 0, completed: 1 } })
})

test('the periods of a contract stay listed once it has ended', async () => {
  const { client, id, ran, subscribe, usage } = await world.organization()
  await ran(12 * second)
  const { period: month } = await usage()
  await subscribe('more')
  const { period } = await usage()
  expect(period.start > month.start).toBe(true)
  await ran(18 * second)
  expect((await usage()).pastPeriods).toEqual([month])
  const { body } = await client.post(`${base(id)}/portal`, portalBody(world.troupe), keyed())
  expect((await click(body.data.url, { action: 'cancel' })).status).toBe(303)
  const after = await usage()
  expect(after).toMatchObject({ period: month, minutes: { used: 0.2 } })
  expect(after.pastPeriods).toEqual([period])
  const past = await client.get(`${base(id)}/usage`, { query: { period: period.start } })
  expect(past.body.data).toMatchObject({ period, minutes: { used: 0.3 } })
})
