/**
 * A reader that follows the rules sees every event once, in order, whatever is written, removed and lost meanwhile.
 * Source: requirement 4.12, "Reading rules"; contract 7.
 */
import { afterEach, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ApiError } from '../../../src/platform/http/answers/errors.ts'
import { StaleWrite } from '../../../storage/errors.ts'
import { day, openWorld, type Place, raw, type World } from './feed-world.ts'

let world: World
afterEach(() => world?.store.close())

/** Follows the rules, and fails on any answer that they do not allow. */
class Reader {
  /** The last event that it has seen or that its baseline contains; undefined before the first one. */
  last: number | undefined
  /** Without a last event: the range of numbers in which it began. */
  #began: [number, number] | undefined
  readonly seen = new Set<string>()
  baselines = 0
  #resume: string | undefined
  #next: string | undefined
  #turn: Promise<void> = Promise.resolve()

  constructor(
    private readonly world: World,
    private readonly place: Place,
  ) {}

  /** One request at a time; further calls wait. */
  read(limit: number): Promise<void> {
    this.#turn = this.#turn.then(() => this.#read(limit))
    return this.#turn
  }

  /** The process ends; only the resume cursor was stored. */
  restart() {
    this.#next = undefined
  }

  async #read(limit: number) {
    const { world, place } = this
    const before = await world.head(place)
    try {
      const { events, pagination } = await world.read(place, limit, this.#next ?? this.#resume)
      expect(events.length).toBeLessThanOrEqual(limit)
      expect(pagination.hasMore).toBe(pagination.nextCursor !== undefined)
      for (const { id, sequence } of events) {
        if (this.last !== undefined) expect(sequence).toBe(this.last + 1)
        // when it began there was nothing; else its first read begins with whatever is the oldest
        else if (this.#began) expect(sequence).toBeWithin(this.#began[0] + 1, this.#began[1] + 2)
        expect(this.seen.has(id)).toBe(false)
        this.seen.add(id)
        this.last = sequence
      }
      this.#resume = pagination.resumeCursor
      this.#next = pagination.nextCursor
      if (this.last === undefined) this.#began ??= [before, await world.head(place)]
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'cursor_expired') throw error
      await this.#rebaseline(error)
    }
  }

  async #rebaseline({ status, details }: ApiError) {
    expect(status).toBe(409)
    const { baseline, resumeCursor } = await this.world.rebaseline(this.place)
    // the reader was told that it missed events, which is true
    const last = this.last ?? this.#began?.[0] ?? 0
    expect(details?.oldestSequence).toBeGreaterThan(last + 1)
    expect(baseline.sequence).toBeGreaterThan(last)
    this.baselines += 1
    this.last = baseline.sequence
    this.#resume = resumeCursor
    this.#next = undefined
  }
}

type Act =
  | { act: 'write'; events: number }
  | { act: 'fail' }
  | { act: 'pass'; ms: number }
  | { act: 'prune'; limit: number }
  | { act: 'read'; reader: number; limit: number; times: number }
  | { act: 'restart'; reader: number }

const readers = 3
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ act: fc.constant('write' as const), events: fc.integer({ min: 1, max: 6 }) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('fail' as const) }) },
  {
    weight: 3,
    // clocks also go back
    arbitrary: fc.record({ act: fc.constant('pass' as const), ms: fc.integer({ min: -1_000, max: 0.4 * day }) }),
  },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('prune' as const), limit: fc.integer({ min: 1, max: 8 }) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      act: fc.constant('read' as const),
      reader: fc.nat({ max: readers - 1 }),
      limit: fc.integer({ min: 1, max: 5 }),
      times: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('restart' as const), reader: fc.nat({ max: readers - 1 }) }) },
)

/** What all interleavings have seen, so that the test cannot pass without any events. */
const met = { baselines: 0, pruned: 0, seen: 0 }

async function play(world: World, steps: Act[][]) {
  const [place, other] = [await world.plant(), await world.plant()]
  const all = Array.from({ length: readers }, () => new Reader(world, place))
  let written = 0
  const does = async (one: Act): Promise<void> => {
    if (one.act === 'write') {
      const events = Array.from({ length: one.events }, (_, index) => world.record(place, written + index))
      written += one.events
      await Promise.all([...events, world.record(other, 0)])
    } else if (one.act === 'fail') {
      const failing = { ...raw('delete from projects where id = ?', 'prj_nothing'), rows: 1 }
      await expect(world.record(place, -1, [failing])).rejects.toThrow(StaleWrite)
    } else if (one.act === 'pass') world.clock.time += one.ms
    else if (one.act === 'prune') met.pruned += await world.retention.prune(one.limit)
    else if (one.act === 'restart') all[one.reader]?.restart()
    else for (let count = 0; count < one.times; count += 1) await all[one.reader]?.read(one.limit)
  }
  // the actions of one step happen concurrently
  for (const step of steps) await Promise.all(step.map(does))
  for (const reader of all) {
    await reader.read(5)
    for (let count = 0; reader.last !== undefined && reader.last < written; count += 1) {
      expect(count).toBeLessThan(written + 2)
      await reader.read(5)
    }
    met.baselines += reader.baselines
    met.seen += reader.seen.size
  }
  world.clock.time += 2 * day
  while ((await world.retention.prune(500)) > 0);
  expect(await world.stored(place)).toEqual([])
}

test('under any concurrency, every event is seen once and in order, or is contained in a baseline', async () => {
  world = await openWorld({ days: 1 })
  const steps = fc.array(fc.array(act, { minLength: 1, maxLength: 4 }), { minLength: 3, maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(steps, (played) => play(world, played)),
    { numRuns: 250, endOnFailure: true },
  )
  expect(met.baselines).toBeGreaterThan(20)
  expect(met.pruned).toBeGreaterThan(20)
  expect(met.seen).toBeGreaterThan(1_000)
})

test('a pull ends where the history ended when the pull began, regardless of concurrent writes', async () => {
  world = await openWorld()
  const place = await world.plant()
  for (let number = 1; number <= 7; number += 1) await world.record(place, number)
  const pulled: number[] = []
  let resume: string | undefined
  for (let cursor: string | undefined; ; ) {
    const { events, pagination } = await world.read(place, 2, cursor)
    pulled.push(...events.map(({ sequence }) => sequence))
    for (let number = 0; number < 5; number += 1) await world.record(place, number)
    resume = pagination.resumeCursor
    if (!pagination.hasMore) break
    cursor = pagination.nextCursor
  }
  expect(pulled).toEqual([1, 2, 3, 4, 5, 6, 7])
  const { events } = await world.read(place, 100, resume)
  expect(events.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 20 }, (_, index) => index + 8))
})

test('200 events recorded at once while a client polls: 1 to 200, without gaps or repeats', async () => {
  world = await openWorld()
  const place = await world.plant()
  const reader = new Reader(world, place)
  let written = 0
  const writing = Promise.all(
    Array.from({ length: 200 }, async (_, number) => {
      // in several transactions, in any order
      for (let turns = (number * 7) % 11; turns > 0; turns -= 1) await new Promise((turn) => setImmediate(turn))
      await world.record(place, number)
      written += 1
    }),
  )
  while ((reader.last ?? 0) < 200) {
    expect(reader.last ?? 0).toBeLessThanOrEqual(written + 200)
    await reader.read(9)
    await new Promise((turn) => setImmediate(turn))
  }
  await writing
  expect(reader.last).toBe(200)
  expect(reader.seen.size).toBe(200)
})
