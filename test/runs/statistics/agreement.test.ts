/** The statistics match the runs in the list, however they ended. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { up } from '../../../storage/migrations/0019-run-tallies.ts'
import type { Reply } from '../../support/client.ts'
import { day, hour, minute, openWorld, path, second, totals, type World } from './world.ts'

const outcomes = ['completed', 'failed', 'canceled', 'expired']
let world: World
let runs: Reply['body'][]

/** A deterministic random generator. */
function numbers(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

beforeAll(async () => {
  world = await openWorld()
  const random = numbers(7)
  const anyLength = () => Math.floor(2 ** (random(22_000) / 1_000))
  for (let count = 0; count < 120; count += 1) {
    const state = outcomes[random(4)] as string
    await world.ran(state, { queueMs: anyLength(), workMs: random(5) === 0 ? 0 : anyLength() })
    world.clock.advance(random(40) * minute)
  }
  runs = []
  for (let cursor: string | undefined; ; ) {
    const { body } = await world.owner.get(path, { query: { limit: 100, cursor } })
    runs.push(...body.agentRuns)
    if (!body.pagination.hasMore) break
    cursor = body.pagination.nextCursor
  }
})
afterAll(() => world?.close())

const at = (text: string) => Date.parse(text)
const countsOf = (some: Reply['body'][]) =>
  totals(Object.fromEntries(outcomes.map((outcome) => [outcome, some.filter(({ state }) => state === outcome).length])))

const windows = (now: number) => [
  {},
  { from: new Date(now - 7 * day).toISOString() },
  { from: new Date(now - 90 * minute).toISOString(), to: new Date(now - 5 * minute).toISOString() },
  { from: new Date(now - 30 * day).toISOString() },
  { from: new Date(now - 400 * day).toISOString(), interval: 'day' },
  { from: new Date(now - 400 * hour).toISOString(), interval: 'hour' },
]

test('every interval counts the runs that ended in it, and the totals are their sums', async () => {
  for (const query of windows(world.clock.now())) {
    const { from, to, buckets, totals, interval } = await world.figures(query as Record<string, string>)
    const length = interval === 'hour' ? hour : day
    expect(buckets[0].from).toBe(from)
    expect(buckets.at(-1).to).toBe(to)
    for (const [place, bucket] of buckets.entries()) {
      expect([at(bucket.from), at(bucket.to)]).toEqual([at(from) + place * length, at(from) + (place + 1) * length])
      const ended = runs.filter(({ endedAt }) => at(endedAt) >= at(bucket.from) && at(endedAt) < at(bucket.to))
      expect({ ...bucket }).toEqual({ from: bucket.from, to: bucket.to, ...countsOf(ended) })
    }
    expect(totals).toEqual(countsOf(runs.filter(({ endedAt }) => at(endedAt) >= at(from) && at(endedAt) < at(to))))
  }
})

test('percentiles are in the buckets of the exact ones', async () => {
  const { queueTime, workTime } = await world.figures({ from: new Date(world.clock.now() - 400 * day).toISOString() })
  const begun = runs.filter(({ startedAt }) => startedAt !== null)
  const check = (times: number[], figures: Reply['body']) => {
    const sorted = times.sort((one, other) => one - other)
    expect(figures.count).toBe(sorted.length)
    for (const [name, share] of [
      ['p50Ms', 0.5],
      ['p90Ms', 0.9],
      ['p99Ms', 0.99],
    ] as const) {
      const truth = sorted[Math.ceil(share * sorted.length) - 1] as number
      const most = truth === 0 ? 0 : 2 ** Math.ceil(Math.log2(truth + 1))
      expect(figures[name]).toBeGreaterThanOrEqual(Math.floor(most / 2))
      expect(figures[name]).toBeLessThanOrEqual(most)
    }
  }
  expect(begun.length).toBeGreaterThan(60)
  check(
    begun.map(({ createdAt, startedAt }) => at(startedAt) - at(createdAt)),
    queueTime,
  )
  check(
    begun.map(({ startedAt, endedAt }) => at(endedAt) - at(startedAt)),
    workTime,
  )
})

test('runs from before the statistics are counted like others', async () => {
  const query = { from: new Date(world.clock.now() - 7 * day).toISOString() }
  const before = await world.figures(query)
  await sql`drop table run_tallies`.execute(world.store.db)
  await up(world.store.db as never)
  expect(await world.figures(query)).toEqual(before)
  expect(before.queueTime.count).toBeGreaterThan(0)
})

test('an unreadable record is counted by its columns, and stops no migration', async () => {
  const [{ id }] = runs as [Reply['body']]
  const before = await world.figures({ from: new Date(world.clock.now() - 20 * day).toISOString() })
  await world.store.commit([{ sql: `update runs set context = '{' where id = ?`, parameters: [id] }])
  await sql`drop table run_tallies`.execute(world.store.db)
  await up(world.store.db as never)
  const after = await world.figures({ from: new Date(world.clock.now() - 20 * day).toISOString() })
  expect(after.totals).toEqual(before.totals)
})

test('times outside of all buckets are counted in the first and the last', async () => {
  const other = await openWorld()
  await other.ran('completed', { queueMs: 0, workMs: 1 })
  await other.ran('completed', { queueMs: 0, workMs: 40 * day })
  const { queueTime, workTime } = await other.figures({ from: new Date(other.clock.now() - 50 * day).toISOString() })
  expect(queueTime).toEqual({ count: 2, p50Ms: 0, p90Ms: 0, p99Ms: 0 })
  expect(workTime).toMatchObject({ count: 2, p50Ms: 2 })
  expect(workTime.p99Ms).toBeGreaterThan(12 * day)
  await other.close()
})

test('a run with a duration of zero is counted', async () => {
  const before = (await world.figures()).totals.completed
  await world.ran('completed', { queueMs: 3 * second, workMs: 3 * second })
  expect((await world.figures()).totals.completed).toBe(before + 1)
})
