/** Which polls read the store. Source: contract 11, "Oldest first". */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { WorkerQueues } from '../../../src/automation/workers/queues.ts'
import type { Store } from '../../../storage/store.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { openMigrated } from '../../support/migrated-store.ts'

let store: Store
let looks = 0
let clock: HandClock
beforeAll(async () => {
  store = await openMigrated()
})
afterAll(() => store?.close())
beforeEach(() => {
  clock = new HandClock()
})

const wanted = { environmentId: 'env_1', queue: 'billing', workerId: 'w1', agentId: null, slots: 1 }
const call = { id: 'opi_1', environment_id: 'env_1', queue: 'billing', operation: 'shop.charge', agent_id: 'agt_1' }

/** Counts how often the store is read. */
function opened(isAlone: boolean) {
  const counting = Object.create(store, {
    all: {
      value: (statement: never) => {
        looks += 1
        return store.all(statement)
      },
    },
  }) as Store
  const queues = new WorkerQueues<never>(counting, clock, isAlone)
  return async (changes: object = {}) => {
    looks = 0
    await queues.take({ ...wanted, ...changes }, 0, new AbortController().signal)
    return [looks, queues] as const
  }
}

test('a single server reads an empty queue once, until a call arrives or five seconds have passed', async () => {
  const take = opened(true)
  const [first, queues] = await take()
  expect([first, (await take())[0], (await take({ workerId: 'w2' }))[0]]).toEqual([1, 0, 0])
  expect((await take({ queue: 'other' }))[0]).toBe(1)
  expect(queues.offer(call)).toBe(false)
  expect([(await take())[0], (await take())[0], (await take({ queue: 'other' }))[0]]).toEqual([1, 0, 0])
  clock.advance(5_000)
  expect((await take())[0]).toBe(1)
})

test('a server among others reads each time', async () => {
  const take = opened(false)
  expect([(await take())[0], (await take())[0]]).toEqual([1, 1])
})
