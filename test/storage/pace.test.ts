/**
 * Background work has low priority: it runs in short slices with a pause after each, and after requests. Source:
 * contract 9.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StaleWrite, StoreUnavailable } from '../../storage/errors.ts'
import { Pace } from '../../storage/pace.ts'
import type { Store, Write } from '../../storage/store.ts'
import { openMigrated } from '../support/stores/migrated-store.ts'

let folder: string
let store: Store
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-pace-'))
  store = await openMigrated(`sqlite:${join(folder, 'troupe.db')}`)
})
afterAll(async () => {
  await store?.close()
  await rm(folder, { recursive: true, force: true })
})

const counter = (name: string, value: number | string = 1): Write => ({
  sql: `insert into counters (name, next) values (?, ${value})`,
  parameters: [name],
})
/** Counts so far that no slice has time for a second unit, on the fastest machine too. */
const slow = (name: string) =>
  counter(
    name,
    '(with recursive n (i) as (select 1 union all select i + 1 from n where i < 200000) select max(i) from n)',
  )
const stale: Write = { sql: "update counters set next = 2 where name = 'nobody'", parameters: [], rows: 1 }
const names = async (like: string) =>
  (
    await store.all<{ name: string }>({
      sql: 'select name from counters where name like ? order by name',
      parameters: [like],
    })
  ).map(({ name }) => name)

/** A pace with clocks that stand still: of the world, and of the processor time that its thread has used. */
function standing() {
  const clocks = { now: 1_000, used: 50 }
  const pace = new Pace({ now: () => clocks.now, used: () => clocks.used })
  return {
    pace,
    /** Time passes, with the thread at work or not. */
    pass(ms: number, usedMs = ms) {
      clocks.now += ms
      clocks.used += usedMs
    },
    expectRest(rest: number) {
      expect(pace.isFree).toBe(rest === 0)
      clocks.now += rest + 1e-6
      expect(pace.isFree).toBe(true)
      clocks.now -= 1e-3
      expect(pace.isFree).toBe(rest === 0)
    },
  }
}

test.each([
  { spent: [0.3], rest: 0 },
  { spent: [2], rest: 8 },
  { spent: [0.3, 0.3, 0.4], rest: 2.4 },
  { spent: [5], rest: 20 },
])('after slices of $spent ms other work has the machine for $rest ms', ({ spent, rest }) => {
  const { pace, expectRest } = standing()
  for (const ms of spent) pace.spend(ms)
  expectRest(rest)
})

test.each([
  { held: 12, used: 2, shared: false, rest: 12 },
  { held: 5, used: 2, shared: false, rest: 8 },
  { held: 12, used: 2, shared: true, rest: 8 },
  { held: 12, used: 0.1, shared: true, rest: 0 },
])('a slice that held the thread for $held ms and used $used, shared: $shared, rests $rest ms', (slice) => {
  const { pace, pass, expectRest } = standing()
  const began = pace.mark()
  pass(slice.held, slice.used)
  pace.spendSince(began, slice)
  expectRest(slice.rest)
})

test('first come, first served; a slow turn counts as a whole slice', async () => {
  const { pace, pass, expectRest } = standing()
  const began: string[] = []
  const all = ['one', 'two', 'three'].map((name) =>
    pace.read(() => {
      began.push(name)
      pass(name === 'one' ? 3 : 0)
    }),
  )
  expect(began).toEqual(['one'])
  pass(12)
  await Promise.all(all)
  expect(began).toEqual(['one', 'two', 'three'])
  await pace.turn(async () => pass(1_000))
  expectRest(20)
})

test('a turn counts the time that it used, not that it waited', async () => {
  const { pace, pass, expectRest } = standing()
  await pace.turn(async () => pass(1_000, 1))
  expectRest(4)
})

test('turns that wait for the same commit are charged for it once', async () => {
  const { pace, pass, expectRest } = standing()
  const commit = Promise.withResolvers<void>()
  const turns = Array.from({ length: 100 }, () => pace.turn(() => commit.promise))
  await Bun.sleep(0)
  pass(20)
  commit.resolve()
  await Promise.all(turns)
  expectRest(80)
})

test('long units have their own transactions, short ones share one', async () => {
  const transactions = async (units: Write[]) => {
    const before = store.statistics.transactions
    await Promise.all(units.map((unit) => store.background.commit([unit])))
    return store.statistics.transactions - before
  }
  expect(await transactions([1, 2, 3].map((number) => slow(`slow ${number}`)))).toBe(3)
  expect(await transactions(Array.from({ length: 200 }, (_, number) => counter(`short ${number}`)))).toBeLessThan(200)
  expect(await names('s%')).toHaveLength(203)
})

test('a request does not wait for queued background work, and runs before it', async () => {
  const order: string[] = []
  const behind = [1, 2, 3, 4].map((number) =>
    store.background.commit([slow(`behind ${number}`)]).then(() => void order.push(`behind ${number}`)),
  )
  await behind[0]
  await store.commit([counter('request')]).then(() => void order.push('request'))
  await Promise.all(behind)
  expect(order.indexOf('request')).toBeLessThan(3)
  expect(order.filter((each) => each !== 'request')).toEqual([1, 2, 3, 4].map((number) => `behind ${number}`))
})

test('a unit that fails fails alone, even when others share its transaction', async () => {
  const outcomes = await Promise.allSettled([
    store.commit([counter('alone request')]),
    store.background.commit([counter('alone 1')]),
    store.background.commit([counter('alone half'), stale]),
    store.background.commit([counter('alone 2')]),
    store.commit([counter('alone too')]),
  ])
  expect(outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason : 'done'))).toEqual([
    'done',
    'done',
    expect.any(StaleWrite),
    'done',
    'done',
  ])
  expect(await names('alone%')).toEqual(['alone 1', 'alone 2', 'alone request', 'alone too'])
})

test('a store that closes commits the queued background work, and accepts no more', async () => {
  const path = join(folder, 'closing.db')
  const closing = await openMigrated(`sqlite:${path}`)
  const units = [1, 2, 3].map((number) => closing.background.commit([slow(`last ${number}`)]))
  const read = closing.background.all<{ n: number }>({ sql: 'select 1 as n', parameters: [] })
  await closing.close()
  await Promise.all(units)
  expect(await read).toEqual([{ n: 1 }])
  const late = [
    closing.background.commit([counter('late')]),
    closing.background.first({ sql: 'select 1 as n', parameters: [] }),
  ]
  for (const each of await Promise.allSettled(late)) {
    expect(each).toMatchObject({ status: 'rejected' })
    expect((each as PromiseRejectedResult).reason).toBeInstanceOf(StoreUnavailable)
  }
  const again = await openMigrated(`sqlite:${path}`)
  expect(await again.all({ sql: "select name from counters where name like 'la%'", parameters: [] })).toHaveLength(3)
  await again.close()
})
