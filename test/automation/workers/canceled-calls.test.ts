/** Calls of workers when their run is canceled. Source: contract 6, "Precise points"; contract 11, "Workers". */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eventually } from '../../support/process.ts'
import { data } from '../../support/world/replies.ts'
import { calls } from '../operations/world.ts'
import { once, openWorkers, type Served, type WorkersWorld, workerOperation } from './world.ts'

let world: WorkersWorld
let served: Served
beforeAll(async () => {
  world = await openWorkers()
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
  const cancel = async () => {
    await data(world.owner.post(`/api/v1/agent-runs/${id}/cancel`))
    return world.invocationEnded(served, invocation.id)
  }
  return { cancel }
}

const mayHave = { code: 'call_canceled', message: expect.stringContaining('may have taken effect') }
const notMade = { code: 'call_canceled', message: expect.stringContaining('was not made') }

test.each([
  ['charge', 'unknown'],
  ['put', 'failed'],
  ['look', 'failed'],
])('%s, held by a worker, is %s', async (operation, state) => {
  const { cancel } = await calling(operation)
  const lease = await world.leased(served)
  expect(await cancel()).toMatchObject({ state, error: mayHave })
  expect(await data(world.heartbeat(served, lease))).toMatchObject({ signal: 'cancel' })
  await world.complete(served, lease, { output: 1 })
})

test.each(['charge', 'put', 'look'])('%s, which no worker has leased, was not made', async (operation) => {
  const { cancel } = await calling(operation)
  expect(await cancel()).toMatchObject({ state: 'failed', error: notMade })
  expect((await world.lease(served)).status).toBe(204)
})

test('a write that its worker gave back for a retry was not made', async () => {
  const { cancel } = await calling('charge')
  const error = { code: 'busy', message: 'Later.', retryable: true }
  await data(world.complete(served, await world.leased(served), { error }))
  expect(await cancel()).toMatchObject({ state: 'failed', error: notMade })
})
