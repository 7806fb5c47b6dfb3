/** The list of workers and queues. Source: contract 11, "shows who serves which queue". */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eventually } from '../../support/process.ts'
import { data } from '../../support/world/replies.ts'
import { once, openWorkers, type WorkersWorld, workerOperation } from './world.ts'

let world: WorkersWorld
beforeAll(async () => {
  world = await openWorkers()
})
afterAll(() => world?.stop())

test('lists workers by queue, and the waiting calls', async () => {
  const served = await world.serving([workerOperation('charge', once)])
  void world.called(served, 'shop.charge')
  const lease = await world.leased(served, { workerId: 'w9', operations: ['shop.charge'] })
  const shown = await data(world.owner.get(`${served.place.path}/workers`))
  expect(shown).toEqual({
    queues: [{ queue: 'billing', workers: 1, waiting: 0, leased: 1, oldestWaitingSince: null }],
    workers: [
      {
        workerId: 'w9',
        queue: 'billing',
        operations: ['shop.charge'],
        slots: 1,
        leased: 1,
        lastSeenAt: expect.any(String),
      },
    ],
  } as never)
  await world.complete(served, lease, { output: 1 })
})

test('counts the calls of each queue and each worker', async () => {
  const served = await world.serving([
    workerOperation('charge', once),
    workerOperation('send', { handler: { type: 'worker', queue: 'mail' } }),
  ])
  const called = ['charge', 'charge', 'charge', 'send'].map((name) => world.called(served, `shop.${name}`))
  const leases = [await world.leased(served, { workerId: 'w1' }), await world.leased(served, { workerId: 'w2' })]
  type Shown = { queues: { oldestWaitingSince: string | null }[]; workers: { workerId: string; leased: number }[] }
  const shown = () => data<Shown>(world.owner.get(`${served.place.path}/workers`))
  const counted = await eventually('all calls', async () => {
    const { queues, workers } = await shown()
    return (
      queues.every(({ oldestWaitingSince }) => oldestWaitingSince !== null) &&
      queues.length === 2 && { queues, workers }
    )
  })
  expect(counted.queues).toMatchObject([
    { queue: 'billing', workers: 2, waiting: 1, leased: 2 },
    { queue: 'mail', workers: 0, waiting: 1, leased: 0 },
  ])
  expect(counted.workers.map(({ workerId, leased }) => [workerId, leased])).toEqual([
    ['w1', 1],
    ['w2', 1],
  ])
  leases.push(await world.leased(served), await world.leased(served, { queue: 'mail' }))
  await Promise.all(leases.map((lease) => world.complete(served, lease, { output: null })))
  await Promise.all(called)
})
