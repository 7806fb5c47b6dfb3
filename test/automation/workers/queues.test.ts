/** Which polls read the store, and what they find. Source: contract 11, "Oldest first". */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { Passed } from '../../../src/automation/workers/passed.ts'
import { WorkerQueues } from '../../../src/automation/workers/queues.ts'
import type { Store } from '../../../storage/store.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'

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

describe('a call that arrives while a request reads the store', () => {
  const later = { ...call, id: 'opi_2' }
  /** Each read finds these calls, after the later one was offered during the first. */
  function reading(...found: { id: string }[][]) {
    const queues: WorkerQueues<never> = new WorkerQueues<never>(
      Object.create(store, {
        all: {
          value: async () => {
            if (looks === 0) queues.offer(later)
            looks += 1
            return found[looks - 1]
          },
        },
      }) as Store,
      clock,
      true,
    )
    looks = 0
    return (workerId: string) => queues.take({ ...wanted, workerId }, 1_000, new AbortController().signal)
  }

  test('is not given to it in addition to those that it finds: it has one slot', async () => {
    const take = reading([call], [call, later])
    expect((await take('w1')).ids).toEqual(['opi_1'])
    expect((await take('w2')).ids).toEqual(['opi_2'])
  })

  test('is found by another read, if that one has missed it', async () => {
    expect((await reading([], [later])('w1')).ids).toEqual(['opi_2'])
    expect(looks).toBe(2)
  })
})

describe('how far a queue was searched', () => {
  const charges = { ...wanted, operations: ['shop.charge', 'shop.pay'] }
  const kept = (hasArrived = false) => {
    const passed = new Passed(clock)
    passed.keep(charges, 'opi_5', hasArrived)
    return passed
  }

  test('is remembered for the same operations and Agent, in any order, by any worker', () => {
    const passed = kept()
    const same = { ...charges, workerId: 'w2', slots: 5, operations: ['shop.pay', 'shop.charge'] }
    expect(passed.of(same)).toBe('opi_5')
    const others = [{ operations: ['shop.pay'] }, { operations: undefined }, { agentId: 'agt_1' }, { queue: 'other' }]
    for (const other of others) expect(passed.of({ ...charges, ...other })).toBe('')
  })

  test.each([
    ['an earlier call that it accepts', { id: 'opi_3' }, true],
    ['an earlier call of another operation', { id: 'opi_3', operation: 'shop.look' }, false],
    ['an earlier call of another queue', { id: 'opi_3', queue: 'other' }, false],
    ['a later call', { id: 'opi_7' }, false],
  ])('goes back for %s', (_, changes, goesBack) => {
    const passed = kept()
    passed.offered({ ...call, ...changes })
    expect(passed.of(charges) < 'opi_3').toBe(goesBack)
  })

  test('is forgotten a minute after the search has found a call or the end, and not before', () => {
    const [searching, arrived] = [kept(), kept(true)]
    clock.advance(59_999)
    expect(arrived.of(charges)).toBe('opi_5')
    clock.advance(1)
    expect([searching.of(charges), arrived.of(charges)]).toEqual(['opi_5', ''])
  })
})
