/** Workers whose key is bound to an Agent: the calls of other Agents are none of theirs. Source: contract 1, "Keys". */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Client } from '../../support/client.ts'
import { data, outcome } from '../../support/world/replies.ts'
import { once, openWorkers, type Served, type WorkersWorld, workerOperation } from './world.ts'

let world: WorkersWorld
let served: Served
beforeAll(async () => {
  world = await openWorkers()
  served = await world.serving([workerOperation('charge', once)])
})
afterAll(() => world?.stop())

/** A key for this Agent of the Environment. */
function boundTo(agentId: string): Client {
  const { projectId: project_id, environmentId: environment_id } = served.place
  const scope = { project_id, environment_id, agent_id: agentId }
  return world.as(world.tenancy.key(world.ours, world.ownerId, ['workers:serve'], scope).secret)
}

test('a call is reported by a worker of its Agent, and unknown to that of another Agent', async () => {
  const other = boundTo(world.tenancy.agent(world.ours, served.place.projectId))
  const own = boundTo(served.agent.agentId)
  const called = world.called(served, 'shop.charge')
  expect((await world.lease(served, {}, other)).status).toBe(204)
  const lease = await world.leased(served)
  expect(outcome(await world.heartbeat(served, lease, other))).toBe('404 not_found')
  expect(outcome(await world.complete(served, lease, { output: 'stolen' }, other))).toBe('404 not_found')
  // the same worker, without the call that it has lost
  expect((await world.lease(served, { held: [] }, other)).status).toBe(204)
  const again = await data<{ lease: typeof lease }>(world.lease(served, { held: [] }, own))
  expect(again.lease.invocationId).toBe(lease.invocationId)
  expect((await world.complete(served, again.lease, { output: 1 }, own)).status).toBe(200)
  expect(await called).toMatchObject({ state: 'succeeded', output: 1 })
})
