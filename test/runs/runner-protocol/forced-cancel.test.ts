/** A forced cancel does not wait for the runner, whose attempt is stale at once. Source: contract 14, "Force". */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { expectWhole, expectWholeStream, start, stepsOf } from '../../support/run-records.ts'
import { completed, lease } from '../../support/simulated-runner.ts'
import { openWorld, type World } from './support/held-attempts.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

const cancel = (runId: string, query: Record<string, string> = {}, headers: Record<string, string> = {}) =>
  world.client.post(`/api/v1/agent-runs/${runId}/cancel`, undefined, { query, headers })
const force = (runId: string) => cancel(runId, { force: 'true' })

test.each(['running', 'canceling'])(
  'while %s: canceled at once, and every report of its attempt is stale',
  async (state) => {
    const attempt = await world.running('/say hi')
    const step = await attempt.begin({ kind: 'model', name: 'sandbox' })
    if (state === 'canceling') expect((await cancel(attempt.runId)).body.data.state).toBe(state)
    const { status, body } = await force(attempt.runId)
    expect({ status, body }).toMatchObject({ status: 200, body: { data: { state: 'canceled', stateReason: null } } })
    const steps = await stepsOf(world.client, attempt.runId)
    expect(steps.map((each) => each.status)).toEqual(['canceled', 'canceled'])
    for (const [name, report] of Object.entries(attempt.everyCall(step))) {
      const answer = await report()
      expect({ name, status: answer.status, code: answer.body.error?.code }).toEqual({
        name,
        status: 409,
        code: 'stale_attempt',
      })
    }
    expect((await attempt.complete({ outcome: 'canceled' })).body.error?.code).toBe('stale_attempt')
    expect(await stepsOf(world.client, attempt.runId)).toEqual(steps)
    expect((await force(attempt.runId)).body.data.state).toBe('canceled')
    const { transitions } = await expectWhole(world.client, attempt.runId)
    expect(transitions.at(-1)).toMatchObject({ event: 'cancel', from: state, to: 'canceled' })
    await expectWholeStream(world.client, attempt.runId)
  },
)

test('the slot of the machine is free again', async () => {
  const { id } = await start(world.client, '/say one')
  const machine = { machineId: 'machine-of-one-slot', slots: 1 }
  const first = await lease(world.client, world.runnerToken, machine)
  expect(first.runId).toBe(id)
  await first.boot()
  const next = await start(world.client, '/say two')
  await force(first.runId)
  const second = await lease(world.client, world.runnerToken, machine)
  expect(second.runId).toBe(next.id)
  await force(next.id)
})

test('the run can continue, with another attempt', async () => {
  const attempt = await world.running('/say hi')
  await force(attempt.runId)
  const query = { query: '/say again' }
  expect((await world.client.post(`/api/v1/agent-runs/${attempt.runId}/continue`, query)).status).toBe(200)
  const next = await lease(world.client, world.runnerToken)
  expect(next.runId).toBe(attempt.runId)
  expect(next.lease.fencingToken).toBeGreaterThan(attempt.lease.fencingToken)
  await next.boot()
  expect((await attempt.complete(completed('late'))).body.error?.code).toBe('stale_attempt')
  expect((await next.complete(completed('again'))).body.data.state).toBe('completed')
})

test('concurrent with the final report: one of them wins, and the other is a conflict', async () => {
  for (let round = 1; round <= 8; round += 1) {
    const attempt = await world.running('/say hi')
    const [report, forced] = await Promise.all([attempt.complete(completed('hi')), force(attempt.runId)])
    const { run } = await expectWhole(world.client, attempt.runId)
    if (run.state === 'completed') expect([report.status, forced.status]).toEqual([200, 409])
    else {
      expect([run.state, forced.status]).toEqual(['canceled', 200])
      expect([report.status, report.body.error?.code]).toEqual([409, 'stale_attempt'])
    }
    await expectWholeStream(world.client, attempt.runId)
  }
})

test('a key that was used for a cancel is not reused for a forced one', async () => {
  const attempt = await world.running('/say hi')
  const key = { 'idempotency-key': crypto.randomUUID() }
  expect((await cancel(attempt.runId, {}, key)).body.data.state).toBe('canceling')
  expect((await cancel(attempt.runId, { force: 'true' }, key)).body.error?.code).toBe('idempotency_key_reused')
  expect((await cancel(attempt.runId, { force: 'false' }, key)).body.data.state).toBe('canceling')
  await force(attempt.runId)
})

test('any other value than true and false is 422', async () => {
  const attempt = await world.running('/say hi')
  const { status, body } = await cancel(attempt.runId, { force: 'now' })
  expect([status, body.error.details.issues[0].path]).toEqual([422, '/query/force'])
  await force(attempt.runId)
})
