/** Calls of workers when their run is canceled. Source: contract 6, "Precise points"; contract 11, "Workers". */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { eventually } from '../../support/process.ts'
import { data } from '../../support/world/replies.ts'
import { calls } from '../operations/world.ts'
import { once, openWorkers, type Served, type WorkersWorld, workerOperation } from './world.ts'

let clock: HandClock
let world: WorkersWorld
let served: Served
beforeAll(async () => {
  clock = new HandClock()
  world = await openWorkers({ clock })
  const operations = [
    workerOperation('charge', once),
    workerOperation('put', { effect: 'write' }),
    workerOperation('look'),
  ]
  served = await world.serving(operations)
})
afterAll(() => world?.stop())

/** A run that calls the operation, once the call waits for a worker; and its cancel, which ends the invocation. */
async function calling(operation: string) {
  const { id } = await data(world.start(served.place, served.agent.agentId, calls([operation])))
  const invocation = await eventually('the call', async () => {
    const query = { agentRunId: id }
    return (await data<{ items: { id: string }[] }>(world.owner.get(served.invocations, { query }))).items[0]
  })
  const cancel = () => data<{ state: string }>(world.owner.post(`/api/v1/agent-runs/${id}/cancel`))
  const ended = () => world.invocationEnded(served, invocation.id)
  return { id, invocationId: invocation.id, cancel, ended }
}

const mayHave = { code: 'call_canceled', message: expect.stringContaining('may have taken effect') }
const notMade = { code: 'call_canceled', message: expect.stringContaining('was not made') }

test.each(['put', 'look'])('%s, held by a worker, is failed', async (operation) => {
  const { cancel, ended } = await calling(operation)
  const lease = await world.leased(served)
  await cancel()
  expect(await ended()).toMatchObject({ state: 'failed', error: mayHave })
  expect(await data(world.heartbeat(served, lease))).toMatchObject({ signal: 'cancel' })
  await world.complete(served, lease, { output: 1 })
  expect(await ended()).toMatchObject({ state: 'failed', error: mayHave })
})

describe('a write that must not be repeated, held by a worker,', () => {
  const error = { code: 'declined', message: 'No money.', retryable: false }
  test.each([
    ['an output', { output: { receipt: 7 } }, { state: 'succeeded', output: { receipt: 7 }, error: null }],
    ['an error', { error }, { state: 'failed', error: { message: expect.stringContaining('No money.') } }],
    ['a retryable error', { error: { ...error, retryable: true } }, { state: 'failed' }],
  ])('has the outcome that its worker reports: %s', async (_what, answer, outcome) => {
    const { id, invocationId, cancel, ended } = await calling('charge')
    const lease = await world.leased(served)
    expect((await cancel()).state).toBe('canceling')
    expect(await data(world.heartbeat(served, lease))).toMatchObject({ signal: 'cancel' })
    expect((await world.invocation(served, invocationId)).state).toBe('running')
    await data(world.complete(served, lease, answer))
    expect(await ended()).toMatchObject(outcome)
    expect((await world.ended(id, ['canceled'])).state).toBe('canceled')
    expect((await world.lease(served)).status).toBe(204)
  })

  test('is unknown if its lease ends without a report', async () => {
    const { invocationId, cancel, ended } = await calling('charge')
    const lease = await world.leased(served)
    await cancel()
    await eventually('the cancel of the call', async () => {
      return (await data<{ signal: string }>(world.heartbeat(served, lease))).signal === 'cancel'
    })
    expect((await world.invocation(served, invocationId)).state).toBe('running')
    clock.advance(30_000)
    expect(await ended()).toMatchObject({ state: 'unknown', output: null })
    expect((await world.complete(served, lease, { output: 1 })).body.error.code).toBe('stale_lease')
  })
})

test.each(['charge', 'put', 'look'])('%s, which no worker has leased, was not made', async (operation) => {
  const { cancel, ended } = await calling(operation)
  await cancel()
  expect(await ended()).toMatchObject({ state: 'failed', error: notMade })
  expect((await world.lease(served)).status).toBe(204)
})

test('a write that its worker gave back for a retry was not made', async () => {
  const { cancel, ended } = await calling('charge')
  const error = { code: 'busy', message: 'Later.', retryable: true }
  await data(world.complete(served, await world.leased(served), { error }))
  await cancel()
  expect(await ended()).toMatchObject({ state: 'failed', error: notMade })
})
