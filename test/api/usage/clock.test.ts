/** What a clock that is set does to what is billed: nothing. Source: contract 6, "Decided since"; contract 8. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { completed } from '../../support/simulated-runner.ts'
import { base } from '../billing/world.ts'
import { minute, openWorld, second, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ TROUPE_LEASE_TTL_MS: '30000' })
})
afterEach(() => world.tidy())
afterAll(() => world.stop())

const settled = async (attempt: { complete(report: object): Promise<{ status: number }> }) =>
  expect((await attempt.complete(completed('Done.'))).status).toBe(200)

test.each([
  ['forward', 2 * 60 * minute],
  ['back', -2 * 60 * minute],
])('two hours %s: nothing is billed but what was seen of the attempt', async (_, ms) => {
  const { running, client, usage } = await world.organization()
  const attempt = await running()
  world.clock.advance(10 * second)
  expect((await attempt.beat()).status).toBe(200)
  world.clock.step(ms)
  world.clock.advance(10 * second)
  await attempt.complete(completed('Done.'))
  await client.post(`/api/v1/agent-runs/${attempt.runId}/cancel`)
  // the gap around the step counts for one lease time at most
  const { used } = (await usage()).minutes
  expect(used).toBeGreaterThanOrEqual((10 * second) / minute - 0.001)
  expect(used).toBeLessThanOrEqual((40 * second) / minute + 0.001)
  world.clock.step(-ms)
})

test('time between signs of life counts as far as a lease goes', async () => {
  const { running, usage } = await world.organization()
  const attempt = await running()
  for (let count = 0; count < 6; count += 1) {
    world.clock.advance(10 * second)
    expect((await attempt.beat()).status).toBe(200)
  }
  await settled(attempt)
  expect((await usage()).minutes.used).toBe(1)
})

test('a past period is shown by its start, and no moment that is none', async () => {
  const { id, client, ran, usage } = await world.organization()
  await ran(20 * second)
  const { period, minutes } = await usage()
  world.clock.step(31 * 24 * 60 * minute)
  const asked = (start: string) => client.get(`${base(id)}/usage`, { query: { period: start } })
  expect((await usage()).minutes.used).toBe(0)
  expect((await asked(period.start)).body.data).toMatchObject({ period, minutes: { used: minutes.used } })
  expect((await asked('2025-06-01T00:00:00.000Z')).body.data.minutes.used).toBe(0)
  expect((await asked('2025-06-02T00:00:00.000Z')).status).toBe(422)
})
