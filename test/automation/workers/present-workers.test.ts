/** How long workers are remembered in memory, and what is shown of them. Source: contract 11, "shows who serves which queue". */
import { expect, test } from 'bun:test'
import { PresentWorkers } from '../../../src/automation/workers/present-workers.ts'
import { summaryOf } from '../../../src/automation/workers/summary.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'

test('workers that are gone, and their Environments, leave the memory', async () => {
  const store = await openMigrated()
  const clock = new HandClock()
  const present = new PresentWorkers({ store, clock, onError: () => {} })
  const come = (environment: number, name: string) =>
    present.reports({ environmentId: `env_${environment}`, queue: 'billing', workerId: name })

  for (let environment = 0; environment < 50; environment += 1)
    for (let start = 0; start < 20; start += 1) come(environment, `host-${environment}-${start}`)
  expect(present.statistics).toEqual({ workers: 1_000, environments: 50 })
  clock.advance(30_000)
  come(0, 'host-0-0')
  clock.advance(31_000)
  come(50, 'new')
  expect(present.statistics).toEqual({ workers: 2, environments: 2 })
  store.close()
})

test('each worker and each queue is looked at a few times, however many others there are', () => {
  let looks = 0
  const named = (index: number) => ({
    get queue() {
      looks += 1
      return `queue-${index}`
    },
    workerId: `host-${index}`,
    worker: `host-${index}`,
    operations: null,
    slots: 10,
    lastSeenAt: index,
    count: 2,
    oldest: 1_000 + index,
  })
  const some = Array.from({ length: 1_000 }, (_, index) => named(index))
  const { queues, workers } = summaryOf({ queued: some, leased: some, workers: some })
  expect(queues.find(({ queue }) => queue === 'queue-7')).toEqual({
    queue: 'queue-7',
    workers: 1,
    waiting: 2,
    leased: 2,
    oldestWaitingSince: '1970-01-01T00:00:01.007Z',
  })
  expect(workers[7]).toMatchObject({ workerId: 'host-7', queue: 'queue-7', leased: 2 })
  expect([queues.length, workers.length]).toEqual([1_000, 1_000])
  expect(looks).toBeLessThan(10_000)
})
