/** Changes of the system clock do not affect billing. Source: contract 6, "Decided since"; contract 8. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { completed, failed, textDelta } from '../../support/simulated-runner.ts'
import { base } from '../world.ts'
import { minute, openWorld, second, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ TROUPE_LEASE_TTL_MS: '30000' })
})
afterEach(() => world.tidy())
afterAll(() => world?.stop())

const settled = async (attempt: { complete(report: object): Promise<{ status: number }> }) =>
  expect((await attempt.complete(completed('Done.'))).status).toBe(200)

test.each([
  ['forward', 2 * 60 * minute],
  ['back', -2 * 60 * minute],
])('two hours %s: only the observed time of the attempt is billed', async (_, ms) => {
  const { running, client, usage } = await world.organization()
  const attempt = await running()
  world.clock.advance(10 * second)
  expect((await attempt.beat()).status).toBe(200)
  world.clock.step(ms)
  world.clock.advance(10 * second)
  await attempt.complete(completed('Done.'))
  await client.post(`/api/v1/agent-runs/${attempt.runId}/cancel`)
  // the gap around the step counts for at most one lease duration
  const { used } = (await usage()).minutes
  expect(used).toBeGreaterThanOrEqual((10 * second) / minute - 0.001)
  expect(used).toBeLessThanOrEqual((40 * second) / minute + 0.001)
  world.clock.step(-ms)
})

test.each([
  ['ten years ago', -10 * 365 * 24 * 60 * minute],
  ['in ten years', 10 * 365 * 24 * 60 * minute],
])('a runner whose clock is at %s is billed for the time that the server observed', async (_, ms) => {
  const { running, usage } = await world.organization()
  const attempt = await running()
  world.clock.advance(6 * second)
  const at = new Date(world.clock.now() + ms).toISOString()
  const step = await attempt.begin({ kind: 'model', name: 'sandbox' })
  const headers = { date: new Date(at).toUTCString() }
  const said = [
    ['/heartbeat', { lastStepSequence: 1, at }],
    ['/heartbeat', { lastStepSequence: 1, heldMs: Math.abs(ms) }],
    ['/steps', { kind: 'model', name: 'sandbox', startedAt: at }],
    ['/steps', { kind: 'model', name: 'sandbox', timing: { startedAt: at, endedAt: at, durationMs: Math.abs(ms) } }],
    ['/events', { events: [{ ...textDelta(step, 'Hello'), at }] }],
    ['/complete', { ...completed('Done.'), endedAt: at }],
    ['/complete', { ...completed('Done.'), activeMs: Math.abs(ms) }],
    ['/complete', failed(true, { retryAfterMs: ms < 0 ? ms : 3_600_001 })],
  ] as const
  for (const [path, body] of said) expect((await attempt.call('POST', path, body, { headers })).status).toBe(422)
  const ended = { status: 'completed', timing: { startedAt: at, endedAt: at, durationMs: Math.abs(ms) } }
  expect((await attempt.call('PATCH', `/steps/${step}`, ended, { headers })).status).toBe(422)
  // however many heartbeats it sends
  for (let count = 0; count < 20; count += 1) {
    const beat = await attempt.call('POST', '/heartbeat', { lastStepSequence: count }, { headers })
    expect(beat.status).toBe(200)
  }
  await settled(attempt)
  expect((await usage()).minutes).toMatchObject({ used: 0.1, reserved: 0 })
})

test('time between heartbeats counts up to the lease duration', async () => {
  const { running, usage } = await world.organization()
  const attempt = await running()
  for (let count = 0; count < 6; count += 1) {
    world.clock.advance(10 * second)
    expect((await attempt.beat()).status).toBe(200)
  }
  await settled(attempt)
  expect((await usage()).minutes.used).toBe(1)
})

test('a past period is read by its start, and any other time is rejected', async () => {
  const { id, client, ran, subscribe, usage } = await world.organization()
  await ran(20 * second)
  const { period, minutes } = await usage()
  world.clock.step(31 * 24 * 60 * minute)
  const asked = (start: string) => client.get(`${base(id)}/usage`, { query: { period: start } })
  expect((await usage()).minutes.used).toBe(0)
  expect((await client.get(`${base(id)}/usage`)).body.data.pastPeriods).toEqual([period])
  expect((await asked(period.start)).body.data).toMatchObject({ period, minutes: { used: minutes.used } })
  expect((await asked('2025-06-01T00:00:00.000Z')).body.data.minutes.used).toBe(0)
  expect((await asked('2025-06-02T00:00:00.000Z')).status).toBe(422)
  // nor has the next one begun, without a contract and with one
  expect((await asked((await usage()).period.end)).status).toBe(422)
  await subscribe('more')
  expect((await asked((await usage()).period.end)).status).toBe(422)
})
