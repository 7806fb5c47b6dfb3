/** Calls with large inputs and outputs, which the server does not keep in memory. Source: trust 2.2. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { echoOperation } from '../../../support/world/places.ts'
import { data } from '../../../support/world/replies.ts'
import { type Lease, once, openWorkers, type WorkersWorld, workerOperation } from '../../workers/world.ts'

let world: WorkersWorld
beforeAll(async () => {
  world = await openWorkers()
})
afterAll(() => world?.stop())

const long = 'x'.repeat(20_000)

async function actorsInMemory(): Promise<number> {
  const answer = await world.owner.raw('GET', '/metrics')
  return Number(/^troupe_actors_cached (\d+)$/m.exec(await answer.text())?.[1])
}

test('a call with a large input leaves no actor in memory, a small one does', async () => {
  const served = await world.serving([echoOperation('echo')])
  const before = await actorsInMemory()
  const large = await data(served.invoke('shop.echo', { input: { note: long } }))
  expect([large.state, large.output]).toEqual(['succeeded', { note: long }])
  expect(await actorsInMemory()).toBe(before)
  expect((await data(served.invoke('shop.echo', { input: { note: 'short' } }))).state).toBe('succeeded')
  expect(await actorsInMemory()).toBe(before + 1)
})

test('nor does a call whose worker returns a large output', async () => {
  const served = await world.serving([workerOperation('charge', once)])
  const before = await actorsInMemory()
  const called = world.called(served, 'shop.charge')
  const lease: Lease = await world.leased(served)
  await data(world.complete(served, lease, { output: { note: long } }))
  expect((await called).output).toEqual({ note: long })
  expect(await actorsInMemory()).toBe(before)
})
