/** A report that is repeated after its attempt was replaced does not count. Source: contract 5, "`stale_attempt`". */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { failed, lease, textDelta } from '../../support/simulated-runner.ts'
import { openWorld, type World } from './support/held-attempts.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

test('the same report, with the same key, is 409 once another attempt has the run', async () => {
  const attempt = await world.running('/say hi')
  const headers = { 'idempotency-key': 'again' }
  const begin = () => attempt.startStep({ kind: 'model', name: 'sandbox' }, { headers })
  const first = await begin()
  expect(first.status).toBe(201)
  expect((await begin()).body).toEqual(first.body)
  const events = () =>
    attempt.report([textDelta(first.body.data.agentStepId, 'hi')], { headers: { 'idempotency-key': 'text' } })
  expect((await events()).status).toBe(200)
  expect((await events()).status).toBe(200)
  expect((await attempt.complete(failed(true))).body.data.state).toBe('queued')
  const next = await lease(world.client, world.runnerToken)
  expect(next.runId).toBe(attempt.runId)
  await next.boot()
  for (const again of [begin, events]) {
    const { status, body } = await again()
    expect({ status, code: body.error?.code }).toEqual({ status: 409, code: 'stale_attempt' })
  }
  await next.complete({ outcome: 'completed', stopReason: 'end_turn', output: 'hi' })
})
